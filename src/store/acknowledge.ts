import { LOCAL } from '../core/decision/replacement-text.ts';
import type { ActionOutcome, NewAction } from '../core/plan/committed-action.ts';
import { keyOf } from '../core/plan/target.ts';
import type { Statements } from '../sqlite/statements.ts';
import { deployedIn, noteDeployed } from './deployed-versions.ts';
import * as outbox from './outbox.ts';
import { noteFailure, type FailureTerms, type ReleaseFailure } from './release-failure.ts';
import { endRequest } from './restart-requests.ts';
import { endUpgrade } from './upgrade-requests.ts';

/** The times of an acknowledgement, in milliseconds since the epoch. */
export interface AcknowledgementTerms extends FailureTerms {
  /** When an action that failed because of the machine is delivered again. */
  readonly retryAt: number;
}

/** @internal Records an outcome, and returns the action; undefined if no action with this id awaits one. */
export function acknowledge(
  sql: Statements,
  id: string,
  outcome: ActionOutcome,
  terms: AcknowledgementTerms,
): NewAction | undefined {
  const number = outbox.actionNumber(sql, id);
  const known = number === undefined ? undefined : outbox.acknowledgeable(sql, number);
  if (number === undefined || !known) return undefined;
  const { action, isWithdrawn } = known;
  const { target, to, artifact, direction } = action;
  const { at, retryAt } = terms;
  if (isWithdrawn) {
    // A late acknowledgement still reports what is deployed, unless another report came since.
    const record = deployedIn(sql).get(keyOf(target));
    if (record?.deployed.kind !== 'unknown') return undefined;
  }
  const isFailed = outcome.kind === 'failed' && outcome.blame !== 'machine';
  // A version whose restart fails may still be selected (D41).
  if (isFailed && direction !== 'restart') {
    const { reason, running, blame } = outcome;
    // A cast: only the machine is excluded.
    const failure = { reason, running, blame: blame as 'release' | 'undecided' };
    const replaced = replacedBy(action, failure.blame);
    noteFailure(
      sql,
      target,
      { version: to, digest: artifact?.digest, replaced, ...failure },
      terms,
    );
    // A restart of a local module changes no version (D344).
  } else if (to !== LOCAL) {
    noteDeployed(sql, target, outcome.kind === 'done' ? to : outcome.running, { at });
  }
  if (outcome.kind === 'done' || isFailed) {
    endRequest(sql, target, isFailed && direction === 'restart' ? outcome.reason : undefined);
    // A replacement that has ended is the one that was requested, or made another one of it (D76).
    if (direction !== 'restart') endUpgrade(sql, target);
  }
  outbox.settle(sql, number, outcome, { at, retryAt: isWithdrawn ? undefined : retryAt });
  return action;
}

/** The version whose failure is compared with that of an action: the one that failed before it, or that it goes back from (D80, D102). */
function replacedBy(
  { reason, direction, from }: NewAction,
  blame: ReleaseFailure['blame'],
): string | undefined {
  if (reason.kind === 'failure' && !reason.isRolledBack) return reason.version;
  return direction === 'downgrade' && blame === 'undecided' ? from : undefined;
}
