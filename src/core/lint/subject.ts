import { eligibilityOf } from '../decision/eligibility-of.ts';
import { constraintIn } from '../plan/possible-versions.ts';
import type { RequiredRow } from '../plan/requirement-outlook.ts';
import { isTooOld } from '../releases/list-age.ts';
import type { ResolveInput } from '../releases/resolve.ts';
import type { LintFinding } from './lint-finding.ts';

/** A row of a plan with a constraint and a list that it can be checked against. */
export interface Subject {
  readonly row: RequiredRow;
  /** The constraint, the list, and what this machine refuses of it. */
  readonly input: ResolveInput;
}

/** The row with its list; undefined if it has no constraint or no list. */
export function subjectOf(row: RequiredRow): Subject | undefined {
  const { requirement, list } = row.decision.input;
  const constraint = constraintIn(requirement);
  if (!constraint || 'error' in list) return undefined;
  const eligibility = eligibilityOf(row.decision.input, list);
  return { row, input: { constraint, index: list.index, eligibility } };
}

/** Why the list of a row is not the registry's (T435). */
export function listFindings(row: RequiredRow): LintFinding[] {
  const { requirement, list } = row.decision.input;
  if (!constraintIn(requirement)) return [];
  if ('error' in list) {
    // A registry may lack the lists of subsystems, so they are read only where a version is known.
    return list.error.kind === 'not-asked' ? [] : [{ kind: 'no-list', row, error: list.error }];
  }
  const { stale } = list;
  return stale ? [{ kind: 'stale-list', row, stale, isTooOld: isStale(row) }] : [];
}

/** The row without a saved list that is too old: nothing is concluded from it (D21). */
export function withoutOldList(row: RequiredRow): RequiredRow {
  if (!isStale(row)) return row;
  const { decision } = row;
  const error = { kind: 'list-stale', message: '' };
  return { ...row, decision: { ...decision, input: { ...decision.input, list: { error } } } };
}

function isStale({ decision: { input } }: RequiredRow): boolean {
  const { list, eligibility, maxIndexAgeMs } = input;
  const stale = 'error' in list ? undefined : list.stale;
  return stale !== undefined && isTooOld(stale.confirmedAt, eligibility.now, maxIndexAgeMs);
}
