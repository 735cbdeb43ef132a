import { reasonOf } from '../../core/rollout/rollout.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { FoundRollouts, NamedRollout } from '../catalogue/catalogue-rollouts.ts';
import type { RolloutDocument, RolloutsDocument, RolloutSummary } from './rollout-schemas.ts';
import type { RolloutView } from './rollout-view.ts';

/** A rollout of a list, with its machines if it has not ended. */
export type ListedRollout = NamedRollout | RolloutView;

/** All rollouts, as JSON. Of those that are damaged only the names, because what was found is about the file. */
export function rolloutsDocument({
  rollouts,
  damaged,
}: Pick<FoundRollouts, 'damaged'> & {
  readonly rollouts: readonly ListedRollout[];
}): RolloutsDocument {
  return {
    rollouts: rollouts.map((one) => ({
      ...summaryOf(one),
      ...('next' in one && { machines: machinesOf(one), next: nextAsJson(one) }),
    })),
    damaged: damaged.map(({ moduleId, version }) => ({ module_id: moduleId, version })),
  };
}

/** A rollout in a list, as JSON. */
function summaryOf({ moduleId, version, rollout, soakMs, yanked }: NamedRollout): RolloutSummary {
  const { status, sequence, percent, share, first, groups, startedAt } = rollout;
  return {
    module_id: moduleId,
    version,
    status,
    sequence,
    percent,
    share,
    ...(first.length > 0 && { first: [...first], groups: [...groups] }),
    because: reasonOf(rollout) ?? null,
    yanked: yanked ?? null,
    soak_ms: soakMs,
    started_at: formatTime(startedAt),
  };
}

/** A rollout with what is known of its machines, as JSON. */
export function rolloutDocument(
  view: RolloutView,
  failures: readonly { readonly machine: string; readonly reason: string | null }[],
): RolloutDocument {
  const { seen, acknowledged } = view.rollout;
  return {
    ...summaryOf(view),
    soaked_ms: Math.round(view.soakedMs),
    included: view.included,
    machines: machinesOf(view),
    steps: [...view.steps],
    seen,
    acknowledged,
    failures: failures.map(({ machine, reason }) => {
      return { machine, reason, counted: view.failed.has(machine) };
    }),
    next: nextAsJson(view),
  };
}

function machinesOf({
  tally: { control: _control, newest: _newest, ...machines },
  retrying,
}: RolloutView): RolloutDocument['machines'] {
  return { ...machines, retrying };
}

function nextAsJson({ next, rollout, soakedMs, soakMs }: RolloutView): RolloutDocument['next'] {
  const step = next.kind;
  switch (next.kind) {
    case 'wait': {
      const { because } = next;
      if (because.reason !== 'soaking') return { step, ...because };
      return { step, reason: because.reason, left_ms: Math.round(soakMs - soakedMs) };
    }
    case 'raise': {
      const group = next.percent === 0 ? rollout.first[(next.groups ?? 0) - 1] : undefined;
      return {
        step,
        percent: next.percent,
        ...(group !== undefined && { group }),
        ...next.because,
      };
    }
    case 'halt':
      return { step, reason: next.because.reason };
    case 'complete':
      return { step, percent: rollout.percent, ...next.because };
  }
}
