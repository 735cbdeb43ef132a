import { artifactFor, type Release } from '../release.ts';
import type { Platform } from '../platform.ts';
import type { Policy } from './policy.ts';

/** A version in quarantine is refused until its terms end, pins included. (D13) */
export const quarantined: Policy = ({ eligibility }, release) => {
  const { quarantine = [], now, platform } = eligibility;
  const term = quarantine.find(
    ({ version, digest, until = Infinity }) =>
      version === release.version.text && now < until && hasDigest(release, platform, digest),
  );
  return term && { reason: 'quarantined', until: term.until };
};

/** Whether the release may still be what failed: a digest that is not known now proves nothing. */
function hasDigest(
  release: Release,
  platform: Platform | undefined,
  failed: string | undefined,
): boolean {
  const artifacts = platform === undefined ? release.artifacts : [artifactFor(release, platform)];
  const digests = (artifacts ?? []).map((artifact) => artifact?.digest);
  if (failed === undefined || digests.length === 0) return true;
  return digests.some((digest) => digest === undefined || digest === failed);
}
