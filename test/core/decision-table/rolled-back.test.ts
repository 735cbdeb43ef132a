import { describe } from 'vitest';
import type { Quarantined } from '../../../src/core/index.ts';
import { version } from '../../support/ask.ts';
import { decidesOn } from '../../support/decided.ts';

const LIST = ['1.1.9', '1.2.2', '1.2.3', '1.2.4', '2.0.0'];

function rolledBack(from: string, to?: string): readonly Quarantined[] {
  const way = { from: version(from), to: to === undefined ? undefined : version(to) };
  return [{ version: from, rolledBack: way }];
}

describe('D13: an operator went back', () => {
  decidesOn([
    {
      case: 'D13 to what ran before',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      previous: '1.2.2',
      told: 'rollback to 1.2.2: 1.2.4 was rolled back on this machine; 1.2.2 was deployed before it',
    },
    {
      case: 'D13 and stays there',
      wanted: '1.2.*',
      deployed: '1.2.2',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      previous: '1.2.4',
      told: 'up-to-date: already the newest patch of 1.2',
    },
    {
      case: 'D13 until a newer release appears',
      wanted: '1.2.*',
      deployed: '1.2.2',
      list: [...LIST, '1.2.5'],
      quarantine: rolledBack('1.2.4', '1.2.2'),
      told: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D13 or the constraint leads elsewhere',
      wanted: '2.*',
      deployed: '1.2.2',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      told: 'upgrade to 2.0.0: 1.2.2 is outside 2.*; newest release of 2; new major: read its release notes',
    },
    {
      case: 'D13 a pin takes what lies between',
      wanted: '1.2.3',
      deployed: '1.2.2',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      told: 'upgrade to 1.2.3: pinned',
    },
    {
      case: 'D13 but not what was left',
      wanted: '1.2.4',
      deployed: '1.2.2',
      list: LIST,
      quarantine: rolledBack('1.2.4', '1.2.2'),
      told: 'stuck quarantined: the pin was rolled back on this machine and is quarantined',
    },
    {
      case: 'D13 what lies between and runs did not fail',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.3',
      quarantine: rolledBack('1.2.4', '1.2.2'),
      told: 'ahead: newer than 1.2.2, the newest patch of 1.2 that may be chosen; refused: quarantined on this machine; it is kept, not downgraded',
      warns: ['ahead'],
    },
    {
      case: 'D13 to the best there is where nothing ran before',
      wanted: '1.2.*',
      list: LIST,
      deployed: '1.2.4',
      quarantine: rolledBack('1.2.4'),
      told: 'rollback to 1.2.3: 1.2.4 was rolled back on this machine; 1.2.3 instead: newest patch of 1.2',
    },
    {
      case: 'D13 from a version that is gone',
      wanted: '1.2.*',
      deployed: '1.2.7',
      list: [],
      quarantine: rolledBack('1.2.7'),
      told: 'ahead: it is kept; it was rolled back on this machine; no release may be chosen: the list is empty',
      warns: ['ahead'],
    },
  ]);
});
