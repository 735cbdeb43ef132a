import { describeStage } from '../core/rollout/stage.ts';
import {
  compareVersions,
  formatConstraint,
  parseVersion,
  resolve,
  type Constraint,
  type Eligibility,
  type ReleaseIndex,
  type Version,
} from '../core/index.ts';
import { constraintsFor } from '../core/version/constraint.ts';

/** What a machine with the yanked version does, by constraint: `to` is the version that it then has. */
export interface YankEffect {
  readonly constraint: string;
  /** With each value of the policy field `on_yank`. */
  readonly to: { readonly keep: string; readonly replace: string };
  /** The release that machines in its rollout may have instead; undefined if there is none. */
  readonly inRollout: { readonly version: string; readonly stage: string } | undefined;
}

/** A machine that no step of a rollout includes. The time does not matter to it. */
const OUTSIDE: Eligibility = { now: 0, rollouts: {} };

/**
 * What machines do on which `version` is deployed and was yanked, for each floating constraint whose branch has it (D7,
 * D33). Machines without a minimum release age or quarantine, for which each release has a file, and which are in no rollout.
 */
export function yankEffects(index: ReleaseIndex, version: string): YankEffect[] {
  const yanked = parseVersion(version);
  if (!yanked.ok) return [];
  return constraintsOn(yanked.value).map((constraint) => effectOf(constraint, index, yanked.value));
}

/** The floating constraints whose branch has the version. A prerelease may be deployed under any of them. */
function constraintsOn(version: Version): Constraint[] {
  return constraintsFor(version).filter(({ kind }) => kind !== 'patch');
}

function effectOf(constraint: Constraint, index: ReleaseIndex, yanked: Version): YankEffect {
  const resolution = resolve(constraint, index, { ...OUTSIDE, deployed: yanked });
  const best = resolution.kind === 'resolved' ? resolution.release.version : yanked;
  const isNewer = compareVersions(best, yanked) > 0;
  const keep = isNewer ? best.text : yanked.text;
  const to = { keep, replace: best.text };
  return {
    constraint: formatConstraint(constraint),
    to,
    inRollout: inRollout(constraint, index, yanked),
  };
}

function inRollout(
  constraint: Constraint,
  index: ReleaseIndex,
  deployed: Version,
): YankEffect['inRollout'] {
  const resolution = resolve(constraint, index, { now: 0, deployed });
  if (resolution.kind !== 'resolved') return undefined;
  const { version, rollout } = resolution.release;
  if (!rollout || rollout.halted !== undefined || rollout.share >= 1) return undefined;
  return { version: version.text, stage: describeStage(rollout) };
}
