export type { Result } from './text/result.ts';
export { secret, type Secret } from './text/secret.ts';
export type { ParseError } from './text/parse-error.ts';
export { parseVersion, type Version } from './version/version.ts';
export { compareVersions } from './version/version-order.ts';
export { formatConstraint, parseConstraint, type Constraint } from './version/constraint.ts';
export { parseModuleId, type ModuleId } from './releases/module-id.ts';
export { parsePlatform, type Platform } from './releases/platform.ts';
export type { Artifact, DigestChange, Release, ReleaseRecord } from './releases/release.ts';
export { pick } from './releases/pick.ts';
export { indexReleases, type ReleaseIndex } from './releases/release-index.ts';
export type { ReleaseRecords } from './releases/release-records.ts';
export type { Eligibility, Quarantined } from './releases/eligibility-policy.ts';
export type { Refusal, Refused, RefusedPin } from './releases/refusal.ts';
export { resolve, type Resolution } from './releases/resolve.ts';
export { explain } from './explanation/table.ts';
export { readDeployed, type Deployed } from './decision/deployed.ts';
export { decide } from './decision/decide.ts';
export type {
  DecideInput,
  Decision,
  Failure,
  Replacement,
  Requirement,
} from './decision/decision.ts';
export type { ModuleList } from './decision/module-list.ts';
export type { NextChange } from './decision/next-change.ts';
export type { Warning } from './decision/warning.ts';
export type { Hold, Timing, Window } from './decision/timing-policies.ts';
export type { Action, ActionTarget } from './plan/action.ts';
export {
  planMachine,
  type ModuleState,
  type Plan,
  type PlanInput,
  type PlanRow,
} from './plan/plan.ts';
export type { Restart } from './plan/restarts.ts';
export type { Stop } from './plan/stops.ts';
export type { SubsystemTarget } from './plan/subsystem.ts';
export { describeDecision } from './explanation/decision-words.ts';
export { describeChange, describeWarning } from './explanation/plan-words.ts';
