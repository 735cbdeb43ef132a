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
      /** The groups that get it first, each for its soak; absent if there are none (D107). */
      readonly first?: readonly string[] | undefined;
    }
  | {
      readonly kind: 'raised';
      readonly percent: number;
      readonly share: number;
      /** How many of the groups that are first are included; absent if there are none. */
      readonly groups?: number | undefined;
    }
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
  /** The groups that get it first, in their order (D107). */
  readonly first: readonly string[];
  /** Those of them that are included: all once there is a percentage. */
  readonly groups: readonly string[];
  /** Its steps so far, in their order: when each began, and what it includes. */
  readonly steps: readonly (Pick<Rollout, 'share' | 'groups'> & { readonly at: number })[];
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

/** Whether a rollout has not ended. */
export function isOpen({ status }: { readonly status: Rollout['status'] }): boolean {
  return status === 'running' || status === 'halted';
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
  | 'not-a-group'
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

function startedBy({ sequence, at, salt, percent, share, first = [] }: Start): Rollout {
  const groups = percent > 0 ? first : first.slice(0, 1);
  const included = { salt, percent, share, first, groups };
  const times = { startedAt: at, soakingSince: at, sequence, steps: [{ at, share, groups }] };
  const failures = { seen: NO_FAILURES, acknowledged: NO_FAILURES };
  return { status: 'running', because: undefined, ...included, ...times, ...failures };
}

function changeBy({ steps, first }: Rollout, event: Change): Partial<Rollout> {
  switch (event.kind) {
    case 'raised': {
      const { percent, share, at } = event;
      const groups = first.slice(0, includedBy(event));
      const step = { share, groups };
      return { percent, ...step, soakingSince: at, steps: [...steps, { at, ...step }] };
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
      return badShare(event) ?? badGroups(event, rollout) ?? fallen(event, rollout);
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

type Raise = Extract<RolloutEvent, { readonly kind: 'raised' }>;

/** How many groups a step includes: with a percentage all of them, so that none comes after it (D107). */
function includedBy({ percent, groups = 0 }: Raise): number | undefined {
  return percent > 0 ? undefined : groups;
}

function fallen(event: Raise, { percent, share, groups }: Rollout): 'share-falls' | undefined {
  const isLower = event.share < share || event.percent < percent;
  const included = includedBy(event) ?? groups.length;
  return isLower || included < groups.length ? 'share-falls' : undefined;
}

function badGroups({ groups = 0 }: Raise, { first }: Rollout): 'not-a-group' | undefined {
  return groups > first.length ? 'not-a-group' : undefined;
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
  groups,
  because,
}: Rollout):
  | {
      readonly salt: string;
      readonly percent: number;
      readonly share: number;
      readonly groups: readonly string[] | undefined;
      readonly halted: string | undefined;
    }
  | undefined {
  if (status === 'completed') return undefined;
  // Readers that do not know groups see the share alone, which is 0 until the percentages begin (D107).
  const shown = groups.length === 0 ? undefined : groups;
  return { salt, percent, share, groups: shown, halted: because };
}
