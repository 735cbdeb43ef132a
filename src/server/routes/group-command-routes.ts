import type { Context, Hono } from 'hono';
import { isGroup, GROUP_FORM } from '../../core/rollout/group.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { GivenToGroup, GroupCommandList } from '../../registry/command-documents.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { giveToMembers, type GroupOutcome } from '../commands/group-commands.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { emptyGroup, groupCounts, groupMembers, type GroupMember } from '../fleet/groups.ts';
import { problem } from '../problem.ts';
import { COMMANDS_SCOPE } from '../tokens/scope.ts';
import { readToken, tokenOf } from './bearer.ts';
import type { Caller } from './caller.ts';
import { shownCommand } from '../commands/known-command.ts';
import { commandIn, wishOf } from './command-routes.ts';
import { answeringToken, type Answer } from './guarded.ts';
import { GROUP_COMMANDS } from './module-route.ts';
import type { WriteChange } from '../catalogue/write-change.ts';
import type { WritingOptions } from './of-machine.ts';
import { unservedAnswer } from './read-routes.ts';

/** A request about the machines of a group. */
interface AskedOfGroup extends Caller {
  readonly group: string;
  readonly members: readonly GroupMember[];
  readonly write: WriteChange;
}

type Handle = (c: Context, asked: AskedOfGroup) => Answer | Promise<Answer>;
type Options = WritingOptions & { readonly fleet: FleetFile };

const ONE_MACHINE = '/signed: operators sign a command for one machine';

/** So many commands to a group are listed. */
const MOST_LISTED = 1000;

/** Adds the routes of commands to the machines of a group (D327). */
export function addGroupCommandRoutes(app: Hono, catalogue: Catalogue, options: Options): void {
  const guarded = ofGroup(catalogue, options);
  app.get(GROUP_COMMANDS, guarded(readToken, listAnswer));
  app.put(GROUP_COMMANDS, guarded(tokenOf, giveAnswer));
}

/** Answers requests of people about a group that has machines. */
function ofGroup(
  catalogue: Catalogue,
  { fleet, ...options }: Options,
): (read: typeof readToken, handle: Handle) => ReturnType<typeof answeringToken> {
  return (read, handle) =>
    answeringToken(read, { catalogue, ...options }, async (c, caller) => {
      const { token, now } = caller;
      const scope = COMMANDS_SCOPE;
      if (!token.scopes.includes(scope)) return { kind: 'missing-scope', token, scope };
      const unserved = unservedAnswer(c, options);
      if (unserved) return unserved;
      const group = c.req.param('group') ?? '';
      if (!isGroup(group)) return problem('bad-request', `the address does not have ${GROUP_FORM}`);
      const members = fleet.read((sql) => groupMembers(sql, group));
      const { write } = options;
      if (members.length > 0) return await handle(c, { ...caller, group, members, write });
      const why = fleet.read((sql) => emptyGroup(groupCounts(sql, now), [group])) ?? group;
      return problem('bad-release', why, { errors: [why] });
    });
}

async function giveAnswer(c: Context, asked: AskedOfGroup): Promise<Answer> {
  const { catalogue, token, group, members, now, changed, write } = asked;
  const body = await commandIn(c);
  if (!body.ok) return body.error;
  const { kind, signed } = body.value;
  if (signed) return problem('bad-release', ONE_MACHINE, { errors: [ONE_MACHINE] });
  const wish = wishOf(body.value, token, now);
  const { hasAsked } = catalogue.configs.commands;
  const giveAll: Parameters<typeof giveToMembers>[0]['giveAll'] = async (one, machines) =>
    await write({ kind: 'commands', wish: one, machines });
  const outcome: GroupOutcome = await giveToMembers({ hasAsked, giveAll }, members, wish);
  for (const { machine, number, isNew } of outcome.given) {
    if (isNew) changed({ kind: 'command-given', machine, number, command: kind });
  }
  const given = outcome.given.map(({ machine, number }) => ({ machine, number }));
  const until = formatTime(wish.expiresAt);
  return c.json({
    group,
    kind,
    expires_at: until,
    given,
    refused: outcome.refused,
  } satisfies GivenToGroup);
}

function listAnswer(c: Context, { catalogue, group, members, now }: AskedOfGroup): Response {
  const { commands } = catalogue.configs;
  const machines = members.map(({ machine }) => machine);
  const found = commands.ofAll(machines, MOST_LISTED + 1);
  const asking = machines.filter((machine) => commands.hasAsked(machine));
  const known = new Set(asking);
  const others = machines.filter((machine) => !known.has(machine));
  return c.json({
    group,
    machines: { asking, others },
    more: found.length > MOST_LISTED,
    commands: found
      .slice(0, MOST_LISTED)
      .map((one) => Object.assign({ machine: one.machine }, shownCommand(one, now))),
  } satisfies GroupCommandList);
}
