import type { Resolution } from '../releases/resolve.ts';
import type { Version } from '../version/version.ts';
import type { DecideInput } from './decision.ts';

/**
 * Whether a yank is why the deployed version is to be replaced, even by a lower one or another build (D33): undefined if not, and
 * `unsigned` if its author did not sign it, so that it moves no machine to another release (D165).
 */
export function recallOf(
  { onYank }: DecideInput,
  { input: { constraint, index, eligibility } }: Resolution,
  version: Version,
): 'signed' | 'unsigned' | undefined {
  if (onYank !== 'replace' || constraint.kind === 'patch') return undefined;
  const release = index.find(version);
  if (release?.yanked === undefined) return undefined;
  return eligibility.trust?.check(release, 'yank') ? 'unsigned' : 'signed';
}
