import { describe } from 'vitest';
import type { Quarantined } from '../../../src/core/index.ts';
import { version } from '../../support/ask.ts';
import { decidesOn } from '../../support/decided.ts';

const LIST = ['1.1.9', '1.2.2', '1.2.3', '1.2.4', '2.0.0'];

function rolledBack(from: string, to?: string): readonly Quarantined[] {
  const versions = { from: version(from), to: to === undefined ? undefined : version(to) };
  return [{ version: from, rolledBack: versions }];
}

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
        'rollback to 1.2.2: 1.2.4 was rolled back on this machine; 1.2.2 was deployed before it',
    },
    {
      case: 'D13 the previous version is deployed: up to date, versions between are not selected',
      wanted: '1.2.*',
      deployed: '1.2.2',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      previous: '1.2.4',
      expected: 'up-to-date: already the newest patch of 1.2',
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
      case: 'D13 a pin to a version between the two: upgrade',
      wanted: '1.2.3',
      deployed: '1.2.2',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      expected: 'upgrade to 1.2.3: pinned',
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
      case: 'D13 a version between the two is deployed: keep, it did not fail',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.3',
      quarantine: rolledBack('1.2.4', '1.2.2'),
      expected:
        'ahead: newer than 1.2.2, the newest patch of 1.2 that may be selected; refused: quarantined on this machine; it is kept, not downgraded',
      warns: ['ahead'],
    },
    {
      case: 'D13 no previous version: rolls back to the newest eligible release',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.4',
      quarantine: rolledBack('1.2.4'),
      expected:
        'rollback to 1.2.3: 1.2.4 was rolled back on this machine; 1.2.3 instead: newest patch of 1.2',
    },
    {
      case: 'D13 the rolled-back version is deployed and the list is empty: keep',
      wanted: '1.2.*',
      deployed: '1.2.7',
      list: [],
      quarantine: rolledBack('1.2.7'),
      expected:
        'ahead: it is kept; it was rolled back on this machine; no release may be selected: the list is empty',
      warns: ['ahead'],
    },
  ]);
});
