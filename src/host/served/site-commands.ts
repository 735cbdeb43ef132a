import { certainTime } from '../../core/releases/certain-time.ts';
import type { ClockReading } from '../../core/decision/operator-hold.ts';
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

/** How a machine carries out the commands of its site. */
export interface CommandedMachine {
  readonly client: Pick<CommandClient, 'waiting' | 'answer'>;
  /** What the registry has to sign its answer for; undefined if it need not. Rejects with a RegistryError. */
  readonly proof: () => Promise<Proof | undefined>;
  /** Whether its policy names a trust document, in general or for a module. */
  readonly isPinned: () => boolean;
  readonly reading: () => ClockReading;
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
 * Takes the commands that wait, carries each out once, and tells the site what became of them (D295 to D301). Calls `onNews` if there are
 * some: they have ended the wait for changes.
 */
export async function commandRound(round: CommandRound, signal: AbortSignal): Promise<void> {
  const { client, proof, clock, state, onNews } = round;
  const asked = clock.monotonic();
  const answer = await client.waiting(state().machine, await proof(), signal);
  if (!answer) return;
  if (answer.commands.length > 0) onNews();
  if (!state().commands && !keptFirst(answer, round)) return;
  for (const command of answer.commands) {
    if (signal.aborted || !(await take(command, { round, answer, asked }))) return;
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
  // What is not on the disk could be carried out again.
  if (!keep(round, taking(state().commands, number))) return false;
  onNotice('info', `command ${number} of the site is carried out: ${wordsOf(command)}`);
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
const UNKNOWN = 'the modreg of the machine does not know this command: upgrade its agent first';

/** The outcome of a command that is not carried out (D300, D301); undefined for one that is. */
function withoutCarryingOut(
  command: KnownCommand,
  { round, answer, asked }: Taking,
): Omit<CommandOutcome, 'number'> | undefined {
  const { clock, state, isPinned, reading } = round;
  const lost = lossOf(state().commands, command.number);
  if (lost !== undefined) return { result: 'lost', detail: lost };
  const ends = Date.parse(command.expires_at);
  const leftMs = ends - Date.parse(answer.now) - (clock.monotonic() - asked);
  const expired = `it expired at ${excerpt(command.expires_at)}`;
  // A time that cannot be read has passed.
  if (!(leftMs > 0)) return { result: 'expired', detail: expired };
  const now = certainTime(reading());
  if (now >= ends) {
    const detail = `${expired}, and the clock of the machine says ${formatTime(now)}`;
    return { result: 'expired', detail };
  }
  if (command.kind === 'hold' || !isPinned()) return undefined;
  const detail = `the policy of the machine names a trust document, so that its site can only hold: run modreg ${excerpt(typed(command), LONGEST_TYPED)} on the machine`;
  return { result: 'refused', detail };
}
