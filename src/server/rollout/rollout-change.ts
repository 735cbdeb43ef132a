import type { ModuleId, Result } from '../../core/index.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { stageAfter, stageAt, type Stage } from '../../core/rollout/stage.ts';
import { retractionReason, type Rollout } from '../../core/rollout/rollout.ts';
import type {
  CatalogueRollouts,
  NamedRollout,
  RolloutRefusal,
} from '../catalogue/catalogue-rollouts.ts';
import type { PublishedRelease } from '../catalogue/published-release.ts';
import type { NewRolloutEvent } from '../catalogue/rollout-event.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import type { RolloutRequest } from './rollout-request.ts';
import { rolloutView, type RolloutView } from './rollout-view.ts';

/** A change of a rollout that exists. */
export type RolloutChange = Exclude<RolloutRequest, { event: 'start' }>;

/** The event that a person asks for, at the time `at`, or why it must not be written, for a person. */
export async function eventFor(
  request: RolloutChange,
  named: NamedRollout,
  fleet: Pick<FleetFile, 'readInSlices'>,
  at: number,
): Promise<Result<NewRolloutEvent, string>> {
  const { rollout } = named;
  const known = { after: request.after, at };
  const viewed = async (): Promise<RolloutView> =>
    await fleet.readInSlices((sql) => rolloutView(sql, named, at));
  switch (request.event) {
    case 'halt': {
      const { failed, silent } = (await viewed()).tally;
      return ok({
        kind: 'halted',
        ...known,
        because: request.reason,
        failures: { failed, silent },
      });
    }
    case 'resume':
      return ok({ kind: 'resumed', ...known, acknowledged: request.acknowledged });
    case 'raise': {
      const { shareAt, steps, tally } = await viewed();
      const unseen = unseenFailures(tally, rollout, request);
      if (unseen !== undefined)
        return { ok: false, error: `${named.moduleId} ${named.version}: ${unseen}` };
      const stage = stageWanted(rollout, steps, request.percent);
      // The registry adds machines to a step (D52); a person takes one.
      const share = stage.percent === rollout.percent ? rollout.share : shareAt(stage.percent);
      return ok({ kind: 'raised', ...known, ...stage, share });
    }
    case 'retract':
      return ok({ kind: 'retracted', ...known, because: retractionReason(request.reason) });
  }
}

function ok(event: NewRolloutEvent): Result<NewRolloutEvent, never> {
  return { ok: true, value: event };
}

/** A person raises a rollout over failures only who has seen all that were not acknowledged before (D158). */
function unseenFailures(
  { failed, silent }: RolloutView['tally'],
  { status, sequence, acknowledged }: Rollout,
  { after, acknowledged: seen = acknowledged }: Extract<RolloutChange, { event: 'raise' }>,
): string | undefined {
  // Otherwise the event is refused: what has changed is read again, and what is halted is resumed first.
  if (after !== sequence || status !== 'running') return undefined;
  if (seen.failed >= failed && seen.silent >= silent) return undefined;
  return `${failed + silent} of its machines failed or became silent: look at them, then raise it with --failures ${failed + silent}`;
}

/** The stage that a person takes: the one with this percentage, or the next one of those that are left. */
export function stageWanted(
  rollout: Rollout,
  steps: RolloutView['steps'],
  percent: number | undefined,
): Stage {
  if (percent !== undefined) return stageAt(rollout, percent);
  return stageAfter(rollout, steps) ?? stageAt(rollout, 100);
}

const CONFLICTS: Readonly<
  Record<Exclude<RolloutRefusal, 'unknown-module' | 'unknown-version' | 'already-started'>, string>
> = {
  stale: 'the rollout has changed since it was read: read it again',
  'not-started': 'it is not in a rollout',
  'not-running': 'the rollout is halted: resume it first',
  'not-halted': 'the rollout is not halted',
  ended: 'the rollout has ended',
  'not-a-share': 'the share is not from 0 to 1',
  'share-falls': 'the step is lower than the last one, and a share never falls',
  'not-a-group': 'the rollout does not have so many groups',
  'share-below-1': 'the rollout does not include all machines yet',
  'not-acknowledged': 'fewer failures are acknowledged than those for which it was halted',
  visible:
    'machines could already select it: a rollout begins with the publication, or with a yanked release',
  'same-step': 'the rollout is at this step already',
  yanked: 'the release is yanked: unyank it first; its rollout stays halted until it is resumed',
};

/** Why a release is not published again with another soak, or with other groups first, for a person. */
export function describeOtherSoak(
  { of }: CatalogueRollouts,
  moduleId: ModuleId,
  { version, rollout }: Pick<PublishedRelease, 'version' | 'rollout'>,
): string {
  const found = of(moduleId, version);
  const stored = found.ok ? found.value : undefined;
  const first = stored?.rollout.first ?? [];
  if (stored?.soakMs === rollout?.soakMs) {
    return `${moduleId} ${version} already has a rollout with ${firstWords(first)}, not with ${firstWords(rollout?.first)}, which does not change`;
  }
  const known = stored ? ` of ${describeDuration(stored.soakMs)}` : '';
  const wanted = rollout ? `, not of ${describeDuration(rollout.soakMs)}` : '';
  return `${moduleId} ${version} already has a rollout with a soak${known}${wanted}, which does not change`;
}

function firstWords(groups: readonly string[] = []): string {
  return groups.length === 0 ? 'no group first' : `${groups.join(', ')} first`;
}

/** Why an event is not written, for a person. The rollout is the one that the release has or had, if it is known. */
export function describeRefusal(
  { moduleId, version }: { readonly moduleId: ModuleId; readonly version: string },
  refusal: RolloutRefusal,
  rollout?: Pick<Rollout, 'status'>,
): string {
  if (refusal === 'unknown-module') return `nothing was ever published for ${moduleId}`;
  if (refusal === 'unknown-version') return `${moduleId} has no version ${version}`;
  if (refusal === 'already-started') {
    const state = rollout ? `, which is ${rollout.status}` : '';
    return `${moduleId} ${version}: it has a rollout already${state}; a release has only one: publish another version`;
  }
  return `${moduleId} ${version}: ${CONFLICTS[refusal]}`;
}
