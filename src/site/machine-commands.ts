import * as v from 'valibot';
import type { Result } from '../core/index.ts';
import { LONGEST_HOLD_MS } from '../core/decision/operator-hold.ts';
import { describeDuration, parseDuration } from '../core/text/duration.ts';
import type { CommandKind } from '../core/trust/command-text.ts';
import { describeValue, quote } from '../core/text/quote.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { GROUP_FORM, isGroup } from '../core/rollout/group.ts';
import {
  commandClient,
  newKey,
  type CommandClient,
  type CommandToGive,
} from '../registry/command-client.ts';
import {
  DEFAULT_EXPIRY_S,
  newCommand,
  LONGEST_EXPIRY_S,
  type CommandList,
  type GivenCommand,
  type GivenToGroup,
  type GroupCommandList,
} from '../registry/command-documents.ts';
import { commandFault } from '../server/commands/known-command.ts';
import { commandResult } from './command-result.ts';
import { withMachine, withServing, type ConfigOptions } from './config-options.ts';
import { commandSigning, type SignedBy } from './signed-command.ts';
import { giveSignedToGroup } from './signed-group.ts';
import type { SigningOptions } from './signing.ts';

/** A command as a person gives it. */
export interface GivenWish {
  readonly kind: CommandKind;
  /** The name of an entry or a module_id; undefined for the whole machine. */
  readonly module: string | undefined;
  /** The version that is lifted from quarantine; undefined for other commands. */
  readonly version: string | undefined;
  /** How long a hold lasts. */
  readonly for: string | undefined;
  readonly reason: string;
  /** After which time the machine no longer takes it; an hour by default. */
  readonly expires: string | undefined;
}

const SERVING = { open: commandClient, what: 'gives machines commands' };

/** Who signed what was given; undefined if the options name no key, as for a hold, which needs none. */
interface Signed {
  readonly signed: SignedBy | undefined;
}

/** Has a machine do something: its registry keeps the command until the machine asks, or it expires. Signed with the keys that the options name. */
export async function giveMachineCommand(
  wish: GivenWish,
  options: ConfigOptions & SigningOptions,
  world: World,
): Promise<Result<GivenCommand & Signed, Problem>> {
  const command = commandOf(wish);
  if (!command.ok) return command;
  const target = targetFault(options);
  if (target) return { ok: false, error: target };
  return await withMachine(options, world, SERVING, async ({ machine, client }) => {
    const signing = await commandSigning(command.value, options, world);
    if (!signing.ok) return signing;
    const found = signing.value?.sign(machine);
    if (found && !found.ok) return found;
    const { command: one, signed } = found?.value ?? { command: command.value, signed: undefined };
    const given = commandResult(await client.give(machine, one), machine);
    return given.ok ? { ok: true, value: { ...given.value, signed } } : given;
  });
}

/** The same for each machine of a group: one command for all of them, or one with signatures for each (D405). */
export async function giveGroupCommand(
  wish: GivenWish,
  { group, options }: OfGroup & { readonly options: SigningOptions },
  world: World,
): Promise<Result<GivenToGroup & Signed, Problem>> {
  const command = commandOf(wish);
  if (!command.ok) return command;
  return await withGroup({ group, options }, world, async (client) => {
    const signing = await commandSigning(command.value, options, world);
    if (!signing.ok) return signing;
    if (signing.value) {
      return await giveSignedToGroup(client, { group, kind: wish.kind, ...signing.value });
    }
    const given = commandResult(await client.giveGroup(group, command.value));
    return given.ok ? { ok: true, value: { ...given.value, signed: undefined } } : given;
  });
}

function commandOf({
  kind,
  module,
  version,
  for: term,
  reason,
  expires,
}: GivenWish): Result<CommandToGive, Problem> {
  const expiresIn = secondsIn(expires);
  if (!expiresIn.ok) return expiresIn;
  const lasting = term === undefined ? undefined : durationIn('--for', term, LONGEST_HOLD_MS);
  if (lasting && !lasting.ok) return lasting;
  const about = { module: module ?? null, for: term ?? null, reason };
  const named = version === undefined ? {} : { version };
  const command = { kind, ...about, ...named, expires_in: expiresIn.value };
  const fault = faultOf(command);
  if (fault !== undefined) {
    return { ok: false, error: { severity: 'error', kind: 'bad-value', message: fault } };
  }
  return { ok: true, value: command };
}

/** What the registry would refuse of it, before anything is signed (D458). */
function faultOf(command: CommandToGive): string | undefined {
  const read = v.safeParse(newCommand, { ...command, key: newKey() });
  return read.success ? commandFault(read.output) : read.issues.map(typedFault).join('; ');
}

/** A fault by the name of its argument or option, with what was found: a command line has no JSON pointers. */
function typedFault({ path, input, message }: v.BaseIssue<unknown>): string {
  const name = path?.map(({ key }) => (key === 'reason' ? '--reason' : String(key))).join(' ');
  return `${name ?? 'command'}: found ${describeValue(input)}, ${message}`;
}

/** Commands are given to a machine or a group (D459). */
function targetFault({ machine }: ConfigOptions): Problem | undefined {
  if (machine !== undefined) return undefined;
  return usage(
    '--machine and --group are missing, expected one of them, such as --machine rover-7 or --group canary',
  );
}

/** A group of machines, and how its registry is reached. */
export interface OfGroup {
  readonly group: string;
  readonly options: ConfigOptions;
}

async function withGroup<T>(
  { group, options }: OfGroup,
  world: World,
  work: (client: CommandClient) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  if (options.machine !== undefined) {
    return { ok: false, error: usage('--machine and --group are given, expected one of them') };
  }
  if (!isGroup(group)) {
    return { ok: false, error: usage(`--group: ${quote(group)} is not ${GROUP_FORM}`) };
  }
  return await withServing(options, world, SERVING, work);
}

/** The newest commands to the machines of a group, with what became of them. */
export async function groupCommands(
  { group, options }: OfGroup,
  world: World,
): Promise<Result<GroupCommandList, Problem>> {
  return await withGroup({ group, options }, world, async (client) =>
    commandResult(await client.listOfGroup(group)),
  );
}

/** The newest 100 commands to a machine, with what became of them. */
export async function machineCommands(
  options: ConfigOptions,
  world: World,
): Promise<Result<CommandList & { readonly machine: string }, Problem>> {
  const target = targetFault(options);
  if (target) return { ok: false, error: target };
  return await withMachine(options, world, SERVING, async ({ machine, client }) => {
    const found = commandResult(await client.list(machine), machine);
    return found.ok ? { ok: true, value: { machine, ...found.value } } : found;
  });
}

function secondsIn(expires: string | undefined): Result<number, Problem> {
  if (expires === undefined) return { ok: true, value: DEFAULT_EXPIRY_S };
  const ms = durationIn('--expires', expires, LONGEST_EXPIRY_S * 1000);
  return ms.ok ? { ok: true, value: ms.value / 1000 } : ms;
}

function durationIn(option: string, text: string, longestMs: number): Result<number, Problem> {
  const ms = parseDuration(text);
  if (!ms.ok) return { ok: false, error: usage(`${option}: ${ms.error}; nothing was given`) };
  if (ms.value > 0 && ms.value <= longestMs) return ms;
  const expected = `expected more than 0 s and at most ${describeDuration(longestMs)}`;
  const message = `${option} is ${describeDuration(ms.value)}, ${expected}; nothing was given`;
  return { ok: false, error: usage(message) };
}
