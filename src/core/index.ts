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
export type { Eligibility, MinimumAge, Quarantined, RolledBack } from './eligibility/policy.ts';
export type { Refusal, Refused } from './refusal.ts';
export { resolve, type Question, type Resolution } from './resolve.ts';
export { explain } from './explanation/table.ts';
export { readDeployed, type Deployed } from './deployed.ts';
export { decide } from './decision/decide.ts';
export type {
  Decision,
  ListError,
  ModuleList,
  ModuleQuestion,
  Replacement,
  StaleList,
  Stuck,
  Wanted,
} from './decision/decision.ts';
export { nextChange, type ChangeCause, type NextChange } from './decision/next-change.ts';
export { warningsOf, type Warning } from './decision/warning.ts';
export type { Hold, MaintenanceAnswer, Timing, Window } from './timing/timing-policy.ts';
export { readMaintenanceAnswer } from './timing/maintenance-answer.ts';
export type { Direction } from './timing/timing.ts';
export type { Action, ActionTarget } from './plan/action.ts';
export { startUpOf, type StartUp } from './plan/fast-start.ts';
export {
  NOT_ASKED,
  planMachine,
  type Known,
  type MachineQuestion,
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
