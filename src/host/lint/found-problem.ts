import type { ErrorKind, WarningKind } from '../../base/codes.ts';
import type { LintFinding } from '../../core/lint/lint-finding.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { printedKind } from '../../base/problem.ts';
import type { RegistryError } from '../../registry/registry-error.ts';
import {
  cycleWords,
  excludedEntryWords,
  excludingRowsWords,
  markedPinWords,
  missingPlatformWords,
  nothingMatchesWords,
  unreachableWords,
  zeroMajorWords,
  type Said,
} from './finding-words.ts';

/** A finding with its code and its words. */
export type Worded = Said & { readonly suggestion?: string | undefined } & (
    | { readonly severity: 'error'; readonly kind: ErrorKind }
    | { readonly severity: 'warning'; readonly kind: WarningKind }
  );

/**
 * The code of a finding. It is an error if the row gets no release as things are, or there is no list; a warning if it gets
 * one that is probably another than was meant (D115, D116).
 */
export function worded(finding: LintFinding, error: RegistryError | undefined): Worded {
  switch (finding.kind) {
    case 'no-list':
      return unreadableList(finding, error);
    case 'stale-list':
      return staleList(finding);
    case 'nothing-matches':
      return {
        ...failure(finding.unsatisfied.refusedPin?.reason ?? kindOf(finding)),
        ...nothingMatchesWords(finding),
      };
    case 'yanked':
    case 'deprecated':
      return { ...warning(finding.kind), ...markedPinWords(finding) };
    case 'platform-missing':
      return { ...warning(finding.kind), ...missingPlatformWords(finding) };
    case 'zero-major':
      return { ...warning(finding.kind), ...zeroMajorWords(finding) };
    case 'requirement-unreachable': {
      const code = finding.isOnly ? failure('requirement-unmet') : warning(finding.kind);
      return { ...code, ...unreachableWords(finding) };
    }
    case 'requires-cycle':
      return {
        ...(finding.isOnly ? failure('cycle') : warning(finding.kind)),
        ...cycleWords(finding),
      };
    case 'excluded-entry':
      return { ...warning('excluding-entries'), ...excludedEntryWords(finding) };
    case 'excluding-rows':
      return { ...warning('excluding-entries'), ...excludingRowsWords(finding) };
  }
}

function failure(kind: ErrorKind): { readonly severity: 'error'; readonly kind: ErrorKind } {
  return { severity: 'error', kind };
}

function warning(kind: WarningKind): { readonly severity: 'warning'; readonly kind: WarningKind } {
  return { severity: 'warning', kind };
}

function kindOf({
  unsatisfied: { input },
}: Extract<LintFinding, { readonly kind: 'nothing-matches' }>): ErrorKind {
  return input.constraint.kind === 'patch' ? 'pin-not-published' : 'no-match';
}

/** Without a list nothing else is said of the row but what its text says (T435). */
function unreadableList(
  { error: { message } }: Extract<LintFinding, { readonly kind: 'no-list' }>,
  error: RegistryError | undefined,
): Worded {
  const { suggestion, hint } = error ?? {};
  return {
    ...failure(error ? printedKind(error) : 'registry-unreachable'),
    message: `${message}; it is not checked against a list`,
    suggestion,
    hint,
  };
}

function staleList({
  row,
  stale,
  isTooOld,
}: Extract<LintFinding, { readonly kind: 'stale-list' }>): Worded {
  const { eligibility, maxIndexAgeMs } = row.decision.input;
  const ago = describeDuration(Math.max(0, eligibility.now - stale.confirmedAt));
  const saved = `${stale.message}; the saved list was confirmed ${ago} ago`;
  if (!isTooOld) {
    const message = `${saved}, and it is checked against that`;
    return { ...warning('stale-list'), message, hint: undefined };
  }
  const limit = `more than max_index_age (${describeDuration(maxIndexAgeMs)})`;
  const message = `${saved}, ${limit}: it is not checked against a list`;
  return { ...failure('list-stale'), message, hint: undefined };
}
