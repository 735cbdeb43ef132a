import type { ActionTarget } from '../core/index.ts';
import { deployedText } from '../core/decision/deployed.ts';
import type { FailedEntry } from '../core/plan/machine-memory.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import type { RolledBack } from '../core/releases/eligibility-policy.ts';
import { rolledBackWords } from '../core/explanation/requester-words.ts';
import type { Statements } from '../sqlite/statements.ts';
import { deployedIn, noteDeployed } from './deployed-versions.ts';
import * as outbox from './outbox.ts';
import { suspend } from './failed-entries.ts';
import { isProven } from './proven-versions.ts';
import { inForce, quarantine, refuseFailed, versionOf } from './quarantine.ts';
import { endRequest } from './restart-requests.ts';
import { endUpgrade } from './upgrade-requests.ts';

/** A version that does not work on this machine. */
export interface ReleaseFailure {
  /** The version that failed. */
  readonly version: string;
  /** Why, for people. It is logged, and `modreg status` shows it. */
  readonly reason: string;
  /** The version that is deployed now; `null` if nothing is deployed, undefined if it is not known. */
  readonly running: string | null | undefined;
  /**
   * `undecided`: the version before it, which worked, fails in the same way. Its quarantine is suspended, and it may be tried
   * again once `running` works (D80). `release` by default.
   */
  readonly blame?: 'release' | 'undecided' | undefined;
}

/** When a failure is recorded, and when the resulting quarantine ends; undefined if it does not end automatically. */
export interface FailureTerms {
  readonly at: number;
  readonly quarantineUntil: number | undefined;
  /** What of the configuration reached the program that failed; absent if that is not known (D82). */
  readonly setup?: string | undefined;
}

/** A failure, the digest of the file that failed, if it is known, and the version that failed before it. */
type Failed = ReleaseFailure & {
  readonly digest: string | undefined;
  readonly replaced?: string | undefined;
};

/** @internal Records the failure of a version that is deployed, or that was to be deployed. */
export function noteFailure(
  sql: Statements,
  target: ActionTarget,
  failure: Failed,
  terms: FailureTerms,
): void {
  const { version, running, blame } = failure;
  const isKept = blame === 'undecided' && running === version;
  const failed = versionOf(version) && !isKept ? version : undefined;
  noteDeployed(sql, target, running, { at: terms.at, failed });
  quarantineFailed(sql, target, failure, terms);
}

/**
 * @internal Records a failure that is reported at any time (D38). Returns the id of the delivered action that deploys the version,
 * which this ends; undefined if there is none.
 */
export function reportFailure(
  sql: Statements,
  target: ActionTarget,
  failure: ReleaseFailure,
  terms: FailureTerms,
): string | undefined {
  const { version, running } = failure;
  const failed = { ...failure, digest: outbox.deliveredDigest(sql, target, version) };
  const id = outbox.deliveredAction(sql, target, version);
  const number = id === undefined ? undefined : outbox.actionNumber(sql, id);
  const instead = otherDeployed(sql, target, version);
  const isCurrent = instead === undefined || (instead === 'version' && running === version);
  if (number !== undefined || isCurrent) noteFailure(sql, target, failed, terms);
  else {
    // The failure of an earlier version says nothing about the one that replaced it.
    const isNews = instead === 'version' && running !== undefined;
    if (isNews) noteDeployed(sql, target, running, { at: terms.at });
    quarantineFailed(sql, target, failed, terms);
  }
  if (number !== undefined) {
    const { reason, blame = 'release' } = failure;
    const outcome = { kind: 'failed', reason, running, blame } as const;
    outbox.settle(sql, number, outcome, { at: terms.at, retryAt: undefined });
    endRequest(sql, target, undefined);
    endUpgrade(sql, target);
  }
  return id;
}

/** When an operator rolls back, and when the rollback ends; undefined if only a lift ends it (D32). */
export interface RollbackTerm {
  readonly at: number;
  readonly until: number | undefined;
}

/** @internal Puts the deployed version into quarantine for an operator. Returns false if another version is deployed. */
export function rollBack(
  sql: Statements,
  target: ActionTarget,
  rolledBack: RolledBack,
  { at, until }: RollbackTerm,
): boolean {
  const version = rolledBack.from.text;
  const record = deployedIn(sql).get(keyOf(target));
  const isDeployed =
    record?.deployed.kind === 'version' && record.deployed.version.text === version;
  if (!isDeployed || record.moduleId !== moduleOf(target)) return false;
  const reason = rolledBackWords(rolledBack.requester);
  quarantine(sql, { moduleId: moduleOf(target), version, since: at, until, reason, rolledBack });
  return true;
}

/** What is known to be deployed instead of `version`: another version, or another module under the same name. */
function otherDeployed(
  sql: Statements,
  target: ActionTarget,
  version: string,
): 'version' | 'module' | undefined {
  const record = deployedIn(sql).get(keyOf(target));
  if (!record) return undefined;
  if (record.moduleId !== moduleOf(target)) return 'module';
  const text = deployedText(record.deployed);
  return text === undefined || text === version ? undefined : 'version';
}

function quarantineFailed(
  sql: Statements,
  target: ActionTarget,
  failure: Failed,
  { at, quarantineUntil: until, setup }: FailureTerms,
): void {
  const { version, digest, reason, running, blame, replaced } = failure;
  // A `pin_url` has no version to put into quarantine.
  if (!versionOf(version)) return;
  const other = running === version ? replaced : (running ?? replaced);
  const isUndecided = blame === 'undecided';
  const stateOf = (one: string): FailedEntry['state'] => (one === running ? 'kept' : 'waiting');
  const entry = { moduleId: moduleOf(target), version, digest, reason, since: at, until };
  const first: FailedEntry = {
    key: keyOf(target),
    name: target.name,
    state: isUndecided ? stateOf(version) : 'failed',
    sameAs: isUndecided ? other : undefined,
  };
  const before = inForce(sql, entry)?.entries?.find(({ key }) => key === first.key);
  // The target of a rollback has worked: only a failed upgrade can fail again (D80).
  const isUpgrade = replaced === undefined && first.state !== 'kept';
  // What was up for an hour here fails twice because its device leaves twice (D104).
  const isAgain = isUpgrade && wasTriedAgain(before) && !isProven(sql, target, version);
  const failed = isAgain
    ? ({ ...first, state: 'failed-again', sameAs: undefined } as const)
    : first;
  refuseFailed(sql, entry, failed, setup);
  if (!isUndecided || other === undefined) return;
  // What failed before it failed in the same way (D80).
  suspend(sql, target, { version: other, sameAs: version, state: stateOf(other) });
}

/** Whether a release was tried after the version before it, which had failed in the same way, worked again (D80). */
function wasTriedAgain(before: FailedEntry | undefined): boolean {
  return before?.state === 'may-be-tried' || before?.state === 'failed-again';
}
