import type { Result } from '../../core/index.ts';
import { certainTime } from '../../core/releases/certain-time.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Clock } from '../../registry/clock.ts';
import type { CommandClient } from '../../registry/command-client.ts';
import {
  isKnown,
  typed,
  type CommandOutcome,
  type KnownCommand,
  type WaitingCommand,
  type WaitingCommands,
} from '../../registry/command-documents.ts';
import type { Proof } from '../../registry/remote-registry.ts';
import {
  firstTaken,
  lossOf,
  taking,
  told,
  withOutcome,
  type TakenCommands,
} from './command-state.ts';
import type { ServedState } from './served-state.ts';
import { recordAt, verified, type Verifying } from './signed-commands.ts';
import type { SignedRecord } from './signed-record.ts';

/** How a machine carries out the commands of its site. */
export interface CommandedMachine extends Pick<Verifying, 'reading' | 'trust'> {
  readonly client: Pick<CommandClient, 'waiting' | 'answer'>;
  /** What the registry has to sign its answer for; undefined if it need not. Rejects with a RegistryError. */
  readonly proof: () => Promise<Proof | undefined>;
  /** Whether its policy names a trust document, in general or for a module. */
  readonly isPinned: () => boolean;
  readonly carryOut: (command: KnownCommand) => Promise<Omit<CommandOutcome, 'number'>>;
}

interface CommandRound extends CommandedMachine {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly state: () => ServedState;
  /** Whether the state is on the disk. */
  readonly become: (next: ServedState) => boolean;
  readonly onNews: () => void;
  readonly onNotice: (level: 'info' | 'warn', text: string) => void;
}

/**
 * Takes the commands that wait, carries each out once, and tells the site what became of them (D295 to D301). Calls `onNews` afterwards if
 * there are some: they have ended the wait for changes, and one that does not know what was taken would end as well.
 */
export async function commandRound(round: CommandRound, signal: AbortSignal): Promise<void> {
  const { client, proof, clock, state, onNews } = round;
  const asked = clock.monotonic();
  const answer = await client.waiting(state().machine, await proof(), signal);
  if (!answer) return;
  try {
    await takeAll({ round, answer, asked }, signal);
  } finally {
    if (answer.commands.length > 0) onNews();
  }
}

async function takeAll(parts: Taking, signal: AbortSignal): Promise<void> {
  const { round, answer } = parts;
  const { client, state } = round;
  if (!state().commands && !keptFirst(answer, round)) return;
  if (!remembers(round)) return;
  for (const command of answer.commands) {
    if (signal.aborted || !(await take(command, parts))) return;
  }
  const { commands } = state();
  if (!commands || commands.outcomes.length === 0) return;
  await client.answer(state().machine, commands.outcomes, signal);
  keep(round, told(commands, commands.outcomes));
}

/** Notes which commands wait at the first answer. Whether that is on the disk. */
function keptFirst({ commands }: WaitingCommands, round: CommandRound): boolean {
  const known = firstTaken(commands.map(({ number }) => number));
  if (!keep(round, known)) return false;
  for (const { number, detail } of known.outcomes) {
    round.onNotice('warn', `command ${number} of the site is lost: ${detail}`);
  }
  return true;
}

/** Begins or ends the memory of signed commands (D395). Whether that is on the disk. */
function remembers(round: CommandRound): boolean {
  const { commands } = round.state();
  const signed = recordAt(commands?.signed, round.reading(), round.isPinned());
  return !commands || signed === commands.signed || keep(round, { ...commands, signed });
}

/** Whether it is on the disk. */
function keep({ state, become }: CommandRound, commands: TakenCommands): boolean {
  return become({ ...state(), commands });
}

interface Taking {
  readonly round: CommandRound;
  readonly answer: WaitingCommands;
  /** When the machine asked, on the monotonic clock. */
  readonly asked: number;
}

/** Carries out a command, unless it was taken before (D297). Whether the next one may be taken. */
async function take(command: WaitingCommand, { round, answer, asked }: Taking): Promise<boolean> {
  const { state, carryOut, onNotice } = round;
  const { number } = command;
  // It is told again until the site has it.
  if (state().commands?.outcomes.some((one) => one.number === number)) return true;
  if (!isKnown(command))
    return noted({ number, result: 'refused', detail: UNKNOWN }, command, round);
  const without = withoutCarryingOut(command, { round, answer, asked });
  if (without) return noted({ number, ...without }, command, round);
  const allowed = await allowedOf(command, round);
  if (!allowed.ok)
    return noted({ number, result: 'refused', detail: allowed.error }, command, round);
  const { signed, by } = allowed.value;
  // What is not on the disk could be carried out again.
  if (!keep(round, { ...taking(state().commands, number), signed })) return false;
  onNotice('info', `command ${number} of the site is carried out: ${wordsOf(command)}${by}`);
  return noted({ number, ...(await carryOut(command)) }, command, round);
}

function noted(outcome: CommandOutcome, command: WaitingCommand, round: CommandRound): boolean {
  const { number, result, detail } = outcome;
  const level = result === 'done' ? 'info' : 'warn';
  const what = `command ${number} of the site (${wordsOf(command)})`;
  round.onNotice(level, `${what} is ${result}: ${detail}`);
  return keep(round, withOutcome(round.state().commands, outcome));
}

function wordsOf({ kind, module, version }: WaitingCommand): string {
  const parts = [kind, module, version];
  return parts.flatMap((one) => (typeof one === 'string' ? [excerpt(one)] : [])).join(' ');
}

const LONGEST_TYPED = 300;
const LONGEST_WHY = 400;
const PINNED = 'the policy of the machine names a trust document, so that operators sign this';
const UNKNOWN = 'the modreg of the machine does not know this command: upgrade its agent first';

/** The outcome of a command that the machine knows, or that has expired (D301); undefined for another. */
function withoutCarryingOut(
  command: KnownCommand,
  { round, answer, asked }: Taking,
): Omit<CommandOutcome, 'number'> | undefined {
  const { clock, state, reading } = round;
  const lost = lossOf(state().commands, command.number);
  if (lost !== undefined) return { result: 'lost', detail: lost };
  const ends = Date.parse(command.expires_at);
  const leftMs = ends - Date.parse(answer.now) - (clock.monotonic() - asked);
  const expired = `it expired at ${excerpt(command.expires_at)}`;
  // A time that cannot be read has passed.
  if (!(leftMs > 0)) return { result: 'expired', detail: expired };
  const now = certainTime(reading());
  if (now < ends) return undefined;
  const detail = `${expired}, and the clock of the machine says ${formatTime(now)}`;
  return { result: 'expired', detail };
}

interface Allowed {
  readonly signed: SignedRecord | undefined;
  /** Who signed it, for the log. */
  readonly by: string;
}

/** What the machine remembers of a command that may be carried out; the error is why it may not (D300, D393). */
async function allowedOf(
  command: KnownCommand,
  { state, isPinned, reading, trust }: CommandRound,
): Promise<Result<Allowed, string>> {
  const { machine, commands } = state();
  const record = commands?.signed;
  // A brake needs no signature.
  if (command.kind === 'hold' || !isPinned())
    return { ok: true, value: { signed: record, by: '' } };
  const found = await verified(command, { machine, record, reading, trust });
  if (found.ok) {
    const { record: signed, signers } = found.value;
    return { ok: true, value: { signed, by: `, signed by ${signers.join(' and ')}` } };
  }
  const here = `run modreg ${excerpt(typed(command), LONGEST_TYPED)} on the machine`;
  const again = command.signed ? 'give it again' : 'give it again with --key';
  const error = `${PINNED}: ${excerpt(found.error, LONGEST_WHY)}; ${again}, or ${here}`;
  return { ok: false, error };
}
