export type { Result } from './text/result.ts';
export { secret, type Secret } from './text/secret.ts';
export type { ParseError } from './text/parse-error.ts';
export { isPrerelease, parseVersion, type Version, type VersionError } from './version/version.ts';
export { compareVersions } from './version/version-order.ts';
export {
  formatConstraint,
  parseConstraint,
  type Constraint,
  type ConstraintError,
  type Mismatch,
} from './version/constraint.ts';
export { parseModuleId, type ModuleId, type ModuleIdError } from './releases/module-id.ts';
export {
  parsePlatform,
  PLATFORMS,
  type Platform,
  type PlatformError,
} from './releases/platform.ts';
export type { Artifact, DigestChange, Release, ReleaseRecord } from './releases/release.ts';
export { indexReleases, type ReleaseIndex } from './releases/release-index.ts';
export type {
  Eligibility,
  MinimumAge,
  Quarantined,
  RolledBack,
} from './releases/eligibility-policy.ts';
export type { Refusal, Refused } from './releases/refusal.ts';
export { resolve, type ResolveInput, type Resolution } from './releases/resolve.ts';
export { explain } from './explanation/table.ts';
export { readDeployed, type Deployed } from './decision/deployed.ts';
export { decide } from './decision/decide.ts';
export type {
  Decision,
  ListError,
  ModuleList,
  DecideInput,
  Replacement,
  StaleList,
  Stuck,
  Requirement,
} from './decision/decision.ts';
export { nextChange, type ChangeCause, type NextChange } from './decision/next-change.ts';
export { decisionWarnings, type Warning } from './decision/warning.ts';
export type { Hold, MaintenanceAnswer, Timing, Window } from './decision/timing-policies.ts';
export { readMaintenanceAnswer } from './decision/timing-policies.ts';
export type { Direction } from './decision/timing.ts';
export type { Action, ActionTarget } from './plan/action.ts';
export { startUpOf, type StartUp } from './machine/start-up.ts';
export {
  NOT_ASKED,
  planMachine,
  type ModuleState,
  type PlanInput,
  type ModulePlan,
  type Plan,
  type PlanRow,
  type SubsystemPlan,
} from './plan/plan.ts';
export type { Restart } from './plan/restarts.ts';
export type { Stop } from './plan/stops.ts';
export {
  RESTARTED_BY_UPDATE,
  SUBSYSTEM_MODULES,
  subsystemTargets,
  type SubsystemName,
  type SubsystemTarget,
  type VersionedSubsystem,
} from './plan/subsystem.ts';
export { describeDecision } from './explanation/decision-words.ts';
export { describeChange, describeWarning } from './explanation/plan-words.ts';
