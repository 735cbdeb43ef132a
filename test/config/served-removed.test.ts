import { expect, it } from 'vitest';
import { entry } from '../support/planned.ts';
import { ARM, LIDAR, OWN, revisionOf, verdictOf, type Serving } from './support/following.ts';

type Revision = readonly [modules: readonly object[], signed?: number];

/** Revisions of a site, each with how many operators signed it; what the last one is. Nothing is deployed under them. */
function last(revisions: readonly Revision[]): string {
  let on: Serving['on'] = {};
  let found = '';
  for (const [place, [modules, signed = 0]] of revisions.entries()) {
    const served = revisionOf(place + 1, { modules });
    const verdict = verdictOf({ served, signed, on });
    found = verdict.ok ? 'accepted' : `${verdict.error.code}: ${verdict.error.detail}`;
    if (verdict.ok) {
      const { least } = verdict.value;
      on = { inForce: served, least, deployed: () => undefined };
    }
  }
  return found;
}

const LOWER = entry('acme:lidar', '1.2.*');
const SAME = entry('acme:lidar', '1.3.*');
const RENAMED = { ...LOWER, name: 'second' };

it.each<[string, readonly Revision[], string]>([
  [
    'removed and added again lower',
    [[[OWN, ARM]], [[OWN, ARM, LOWER]]],
    'below-deployed: /config/modules/acme_lidar/version is "1.2.*", which may select less than the formerly deployed 1.3.5 (it has 0 of 2)',
  ],
  ['removed and added again', [[[OWN, ARM]], [[OWN, ARM, SAME]]], 'accepted'],
  [
    'removed, added again, and lowered before it is deployed',
    [[[OWN, ARM]], [[OWN, ARM, SAME]], [[OWN, ARM]], [[OWN, ARM, SAME]], [[OWN, ARM, LOWER]]],
    'below-deployed: /config/modules/acme_lidar/version is "1.2.*", which may select less than the formerly deployed 1.3.5 (it has 0 of 2)',
  ],
  [
    'removed and added again lower under another name',
    [[[OWN, ARM]], [[OWN, ARM, RENAMED]]],
    'below-deployed: /config/modules/second/version is "1.2.*", which may select less than the formerly deployed 1.3.5 (it has 0 of 2)',
  ],
  [
    'added lower under another name beside it',
    [[[LIDAR, OWN, ARM, RENAMED]]],
    'below-deployed: /config/modules/second/version is "1.2.*", which may select less than the deployed 1.3.5 (it has 0 of 2)',
  ],
  [
    'renamed, and lowered before it is deployed under that name',
    [[[OWN, ARM, { ...SAME, name: 'second' }]], [[OWN, ARM, RENAMED]]],
    'below-deployed: /config/modules/second/version is "1.2.*", which may select less than the formerly deployed 1.3.5 (it has 0 of 2)',
  ],
  [
    'removed with signatures, and added again lower without',
    [[[OWN, ARM], 2], [[OWN, ARM, LOWER]]],
    'below-deployed: /config/modules/acme_lidar/version is "1.2.*", which may select less than the formerly deployed 1.3.5 (it has 0 of 2)',
  ],
  [
    'removed, and added again lower with signatures',
    [[[OWN, ARM]], [[OWN, ARM, LOWER], 2]],
    'accepted',
  ],
  [
    'removed, added again lower with signatures, and moved to the next branch below what was deployed',
    [[[OWN, ARM]], [[OWN, ARM, RENAMED], 2], [[OWN, ARM, { ...RENAMED, version: '1.2.7' }]]],
    'accepted',
  ],
])('[D262] a lidar that is %s', (_what, revisions, found) => {
  expect(last(revisions)).toBe(found);
});
