import type { Refused } from '../releases/refusal.ts';
import type { Resolution } from '../releases/resolve.ts';

/** What follows the number of the releases that a reason refuses. */
const REFUSED_AS: Readonly<Record<Refused['reason'], string>> = {
  'not-a-version': 'without a version',
  'other-major': 'of another major version',
  'other-minor': 'of another minor version',
  'other-version': 'of another version',
  prerelease: 'only a prerelease',
  yanked: 'yanked',
  deprecated: 'deprecated',
  older: 'older',
  'behind-floor': 'behind a floor',
  quarantined: 'in quarantine',
  'refused-by-site': 'refused by the policy',
  'requirement-unmet': 'with an unmet requirement',
  'too-young': 'too young',
  'unknown-age': 'of unknown age',
  'not-yet-published': 'not yet published',
  'not-in-rollout': 'not yet rolled out to this machine',
  'rollout-halted': 'with a halted rollout',
  'rollout-unconfirmed': 'with an unconfirmed rollout',
  'no-artifact': 'without a file for this platform',
  'untrusted-artifact': 'with an untrusted file',
  'conflicting-digest': 'with two digests',
  'digest-changed': 'with a changed digest',
  unsigned: 'unsigned',
  'bad-signature': 'with a bad signature',
};

/** How many entries each reason refuses, the most frequent reason first: `12 of another major version, 2 yanked` (D30). */
export function countReasons(resolution: Resolution): string {
  const counts = new Map<Refused['reason'], number>();
  for (const { reason } of resolution.refused()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size === 0) return 'the list is empty';
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${REFUSED_AS[reason]}`)
    .join(', ');
}
