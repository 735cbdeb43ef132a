import type { ReleaseRecord } from '../core/index.ts';
import type { ReleaseRollout } from '../core/releases/release.ts';
import { isArtifact } from './action-shape.ts';
import { isNumber, isText, listOf, mapOf, objectOf, oneOf, optional, type Shape } from './shape.ts';

/** Whether a stored value is an entry of a release list. */
export const isReleaseRecord: Shape = objectOf<keyof ReleaseRecord>({
  version: isText,
  tag: optional(isText),
  publishedAt: optional(isNumber),
  artifacts: optional(listOf(isArtifact)),
  unreadable: optional(isText),
  prerelease: optional(oneOf(true)),
  distTags: optional(listOf(isText)),
  yanked: optional(isText),
  deprecated: optional(isText),
  requires: optional(mapOf(listOf(isText))),
  floor: optional(oneOf(true)),
  hasNotes: optional(oneOf(true)),
  signatures: optional(mapOf(isText)),
  yankSignatures: optional(mapOf(isText)),
  rollout: optional(
    objectOf<keyof ReleaseRollout>({
      salt: isText,
      percent: isNumber,
      share: isNumber,
      groups: optional(listOf(isText)),
      halted: optional(isText),
    }),
  ),
});
