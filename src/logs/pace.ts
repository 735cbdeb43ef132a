import type { Answer } from './collector.ts';

/** How much is sent, and how often it has failed. */
export interface Pace {
  /** The most records of the next batch. */
  readonly size: number;
  /** The largest batch that the collector takes. */
  readonly largest: number;
  /** How often a request has failed since the last success. */
  readonly failures: number;
  /** How often the record that is sent alone was refused. */
  readonly refusals: number;
}

/** What follows from an answer. */
export interface Step {
  readonly pace: Pace;
  /** Whether the batch was sent, is set aside, or is sent again, in parts if it was refused. */
  readonly batch: 'sent' | 'set-aside' | 'kept';
  /** How long nothing is sent. */
  readonly waitMs: number;
}

const MOST_RECORDS = 512;
const MOST_REFUSALS = 3;
const SHORTEST_MS = 30_000;
const LONGEST_MS = 600_000;

export const START: Pace = { size: MOST_RECORDS, largest: MOST_RECORDS, failures: 0, refusals: 0 };

/** The step after `answer` to a batch of `count` records. `random` is from 0 to 1. */
export function stepAfter(pace: Pace, answer: Answer, count: number, random: number): Step {
  switch (answer.kind) {
    case 'accepted': {
      const size = Math.min(pace.largest, pace.size * 2);
      return { pace: { ...pace, size, failures: 0, refusals: 0 }, batch: 'sent', waitMs: 0 };
    }
    case 'unavailable': {
      const failures = pace.failures + 1;
      const waitMs = answer.retryMs ?? backOff(failures, random);
      return { pace: { ...pace, failures }, batch: 'kept', waitMs };
    }
    case 'closed': {
      const failures = pace.failures + 1;
      return { pace: { ...pace, failures }, batch: 'kept', waitMs: jittered(LONGEST_MS, random) };
    }
    case 'too-large':
    case 'refused':
      if (count === 1) return refusedAlone(pace, random);
      return { pace: halved(pace, answer.kind, count), batch: 'kept', waitMs: 0 };
  }
}

/** Half of a refused batch may be accepted. A limit on the size holds for the batches after it, too. */
function halved(pace: Pace, kind: 'too-large' | 'refused', count: number): Pace {
  const size = Math.floor(count / 2);
  return kind === 'refused' ? { ...pace, size } : { ...pace, size, largest: size };
}

/**
 * A record that is refused alone is tried three times and set aside. Only a success ends the back-off, so a collector that refuses
 * everything costs a record in twenty minutes.
 */
function refusedAlone(pace: Pace, random: number): Step {
  const refusals = pace.refusals + 1;
  if (refusals >= MOST_REFUSALS) {
    const next = { ...pace, largest: MOST_RECORDS, refusals: 0 };
    return { pace: next, batch: 'set-aside', waitMs: 0 };
  }
  const failures = pace.failures + 1;
  const waitMs = backOff(failures, random);
  return { pace: { ...pace, failures, refusals }, batch: 'kept', waitMs };
}

/** From 30 s after the first failure to 10 min. */
function backOff(failures: number, random: number): number {
  return jittered(Math.min(LONGEST_MS, SHORTEST_MS * 2 ** failures), random);
}

/** Between half of `ms` and all of it, so that machines do not return at once. */
function jittered(ms: number, random: number): number {
  return Math.round((ms / 2) * (1 + random));
}
