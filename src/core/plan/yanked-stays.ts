import { replacementOf } from '../decision/decision.ts';
import { deployedVersion } from '../decision/deployed.ts';
import { newerRefused } from '../releases/resolve.ts';
import { formatConstraint } from '../version/constraint.ts';
import type { PlanRow } from './plan.ts';

/**
 * What follows for a deployed release that was yanked, and stays (D409): `stays until a newer release of 1.* is published`. Undefined if
 * it was not yanked, is replaced, or is by time alone.
 */
export function yankedStaysWords({
  decision,
  warnings,
  nextChange,
}: Pick<PlanRow, 'decision' | 'warnings' | 'nextChange'>): string | undefined {
  const yank = warnings.find(({ kind }) => kind === 'deployed-yanked');
  const { input, resolution } = decision;
  const deployed = deployedVersion(input.deployed);
  if (decision.kind !== 'keep' || !yank || !resolution || !deployed) return undefined;
  if (nextChange && replacementOf(nextChange.becomes)) return undefined;
  const { constraint } = resolution.input;
  if (constraint.kind === 'patch') return 'stays until another version is pinned';
  const isUnsigned = 'isUnsigned' in yank;
  // Of what its author recalls, the policy replaces it by any other release, a lower one, too (D33).
  const which = input.onYank === 'replace' && !isUnsigned ? 'another' : 'a newer';
  const branch = constraint.kind === 'major' || constraint.kind === 'minor';
  const of = branch ? ` of ${formatConstraint(constraint)}` : '';
  const isRefused = newerRefused(resolution, deployed).some(({ reason }) => reason !== 'yanked');
  return `stays until ${which} release${of} ${isRefused ? 'may be selected' : 'is published'}`;
}
