import type { CommandOutcome } from '../../registry/command-documents.ts';
import type { SignedRecord } from './signed-record.ts';

/** What a machine has of the commands of its site. */
export interface TakenCommands {
  /** The highest number that it has taken; 0 for none. No command is carried out at or below it (D297). */
  readonly taken: number;
  /** What became of commands, until the site has it. */
  readonly outcomes: readonly CommandOutcome[];
  /** Undefined while the policy of the machine names no trust document. */
  readonly signed?: SignedRecord | undefined;
}

/** As many as one answer may have. */
const MOST_OUTCOMES = 100;

const INTERRUPTED =
  'the agent ended while it carried this out: modreg status on the machine says whether it did';
const NO_STATE =
  'the machine has no record of earlier commands, and may have carried this out: give it again';
const TAKEN_BEFORE =
  'the machine has taken this number before, and no longer knows what became of it: give it again';

type Known = TakenCommands | undefined;

const NONE: TakenCommands = { taken: 0, outcomes: [] };

/** After the first answer: what is given from now on was never taken before (T705). */
export function firstTaken(waiting: readonly number[]): TakenCommands {
  const outcomes = waiting.map((number) => ({ number, result: 'lost', detail: NO_STATE }) as const);
  return { taken: Math.max(0, ...waiting), outcomes: outcomes.slice(-MOST_OUTCOMES) };
}

/** With what became of a command, which counts as taken. */
export function withOutcome(known: Known, outcome: CommandOutcome): TakenCommands {
  const { taken, outcomes, ...rest } = known ?? NONE;
  const others = outcomes.filter(({ number }) => number !== outcome.number);
  return {
    ...rest,
    taken: Math.max(taken, outcome.number),
    outcomes: [...others, outcome].slice(-MOST_OUTCOMES),
  };
}

/** Before a command is carried out: if the process ends before its outcome is kept, it is lost (T704). */
export function taking(known: Known, number: number): TakenCommands {
  return withOutcome(known, { number, result: 'lost', detail: INTERRUPTED });
}

/** After the site has these outcomes. */
export function told(known: TakenCommands, has: readonly CommandOutcome[]): TakenCommands {
  return { ...known, outcomes: known.outcomes.filter((one) => !has.includes(one)) };
}

/** Why a command must not be carried out, because the machine does not know whether it was (T705). */
export function lossOf(known: Known, number: number): string | undefined {
  return known && number > known.taken ? undefined : TAKEN_BEFORE;
}
