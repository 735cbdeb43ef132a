import { keyOf, knownOf, type Ledger, type ModuleState, type Target } from './ledger.ts';
import { endFailedRestart } from './requests.ts';

/* What the ledger knows to be deployed. */

/**
 * Records the deployed version, and the release that failed if one did. The previous version changes only when the text
 * does.
 */
export function noteRunning(
  ledger: Ledger,
  target: Target,
  running: string | null | undefined,
  failed?: string,
): void {
  const before = knownOf(ledger, target);
  const kept = failed === undefined ? before.last : undefined;
  const text = running === undefined ? kept : running;
  const isOther = before.last !== undefined && before.last !== text && before.last !== failed;
  const previous = isOther ? before.last : before.previous;
  // The agent went back by itself, or a later report is about another version.
  const hasRecovered =
    typeof running === 'string' && (failed === undefined || running === before.last);
  // A restart that failed is over once another version is deployed. (D485)
  if (before.last !== undefined && before.last !== text) endFailedRestart(ledger, target);
  ledger.known.set(keyOf(target), {
    moduleId: target.moduleId,
    running,
    last: text ?? undefined,
    previous: previous === text ? undefined : previous,
    failed: hasRecovered ? undefined : (failed ?? before.failed),
  });
}

/**
 * Records the deployed version after `version` failed. If another version is deployed, only a report that names the
 * deployed version counts, which may be `version` again. (D38)
 */
export function noteFailed(
  ledger: Ledger,
  target: Target,
  {
    version,
    running,
    isKept,
  }: Pick<ModuleState, 'running'> & { readonly version: string; readonly isKept: boolean },
): void {
  const known = ledger.known.get(keyOf(target));
  const isOtherModule = known !== undefined && known.moduleId !== target.moduleId;
  const isReplaced =
    typeof known?.running === 'string' && known.running !== version && running !== version;
  if (isOtherModule || (isReplaced && running === undefined)) return;
  noteRunning(ledger, target, running, isReplaced || isKept ? undefined : version);
}
