import { artifactsFor } from '../release.ts';
import type { Policy } from './policy.ts';

/** A release that lists its artifacts must have one for the platform that is asked for. (D9) */
export const noArtifact: Policy = ({ eligibility: { platform } }, release) => {
  if (platform === undefined || release.artifacts === undefined) return undefined;
  if (artifactsFor(release, platform)?.length !== 0) return undefined;
  const published = [...new Set(release.artifacts.map((artifact) => artifact.platform))];
  return { reason: 'no-artifact', platform, published };
};
