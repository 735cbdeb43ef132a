import { describe } from 'vitest';
import type { Quarantined } from '../../../src/core/index.ts';
import { version } from '../../support/ask.ts';
import { decidesOn } from '../../support/decided.ts';
import { digested, NOW } from '../../support/decides.ts';

const LIST = ['1.1.9', '1.2.2', '1.2.3', '1.2.4', '2.0.0'];

/** A rollback that had no list, or one with the versions of `refused` above its target. */
function rolledBack(
  from: string,
  to?: string,
  refused?: readonly string[],
): readonly Quarantined[] {
  const target = to === undefined ? undefined : version(to);
  const versions = { from: version(from), to: target, refused: refused && new Set(refused) };
  return [{ version: from, rolledBack: versions }];
}

function ended([entry]: readonly Quarantined[]): readonly Quarantined[] {
  return entry ? [{ ...entry, until: NOW }] : [];
}

/** The same rollback, of a file whose digest is known. */
const FILE_ROLLED_BACK: readonly Quarantined[] = [
  {
    version: '1.2.4',
    digest: 'sha256:aa',
    rolledBack: { from: version('1.2.4'), to: version('1.2.2') },
  },
];

describe('D13: an operator rolled back', () => {
  decidesOn([
    {
      case: 'D13 the rolled-back version is deployed: rolls back to the previous version',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      previous: '1.2.2',
      expected:
        'rollback to 1.2.2: 1.2.4 was rolled back on this machine; 1.2.2 was deployed before it; 1.2.3 is refused by a rollback on this machine',
    },
    {
      case: 'D13 the previous version is deployed: up to date, versions between are not selected',
      wanted: '1.2.*',
      deployed: '1.2.2',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      previous: '1.2.4',
      expected:
        'up-to-date: stays at 1.2.2: 1.2.4 and 1.2.3 are refused by a rollback on this machine',
    },
    {
      case: 'D32 the rolled-back version is published with another file: upgrade',
      wanted: '1.2.*',
      deployed: '1.2.2',
      list: ['1.2.2', digested('1.2.4', 'any', 'sha256:bb')],
      quarantine: FILE_ROLLED_BACK,
      expected: 'upgrade to 1.2.4: newest patch of 1.2',
    },
    {
      case: 'D13 a release newer than the rolled-back version: upgrade',
      wanted: '1.2.*',
      deployed: '1.2.2',
      list: [...LIST, '1.2.5'],
      quarantine: rolledBack('1.2.4', '1.2.2'),
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D13 a constraint for another branch: upgrade',
      wanted: '2.*',
      deployed: '1.2.2',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      expected:
        'upgrade to 2.0.0: 1.2.2 is outside 2.*; newest release of 2; new major: read its release notes',
    },
    {
      case: 'D32 a pin to a version between the two: stuck',
      wanted: '1.2.3',
      deployed: '1.2.2',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      expected: 'stuck quarantined: the pin was rolled back on this machine and is quarantined',
    },
    {
      case: 'D13 a pin to the rolled-back version: stuck',
      wanted: '1.2.4',
      deployed: '1.2.2',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      expected: 'stuck quarantined: the pin was rolled back on this machine and is quarantined',
    },
    {
      case: 'D32 a version between the two is deployed: rolls back as well',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.3',
      quarantine: rolledBack('1.2.4', '1.2.2'),
      expected:
        'rollback to 1.2.2: 1.2.3 was rolled back on this machine; 1.2.2 instead: newest patch of 1.2 that may be selected; 1.2.4 is refused by a rollback on this machine',
    },
    {
      case: 'D13 no previous version: rolls back to the newest eligible release',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.4',
      quarantine: rolledBack('1.2.4'),
      expected:
        'rollback to 1.2.3: 1.2.4 was rolled back on this machine; 1.2.3 instead: newest patch of 1.2 that may be selected',
    },
    {
      case: 'D13 the rolled-back version is deployed and the list is empty: keep',
      wanted: '1.2.*',
      deployed: '1.2.7',
      list: [],
      quarantine: rolledBack('1.2.7'),
      expected:
        'ahead: stays at 1.2.7, which was rolled back on this machine; no release may be selected: the list is empty',
      warns: ['ahead'],
    },
  ]);
});

describe('[D32] a rollback refuses the versions above its target that the list had', () => {
  const PUBLISHED = ['1.2.9', '1.2.10', '1.3.0', '1.4.0'];
  const quarantine = rolledBack('1.3.0', '1.2.9', ['1.2.10', '1.3.0', '1.4.0']);
  decidesOn([
    {
      case: 'D32 the rolled-back version is deployed: the previous one, not the newest',
      wanted: '1.*',
      deployed: '1.3.0',
      previous: '1.2.9',
      list: PUBLISHED,
      quarantine,
      expected:
        'rollback to 1.2.9: 1.3.0 was rolled back on this machine; 1.2.9 was deployed before it; 1.4.0 and 1.2.10 are refused by a rollback on this machine',
    },
    {
      case: 'D32 the target is deployed: it stays, although a higher version was published before',
      wanted: '1.*',
      deployed: '1.2.9',
      list: PUBLISHED,
      quarantine,
      expected:
        'up-to-date: stays at 1.2.9: 1.4.0, 1.3.0 and 1.2.10 are refused by a rollback on this machine',
    },
    {
      case: 'D32 a lower number that was published later is selected',
      wanted: '1.*',
      deployed: '1.2.9',
      list: [...PUBLISHED, '1.2.11'],
      quarantine,
      expected:
        'upgrade to 1.2.11: newest release of 1 that may be selected; 1.4.0 and 1.3.0 are refused by a rollback on this machine',
    },
    {
      case: 'D32 a build that was published later is selected',
      wanted: '1.2.*',
      deployed: '1.2.9',
      list: [...PUBLISHED, '1.2.10+fixed'],
      quarantine,
      expected: 'upgrade to 1.2.10+fixed: newest patch of 1.2',
    },
    {
      case: 'D32 a pin to a refused version: stuck',
      wanted: '1.4.0',
      deployed: '1.2.9',
      list: PUBLISHED,
      quarantine,
      expected: 'stuck quarantined: the pin was rolled back on this machine and is quarantined',
    },
    {
      case: 'D32 a refused version was deployed meanwhile: it is rolled back too',
      wanted: '1.*',
      deployed: '1.4.0',
      previous: '1.3.0',
      list: PUBLISHED,
      quarantine,
      expected:
        'rollback to 1.2.9: 1.4.0 was rolled back on this machine; 1.2.9 instead: newest release of 1 that may be selected; 1.3.0 and 1.2.10 are refused by a rollback on this machine',
    },
    {
      case: 'D32 the rollback ends by time: the newest release',
      wanted: '1.*',
      deployed: '1.2.9',
      list: PUBLISHED,
      quarantine: ended(quarantine),
      expected: 'upgrade to 1.4.0: newest release of 1',
    },
    {
      case: 'D32 without a list: every version between the two, and none above',
      wanted: '1.*',
      deployed: '1.2.9',
      list: PUBLISHED,
      quarantine: rolledBack('1.3.0', '1.2.9'),
      expected: 'upgrade to 1.4.0: newest release of 1',
    },
  ]);
});
