import { hash } from 'node:crypto';
import type { Context, Hono } from 'hono';
import type { Result } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import {
  commandOutcomes,
  newCommand,
  type CommandList,
  type NewCommand,
} from '../../registry/command-documents.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { CommandWish, GiveResult } from '../commands/command-table.ts';
import { commandFault, commandOf, shownCommand } from '../commands/known-command.ts';
import { signedFault, signedWish } from '../commands/signed-wish.ts';
import { unsignedFault } from '../commands/unsigned-fault.ts';
import { hasReportedPin } from '../fleet/reported-pin.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { isRandomId } from '../../core/text/random-id.ts';
import { problem } from '../problem.ts';
import { COMMANDS_SCOPE } from '../tokens/scope.ts';
import type { StoredToken } from '../tokens/token.ts';
import { authorOf } from './bearer.ts';
import type { Answer } from './guarded.ts';
import { jsonBody } from './json-body.ts';
import { COMMAND_OUTCOMES, COMMANDS } from './module-route.ts';
import { ofMachine, type AskedOfMachine, type WritingOptions } from './of-machine.ts';
import { readingBy } from './reading-by.ts';
import { answerSigner, type SignAnswer } from './signed-answer.ts';

type Options = WritingOptions & { readonly fleet: FleetFile };

/** Adds the routes of commands to machines (D294 to D297). */
export function addCommandRoutes(app: Hono, catalogue: Catalogue, options: Options): void {
  const guarded = ofMachine(catalogue, options, { scope: COMMANDS_SCOPE });
  const sign = answerSigner(catalogue);
  app.get(
    COMMANDS,
    guarded('both', (c, asked) =>
      asked.token.scopes.includes(COMMANDS_SCOPE) ? listAnswer(c, asked) : waiting(c, asked, sign),
    ),
  );
  const pinned = (machine: string): boolean =>
    options.fleet.read((sql) => hasReportedPin(sql, machine));
  app.put(
    COMMANDS,
    guarded('operator', async (c, asked) => await giveAnswer(c, asked, pinned)),
  );
  app.put(COMMAND_OUTCOMES, guarded('machine', outcomesAnswer));
}

/** The command in the body of a request, or what is wrong with it. */
export async function commandIn(c: Context): Promise<Result<NewCommand, Response>> {
  const body = await jsonBody(c, readingBy(newCommand));
  const fault = body.ok ? commandFault(body.value) : undefined;
  if (fault === undefined) return body;
  return { ok: false, error: problem('bad-release', fault, { errors: [fault] }) };
}

/** What a person gives, for any machine. */
export function wishOf(
  { key, kind, module, for: term, version, reason, ...ending }: NewCommand,
  token: StoredToken,
  now: number,
): Omit<CommandWish, 'machine'> {
  return {
    key,
    kind,
    module: module ?? undefined,
    term: term ?? undefined,
    version: version ?? undefined,
    reason,
    author: authorOf(token),
    at: now,
    ...signedWish({ key, ...ending }, now),
  };
}

async function giveAnswer(
  c: Context,
  asked: AskedOfMachine,
  pinned: (machine: string) => boolean,
): Promise<Answer> {
  const { catalogue, token, machine, now, changed, write } = asked;
  const body = await commandIn(c);
  if (!body.ok) return body.error;
  const unsigned = unsignedFault(pinned(machine), body.value);
  if (unsigned !== undefined) {
    return problem('bad-release', unsigned, { errors: [`${machine}: ${unsigned}`] });
  }
  const wish = wishOf(body.value, token, now);
  const fault = signedFault({ machine, ...wish }, catalogue.trust.newest());
  if (fault !== undefined) return problem('bad-release', fault, { errors: [fault] });
  const results = await write({ kind: 'commands', wish, machines: [machine] });
  // Cast: there is one for each machine.
  const [result] = results as readonly [GiveResult];
  if (result.kind === 'full') {
    const detail = `${result.waiting} commands of ${machine} wait already: nothing was given`;
    return problem('too-many-commands', detail);
  }
  const { number, expiresAt, kind: command } = result.command;
  if (result.kind === 'given') changed({ kind: 'command-given', machine, number, command });
  const given = { machine, number, kind: command, expires_at: formatTime(expiresAt) };
  return c.json(catalogue.configs.commands.hasAsked(machine) ? given : { ...given, asks: false });
}

function listAnswer(c: Context, { catalogue, machine, now }: AskedOfMachine): Response {
  const commands = catalogue.configs.commands.all(machine).map((one) => shownCommand(one, now));
  return c.json({ commands } satisfies CommandList);
}

/** The answer to the question of a machine, which no cache keeps (D295). */
async function waiting(c: Context, asked: AskedOfMachine, sign: SignAnswer): Promise<Response> {
  const { catalogue, machine, now } = asked;
  const { nonce } = c.req.query();
  if (nonce === undefined || !isRandomId(nonce)) {
    return problem('bad-request', 'nonce must be 16 random bytes in base64url');
  }
  await noteAsking(asked);
  const commands = catalogue.configs.commands.waiting(machine, now).map(commandOf);
  const text = JSON.stringify({ machine, nonce, now: formatTime(now), commands });
  const signed = sign({ nonce, question: `commands ${machine}`, sha256: hash('sha256', text) });
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', ...signed };
  return c.body(text, { headers });
}

async function noteAsking({ catalogue, machine, write, replica }: AskedOfMachine): Promise<void> {
  if (catalogue.configs.commands.hasAsked(machine)) return;
  const noted = write({ kind: 'heard', words: [{ about: 'asking', machine }] });
  // While the cluster takes no change, it is noted with a later question.
  if (replica) noted.catch(() => undefined);
  else await noted;
}

async function outcomesAnswer(c: Context, asked: AskedOfMachine): Promise<Answer> {
  const { machine, now: at, write } = asked;
  const body = await jsonBody(c, readingBy(commandOutcomes));
  if (!body.ok) return body.error;
  const { outcomes } = body.value;
  await write({ kind: 'heard', words: [{ about: 'commands', machine, at, outcomes }] });
  return c.json({ machine });
}
