export type { Result } from './result.ts';
export type { GrammarError } from './grammar-error.ts';
export { isPrerelease, parseVersion, type Version, type VersionError } from './version.ts';
export { compareVersions } from './version-order.ts';
export {
  formatConstraint,
  parseConstraint,
  type Constraint,
  type ConstraintError,
  type Mismatch,
} from './constraint.ts';
export { parseModuleId, type ModuleId, type ModuleIdError } from './module-id.ts';
export { parsePlatform, PLATFORMS, type Platform, type PlatformError } from './platform.ts';
export type { Artifact, DigestChange, Release, ReleaseRecord } from './release.ts';
export { indexReleases, type ReleaseIndex } from './release-index.ts';
export type { Eligibility, MinimumAge, Quarantined } from './eligibility/policy.ts';
export type { Refusal, Refused } from './refusal.ts';
export { resolve, type Question, type Resolution } from './resolve.ts';
export { explain } from './explanation/table.ts';
