import type { ModuleId } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import { describeLaterPlatforms } from '../server/catalogue/later-platforms.ts';
import type { Catalogue, PublishedRelease, PublishResult } from '../server/index.ts';
import { describeOtherSoak } from '../server/rollout/rollout-change.ts';
import { NEVER_CHANGES } from './remote-registry.ts';

/** Why nothing was published; undefined if everything was. */
export function refusedIn(
  catalogue: Catalogue,
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  results: readonly PublishResult[],
): Problem | undefined {
  const late = releases[results.indexOf('without-rollout')];
  if (late) {
    const message = `${moduleId} ${late.version} is already published without a rollout, and machines may have it; nothing was changed`;
    const hint = 'yank it, and start its rollout with modreg rollout start';
    return { severity: 'error', kind: 'rollout-conflict', message, hint };
  }
  const unsigned = releases[results.indexOf('unsigned')];
  if (unsigned) {
    const fault = catalogue.trust.fault(moduleId, unsigned) ?? 'run the command again';
    return { severity: 'error', kind: 'bad-value', message: `${fault}; nothing was changed` };
  }
  const other = releases[results.indexOf('other-soak')];
  if (other) {
    const message = `${describeOtherSoak(catalogue.rollouts, moduleId, other)}; nothing was changed`;
    return { severity: 'error', kind: 'rollout-conflict', message };
  }
  const conflict = releases[results.indexOf('other-content')];
  if (conflict) {
    const message = describeConflict(catalogue, moduleId, conflict);
    const hint = NEVER_CHANGES;
    return { severity: 'error', kind: 'already-published', message, hint };
  }
  const lacking = releases[results.indexOf('missing-file')];
  if (lacking) {
    const message = `${moduleId} ${lacking.version} has an artifact whose file this registry does not host; nothing was changed`;
    const hint = 'publish the release with --upload and the file';
    return { severity: 'error', kind: 'bad-value', message, hint };
  }
  return undefined;
}

function describeConflict(
  catalogue: Catalogue,
  moduleId: ModuleId,
  release: PublishedRelease,
): string {
  const found =
    describeLaterPlatforms(catalogue, moduleId, release) ??
    `${moduleId} ${release.version} is already published with different content`;
  return `${found}; nothing was changed`;
}
