import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';
import { digested } from '../../support/decides.ts';

const LIST = ['1.2.3', '1.2.5', '1.3.0', '1.9.0', '2.0.0', '2.1.0-rc.1'];

describe('D18: the deployed version is outside the branch', () => {
  decidesOn([
    {
      case: 'D18 above the branch: downgrade',
      wanted: '1.*',
      deployed: '2.1.0',
      list: LIST,
      expected:
        'downgrade to 1.9.0: 2.1.0 is outside 1.*; newest release of 1; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'D18 below the branch: upgrade',
      wanted: '1.3.*',
      deployed: '1.2.3',
      list: LIST,
      expected: 'upgrade to 1.3.0: 1.2.3 is outside 1.3.*; newest patch of 1.3',
    },
    {
      case: 'D18 a prerelease of a higher branch: downgrade',
      wanted: '1.2.*',
      deployed: '1.3.0-rc.1',
      list: LIST,
      expected:
        'downgrade to 1.2.5: 1.3.0-rc.1 is outside 1.2.*; newest patch of 1.2; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'D18 downgrades are not allowed: a hold without an end',
      wanted: '1.*',
      list: LIST,
      deployed: '2.1.0',
      allowDowngrade: false,
      expected: 'downgrade to 1.9.0 waits: the policy does not allow downgrades',
      warns: ['downgrade'],
    },
    {
      case: 'D18 downgrades are not allowed, and the deployed version is below the branch: upgrade',
      wanted: '1.*',
      list: LIST,
      deployed: '0.9.0',
      allowDowngrade: false,
      expected:
        'upgrade to 1.9.0: 0.9.0 is outside 1.*; newest release of 1; new major: read its release notes',
    },
  ]);
});

describe('D19: the pin differs from the deployed version', () => {
  decidesOn([
    {
      case: 'D19 a lower pin: downgrade',
      wanted: '1.2.3',
      deployed: '1.2.5',
      list: LIST,
      expected: 'downgrade to 1.2.3: pinned; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'D19 a higher pin: upgrade',
      wanted: '1.2.5',
      deployed: '1.2.3',
      list: LIST,
      expected: 'upgrade to 1.2.5: pinned',
    },
    {
      case: 'D19 a lower pin, and downgrades are not allowed: hold',
      wanted: '1.2.3',
      deployed: '1.2.5',
      list: LIST,
      allowDowngrade: false,
      expected: 'downgrade to 1.2.3 waits: the policy does not allow downgrades',
      warns: ['downgrade'],
    },
    {
      case: 'D19 a yanked pin: upgrade with a warning (D7)',
      wanted: '1.2.4',
      deployed: '1.2.3',
      list: ['1.2.3', { version: '1.2.4', yanked: 'hot' }],
      expected: 'upgrade to 1.2.4: pinned; yanked: hot',
      warns: ['yanked'],
    },
    {
      case: 'D19 a pin to a higher build: upgrade',
      wanted: '1.2.3+b2',
      deployed: '1.2.3+b1',
      list: ['1.2.3+b1', '1.2.3+b2'],
      expected: 'upgrade to 1.2.3+b2: pinned',
    },
    {
      case: 'D19 a pin to a lower build: downgrade',
      wanted: '1.2.3+b1',
      deployed: '1.2.3+b2',
      list: ['1.2.3+b1', '1.2.3+b2'],
      expected: 'downgrade to 1.2.3+b1: pinned; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'D19 a pin that was yanked without a reason: upgrade with a warning (D7)',
      wanted: '1.2.4',
      deployed: '1.2.3',
      list: [{ version: '1.2.4', yanked: '' }],
      expected: 'upgrade to 1.2.4: pinned; yanked',
      warns: ['yanked'],
    },
    {
      case: 'D19 the pin is deployed: up to date (I7)',
      wanted: '1.2.3',
      deployed: '1.2.3',
      list: LIST,
      expected: 'up-to-date: pinned',
    },
  ]);
});

describe('[D35] the pin and its builds', () => {
  decidesOn([
    {
      case: 'D35 a build of the pin is deployed, and the pin is published: the pin replaces it',
      wanted: '1.2.3',
      deployed: '1.2.3+b1',
      list: ['1.2.3', '1.2.3+b1'],
      expected: 'downgrade to 1.2.3: pinned; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'D35 the pin names a build, and the version without it is deployed: the build replaces it',
      wanted: '1.2.3+b1',
      deployed: '1.2.3',
      list: ['1.2.3', '1.2.3+b1'],
      expected: 'upgrade to 1.2.3+b1: pinned',
    },
    {
      case: 'D35 only a build of the pin is published: stuck, and the build is named',
      wanted: '1.2.9',
      deployed: '1.2.3',
      list: ['1.2.3', '1.2.9+evil'],
      expected:
        'stuck pin-not-published: the pin is not published; published with the same numbers: 1.2.9+evil; a pin accepts only its exact text',
    },
    {
      case: 'D35 the published pin is refused, and a build of it is deployed: stuck',
      wanted: '1.2.3',
      deployed: '1.2.3+b1',
      list: [{ version: '1.2.3', artifacts: [] }, '1.2.3+b1'],
      expected:
        'stuck no-artifact: the pin is published but refused: no artifact for linux/arm64; published for no platform at all',
    },
    {
      case: 'D35 a build of the pin is deployed, and the pin is not published: it stays',
      wanted: '1.2.3',
      deployed: '1.2.3+b1',
      list: ['1.2.3+b1', '1.2.3+b2'],
      expected: 'up-to-date: a build of the pin 1.2.3, which is not published',
      warns: ['pin-not-published'],
    },
    {
      case: 'D11 the pin has two digests: stuck',
      wanted: '1.2.3',
      deployed: '1.2.2',
      list: [digested('1.2.3', 'any', 'sha256:aa'), digested('1.2.3', 'any', 'sha256:bb')],
      expected:
        'stuck conflicting-digest: the pin is published but refused: two digests for any: sha256:aa and sha256:bb',
    },
    {
      case: 'D35 the pin names a build that is deployed and not published: it stays',
      wanted: '1.2.3+b1',
      deployed: '1.2.3+b1',
      list: ['1.2.3'],
      expected: 'up-to-date: pinned, but no longer published',
      warns: ['pin-not-published'],
    },
    {
      case: 'D35 the pin names a build, and another one is deployed: stuck',
      wanted: '1.2.3+b1',
      deployed: '1.2.3+b2',
      list: ['1.2.3+b2'],
      expected:
        'stuck pin-not-published: the pin is not published; published with the same numbers: 1.2.3+b2; a pin accepts only its exact text',
    },
    {
      case: 'D35 many builds of the pin are published: three are named',
      wanted: '1.2.3',
      deployed: null,
      list: ['1.2.3+b1', '1.2.3+b2', '1.2.3+b3', '1.2.3+b4', '1.2.3+b5'],
      expected:
        'stuck pin-not-published: the pin is not published; published with the same numbers: 1.2.3+b5, 1.2.3+b4, 1.2.3+b3, 2 more; a pin accepts only its exact text',
    },
  ]);
});
