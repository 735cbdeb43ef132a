import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';
import { floor } from '../../support/floor.ts';

const FAILED = { version: '1.1.0', reason: 'stops the motor' };
const LIST = ['1.0.0', floor('1.1.0'), '1.2.0'];
const BEHIND = 'is behind floor 1.1.0, which this machine has to run first';

describe('[D91] what does not ask for floors', () => {
  decidesOn([
    {
      case: 'a pin, with a warning',
      wanted: '1.2.0',
      deployed: '1.0.0',
      list: LIST,
      expected: 'upgrade to 1.2.0: pinned',
      warns: ['floor-bypassed'],
    },
    {
      case: 'a pin that passes none',
      wanted: '1.1.0',
      deployed: '1.0.0',
      list: LIST,
      expected: 'upgrade to 1.1.0: pinned; a floor',
    },
    {
      case: 'a pin to a lower version',
      wanted: '1.0.0',
      deployed: '1.2.0',
      list: LIST,
      expected: 'downgrade to 1.0.0: pinned; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'a first install, with a warning',
      wanted: '1.*',
      deployed: null,
      list: LIST,
      expected: 'install of 1.2.0: not deployed yet; newest release of 1',
      warns: ['floor-bypassed'],
    },
    {
      case: 'a first install that passes no floor of its branch',
      wanted: '1.2.*',
      deployed: null,
      list: LIST,
      expected: 'install of 1.2.0: not deployed yet; newest patch of 1.2',
    },
    {
      case: 'an unknown deployed version, which decides nothing (D14)',
      wanted: '1.*',
      deployed: undefined,
      list: LIST,
      expected: 'stuck deployed-unknown: the deployed version is not known',
    },
    {
      case: 'text that is not a version, which only a pin replaces (D14)',
      wanted: '1.2.0',
      deployed: 'reload-1',
      list: LIST,
      expected: 'upgrade to 1.2.0: pinned',
      warns: ['deployed-not-a-version', 'floor-bypassed'],
    },
    {
      case: 'a rollback to the version before (D13)',
      wanted: '1.*',
      deployed: '1.0.5',
      previous: '1.2.0',
      list: ['1.0.0', '1.0.5', floor('1.1.0'), '1.2.0'],
      quarantine: [{ version: '1.0.5', reason: 'burns' }],
      expected:
        'rollback to 1.2.0: 1.0.5 failed on this machine (burns); 1.2.0 was deployed before it',
    },
  ]);
});

describe('[D91] a floor that failed was not run', () => {
  decidesOn([
    {
      case: 'rolled back to the version before (D13)',
      wanted: '1.*',
      deployed: '1.1.0',
      previous: '1.0.0',
      list: LIST,
      quarantine: [FAILED],
      expected: `rollback to 1.0.0: 1.1.0 failed on this machine (stops the motor); 1.0.0 was deployed before it; 1.2.0 ${BEHIND}`,
    },
    {
      case: 'rolled back to the newest release below it',
      wanted: '1.*',
      deployed: '1.1.0',
      list: LIST,
      quarantine: [FAILED],
      expected: `rollback to 1.0.0: 1.1.0 failed on this machine (stops the motor); 1.0.0 instead: newest release of 1 that may be selected; 1.2.0 ${BEHIND}`,
    },
    {
      case: 'kept if nothing is below it',
      wanted: '1.*',
      deployed: '1.1.0',
      list: [floor('1.1.0'), '1.2.0'],
      quarantine: [FAILED],
      expected:
        'stuck behind-floor: floor 1.1.0 has to run before any higher release, and is refused: quarantined on this machine (stops the motor)',
    },
    {
      case: 'and it is not known what is deployed: below it (D37)',
      wanted: '1.*',
      deployed: undefined,
      failed: '1.1.0',
      list: LIST,
      quarantine: [FAILED],
      expected: `rollback to 1.0.0: 1.1.0 failed on this machine (stops the motor); 1.0.0 instead: newest release of 1 that may be selected; 1.2.0 ${BEHIND}`,
    },
    {
      case: 'and it is not known what is deployed: never without a version (D37)',
      wanted: '1.*',
      deployed: undefined,
      failed: '1.1.0',
      list: [floor('1.1.0'), '1.2.0'],
      quarantine: [FAILED],
      expected:
        'rollback to 1.2.0: 1.1.0 failed on this machine (stops the motor); 1.2.0 instead: newest release of 1',
    },
    {
      case: 'and nothing is deployed, as after a failed first install (D37)',
      wanted: '1.*',
      deployed: null,
      failed: '1.1.0',
      list: LIST,
      quarantine: [FAILED],
      expected:
        'rollback to 1.2.0: 1.1.0 failed on this machine (stops the motor); 1.2.0 instead: newest release of 1',
    },
  ]);
});
