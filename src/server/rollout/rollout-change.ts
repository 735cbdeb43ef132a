import type { ModuleId } from '../../core/index.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { ROLLOUT_POLICY } from '../../core/rollout/rollout-policy.ts';
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

/** The event that a person asks for, at the time `at`. */
export async function eventFor(
  request: RolloutChange,
  named: NamedRollout,
  fleet: Pick<FleetFile, 'readInSlices'>,
  at: number,
): Promise<NewRolloutEvent> {
  const { after } = request;
  const { rollout } = named;
  const viewed = async (): Promise<RolloutView> =>
    await fleet.readInSlices((sql) => rolloutView(sql, named, at));
  switch (request.event) {
    case 'halt': {
      const { failed, silent } = (await viewed()).tally;
      return { kind: 'halted', after, at, because: request.reason, failures: { failed, silent } };
    }
    case 'resume':
      return { kind: 'resumed', after, at, acknowledged: request.acknowledged };
    case 'raise': {
      const stage = stageWanted(rollout, request.percent);
      const { shareAt } = await viewed();
      // The registry adds machines to a step (D52); a person takes one.
      const share = stage.percent === rollout.percent ? rollout.share : shareAt(stage.percent);
      return { kind: 'raised', after, at, ...stage, share };
    }
    case 'retract':
      return { kind: 'retracted', after, at, because: retractionReason(request.reason) };
  }
}

/** The stage that a person takes: the one with this percentage, or the next one. */
export function stageWanted(rollout: Rollout, percent: number | undefined): Stage {
  if (percent !== undefined) return stageAt(rollout, percent);
  return stageAfter(rollout, ROLLOUT_POLICY.steps) ?? stageAt(rollout, 100);
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
