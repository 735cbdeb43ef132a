import type { Result } from '../text/result.ts';

/** How many machines of a rollout have failed, and how many became silent. */
export interface FailureCount {
  readonly failed: number;
  readonly silent: number;
}

/** A change of the rollout of one release. */
export type RolloutEvent = {
  /** The place of the event in its log: higher than those of all events before it. */
  readonly sequence: number;
  /** The place of the last event of this rollout that its writer knew; 0 if there was none. */
  readonly after: number;
  /** In milliseconds since the epoch. */
  readonly at: number;
} & (
  | {
      readonly kind: 'started';
      /** Text of this rollout alone, from which the cohorts follow. */
      readonly salt: string;
      readonly percent: number;
      readonly share: number;
    }
  | { readonly kind: 'raised'; readonly percent: number; readonly share: number }
  | { readonly kind: 'halted'; readonly because: string; readonly failures: FailureCount }
  | {
      readonly kind: 'resumed';
      /** The failures that the person who resumes it has seen. They do not count again. */
      readonly acknowledged: FailureCount;
    }
  | { readonly kind: 'completed' }
  | { readonly kind: 'retracted'; readonly because: string }
);

/** The state of a rollout, after all its events. Times are milliseconds since the epoch. */
export interface Rollout {
  readonly status: 'running' | 'halted' | 'completed' | 'retracted';
  /** The place of the last event. */
  readonly sequence: number;
  readonly salt: string;
  /** Of the last step. */
  readonly percent: number;
  /** The machines whose cohort is below it are included. It never falls. */
  readonly share: number;
  /** Its steps so far, in their order: when each began, and its share. */
  readonly steps: readonly { readonly at: number; readonly share: number }[];
  readonly startedAt: number;
  /** When the step began, or the rollout was resumed. */
  readonly soakingSince: number;
  /** Why it was halted or retracted; undefined if it was not. */
  readonly because: string | undefined;
  /** The failures for which it was halted. None if it was never halted. */
  readonly seen: FailureCount;
  /** The failures that do not count again. */
  readonly acknowledged: FailureCount;
}

/**
 * Why an event does not change a rollout. `stale`: its writer did not know the last event. `not-acknowledged`: fewer failures than
 * those for which the rollout was halted.
 */
export type RolloutConflict =
  | 'stale'
  | 'not-started'
  | 'already-started'
  | 'not-running'
  | 'not-halted'
  | 'ended'
  | 'not-a-share'
  | 'share-falls'
  | 'share-below-1'
  | 'not-acknowledged';

const NO_FAILURES: FailureCount = { failed: 0, silent: 0 };

/** The rollout after one more event, or why the event must not be written. A rollout without events is undefined. */
export function applyEvent(
  rollout: Rollout | undefined,
  event: RolloutEvent,
): Result<Rollout, RolloutConflict> {
  // Who starts a rollout knows no event of it, and reading it again would not help.
  if (rollout && event.kind === 'started') return { ok: false, error: 'already-started' };
  // Each event follows the one that its writer knew, so of two writers one is refused, and a step is taken once (D54).
  const isNext = event.after === (rollout?.sequence ?? 0) && event.sequence > event.after;
  if (!isNext) return { ok: false, error: 'stale' };
  if (event.kind === 'started') {
    const conflict = badShare(event);
    return conflict ? { ok: false, error: conflict } : { ok: true, value: startedBy(event) };
  }
  if (!rollout) return { ok: false, error: 'not-started' };
  const conflict = conflictWith(rollout, event);
  if (conflict) return { ok: false, error: conflict };
  return { ok: true, value: { ...rollout, ...changeBy(rollout, event), sequence: event.sequence } };
}

type Start = Extract<RolloutEvent, { readonly kind: 'started' }>;
type Change = Exclude<RolloutEvent, Start>;

function startedBy({ sequence, at, salt, percent, share }: Start): Rollout {
  const times = { startedAt: at, soakingSince: at, sequence, steps: [{ at, share }] };
  const failures = { seen: NO_FAILURES, acknowledged: NO_FAILURES };
  return { status: 'running', salt, percent, share, because: undefined, ...times, ...failures };
}

function changeBy({ steps }: Rollout, event: Change): Partial<Rollout> {
  switch (event.kind) {
    case 'raised': {
      const { percent, share, at } = event;
      return { percent, share, soakingSince: at, steps: [...steps, { at, share }] };
    }
    case 'halted':
      return { status: 'halted', because: event.because, seen: event.failures };
    case 'resumed': {
      const { acknowledged, at } = event;
      return { status: 'running', because: undefined, acknowledged, soakingSince: at };
    }
    case 'completed':
      return { status: 'completed' };
    case 'retracted':
      return { status: 'retracted', because: event.because };
  }
}

function conflictWith(rollout: Rollout, event: Change): RolloutConflict | undefined {
  const { status, share, seen } = rollout;
  if (status === 'completed' || status === 'retracted') return 'ended';
  switch (event.kind) {
    case 'raised':
      if (status !== 'running') return 'not-running';
      // A share never falls: a machine that is included stays included (D54).
      return badShare(event) ?? (isLower(event, rollout) ? 'share-falls' : undefined);
    case 'halted':
      return status === 'running' ? undefined : 'not-running';
    case 'resumed':
      if (status !== 'halted') return 'not-halted';
      return hasSeen(event.acknowledged, seen) ? undefined : 'not-acknowledged';
    case 'completed':
      if (status !== 'running') return 'not-running';
      return share < 1 ? 'share-below-1' : undefined;
    case 'retracted':
      return undefined;
  }
}

function isLower(raised: Pick<Rollout, 'percent' | 'share'>, { percent, share }: Rollout): boolean {
  return raised.share < share || raised.percent < percent;
}

function badShare({ share }: { readonly share: number }): 'not-a-share' | undefined {
  return share >= 0 && share <= 1 ? undefined : 'not-a-share';
}

function hasSeen(acknowledged: FailureCount, seen: FailureCount): boolean {
  return acknowledged.failed >= seen.failed && acknowledged.silent >= seen.silent;
}

/** The reason in the event of a retraction. Release lists have only the reason, by which people tell it from a halt. */
export function retractionReason(reason: string): string {
  return reason === '' ? 'retracted' : `retracted: ${reason}`;
}

/** Why a rollout was halted or retracted, as the person who did it wrote it; undefined if it was not. */
export function reasonOf({
  status,
  because,
}: Pick<Rollout, 'status' | 'because'>): string | undefined {
  return status === 'retracted' ? because?.replace(/^retracted(?:: |$)/, '') : because;
}

/** A rollout as release lists show it; undefined once it is completed: then the release is there for every machine. */
export function listedRollout({
  status,
  salt,
  percent,
  share,
  because,
}: Rollout):
  | {
      readonly salt: string;
      readonly percent: number;
      readonly share: number;
      readonly halted: string | undefined;
    }
  | undefined {
  if (status === 'completed') return undefined;
  return { salt, percent, share, halted: because };
}
