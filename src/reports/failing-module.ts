import { describeAddress } from '../core/explanation/decision-words.ts';
import type { LoggedDecision } from '../core/plan/logged-decisions.ts';
import { hasFailed, type MachineMemory } from '../core/plan/machine-memory.ts';
import type { OpenAction } from '../core/plan/committed-action.ts';
import { keyOf } from '../core/plan/target.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import type { FailingModule } from '../registry/machine-report.ts';

type Memory = Pick<MachineMemory, 'open' | 'quarantine'>;

/**
 * What fails of a module (D184): the action that the machine tries again, or the newest release that the constraint accepts, if it is in
 * quarantine because it failed in this entry (D452). Undefined if nothing does. A release that operators refuse has not failed.
 */
export function failingModule(row: LoggedDecision, memory: Memory): FailingModule | undefined {
  const key = keyOf(row);
  const open = memory.open.find(({ action, failures }) => {
    return failures > 0 && keyOf(action.target) === key;
  });
  return open ? triedAgain(open) : failedRelease(row, memory);
}

function triedAgain({ action, failures, notBefore, lastFailure }: OpenAction): FailingModule {
  return {
    version: describeAddress(action.to),
    blame: 'machine',
    attempts: failures,
    reason: lastFailure ?? null,
    next_at: notBefore === 0 ? null : formatTime(notBefore),
  };
}

function failedRelease(row: LoggedDecision, { quarantine }: Memory): FailingModule | undefined {
  const { moduleId, latest, accepted = latest } = row;
  const failed = quarantine.find((one) => one.moduleId === moduleId && one.version === accepted);
  const entry = failed?.entries?.find(({ key }) => key === keyOf(row));
  if (!failed || !entry) return undefined;
  const { version, reason, until } = failed;
  const blame = hasFailed(entry) ? 'release' : 'undecided';
  return { version, blame, reason, next_at: until === undefined ? null : formatTime(until) };
}
