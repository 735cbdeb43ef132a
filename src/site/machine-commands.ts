import type { Result } from '../core/index.ts';
import { LONGEST_HOLD_MS } from '../core/decision/operator-hold.ts';
import { describeDuration, parseDuration } from '../core/text/duration.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { commandClient, type CommandRefusal } from '../registry/command-client.ts';
import {
  DEFAULT_EXPIRY_S,
  LONGEST_EXPIRY_S,
  type CommandKind,
  type CommandList,
  type GivenCommand,
} from '../registry/command-documents.ts';
import { withMachine, type ConfigOptions } from './config-options.ts';

/** A command as a person gives it. */
export interface GivenWish {
  readonly kind: CommandKind;
  /** The name of an entry or a module_id; undefined for the whole machine. */
  readonly module: string | undefined;
  /** How long a hold lasts. */
  readonly for: string | undefined;
  readonly reason: string;
  /** After which time the machine no longer takes it; an hour by default. */
  readonly expires: string | undefined;
}

const SERVING = { open: commandClient, what: 'gives machines commands' };

/** Has a machine do something: its registry keeps the command until the machine asks, or it expires. */
export async function giveMachineCommand(
  { kind, module, for: term, reason, expires }: GivenWish,
  options: ConfigOptions,
  world: World,
): Promise<Result<GivenCommand, Problem>> {
  const expiresIn = secondsIn(expires);
  if (!expiresIn.ok) return expiresIn;
  const lasting = term === undefined ? undefined : durationIn('--for', term, LONGEST_HOLD_MS);
  if (lasting && !lasting.ok) return lasting;
  return await withMachine(options, world, SERVING, async ({ machine, client }) => {
    const about = { module: module ?? null, for: term ?? null, reason };
    const command = { kind, ...about, expires_in: expiresIn.value };
    return commandResult(await client.give(machine, command));
  });
}

/** The newest 100 commands to a machine, with what became of them. */
export async function machineCommands(
  options: ConfigOptions,
  world: World,
): Promise<Result<CommandList & { readonly machine: string }, Problem>> {
  return await withMachine(options, world, SERVING, async ({ machine, client }) => {
    const found = commandResult(await client.list(machine));
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

const KINDS = {
  'no-commands': 'registry-refused',
  'too-many-commands': 'registry-refused',
  'bad-release': 'bad-value',
  'too-large': 'too-large',
} as const;

function commandResult<T>(result: Result<T, CommandRefusal>): Result<T, Problem> {
  if (result.ok) return result;
  const { kind, detail: message } = result.error;
  const hint =
    kind === 'too-many-commands' ? 'modreg fleet commands shows them; they expire' : undefined;
  return { ok: false, error: { severity: 'error', kind: KINDS[kind], message, hint } };
}
