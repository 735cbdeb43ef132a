import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';

const LIST = ['1.2.3', '1.2.5', '1.3.0', '1.9.0', '2.0.0', '2.1.0-rc.1'];

describe('D14: what is deployed is a version, none or unknown', () => {
  decidesOn([
    {
      case: 'D14 none: install',
      wanted: '1.2.*',
      deployed: null,
      list: LIST,
      told: 'install of 1.2.5: not deployed yet; newest patch of 1.2',
    },
    {
      case: 'D14 unknown: stuck, whatever is published',
      deployed: undefined,
      list: LIST,
      wanted: '1.2.*',
      told: 'stuck deployed-unknown: the deployed version is not known',
    },
    {
      case: 'D14 unknown and pinned: stuck too',
      wanted: '1.2.3',
      deployed: undefined,
      list: LIST,
      told: 'stuck deployed-unknown: the deployed version is not known',
    },
    {
      case: 'D14 unknown, and no list: what is deployed comes first',
      deployed: undefined,
      wanted: '1.2.*',
      list: { error: { kind: 'unknown-module', message: 'no module acme:lidar' } },
      told: 'stuck deployed-unknown: the deployed version is not known',
    },
    {
      case: 'D14 no version: keep, with a warning',
      wanted: 'latest',
      deployed: 'reload-7',
      list: LIST,
      told: 'ahead: "reload-7" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 no version, though it has a colon',
      wanted: 'latest',
      list: LIST,
      deployed: 'acme:lidar',
      told: 'ahead: "acme:lidar" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 no version, and no word of what it may hide',
      wanted: 'latest',
      list: LIST,
      deployed: 'https://user:SECRET@b.example/x?SECRET#SECRET',
      told: 'ahead: "https://b.example/x" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 no version, nor of what stands behind a hash',
      wanted: 'latest',
      deployed: 'ftp://b.example/x#SECRET',
      list: LIST,
      told: 'ahead: "ftp://b.example/x" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 no version, where no release may be chosen: keep',
      wanted: '3.*',
      list: LIST,
      deployed: 'reload-7',
      told: 'ahead: "reload-7" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 no version: a pin replaces it',
      wanted: '1.2.3',
      deployed: 'reload-7',
      list: LIST,
      told: 'upgrade to 1.2.3: pinned',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 no version: a pin that is not published does not',
      wanted: '1.2.4',
      deployed: 'v1.2.3',
      list: LIST,
      told: 'stuck pin-not-published: the pin is not published; the nearest published versions are 1.2.3 and 1.2.5',
      warns: ['deployed-not-a-version'],
    },
  ]);
});

describe('D15: lower than resolved, in the branch', () => {
  decidesOn([
    {
      case: 'D15 a patch',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: LIST,
      told: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D15 its own prerelease',
      wanted: '1.2.*',
      deployed: '1.2.5-rc.1',
      list: LIST,
      told: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D15 a new major is said',
      wanted: 'latest',
      deployed: '1.9.0',
      list: LIST,
      told: 'upgrade to 2.0.0: newest release; new major: read its release notes',
    },
    {
      case: 'D15 a prerelease',
      wanted: 'latest-with-prerelease',
      deployed: '2.0.0',
      list: LIST,
      told: 'upgrade to 2.1.0-rc.1: newest release or prerelease',
    },
    {
      case: 'D15 deprecated on both sides',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [
        { version: '1.0.0', deprecated: 'slow' },
        { version: '1.1.0', deprecated: '' },
      ],
      told: 'upgrade to 1.1.0: newest release of 1; deprecated',
      warns: ['deprecated', 'deprecated'],
    },
    {
      case: 'D15 equal: up to date',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      told: 'up-to-date: already the newest patch of 1.2',
    },
    {
      case: 'D2 another build of it: up to date',
      wanted: '1.2.*',
      deployed: '1.2.5+b1',
      list: ['1.2.5+b2'],
      told: 'up-to-date: already the newest patch of 1.2; 1.2.5+b2 is another build of it',
    },
  ]);
});

describe('D16, D17: newer than resolved, in the branch', () => {
  decidesOn([
    {
      case: 'D16 a prerelease of the next patch',
      wanted: '1.2.*',
      deployed: '1.2.6-rc.1',
      list: LIST,
      told: 'ahead: newer than 1.2.5, the newest patch of 1.2 that may be chosen; it is not in the list; it is kept, not downgraded',
      warns: ['ahead'],
    },
    {
      case: 'D16 a version that vanished',
      wanted: '1.2.*',
      deployed: '1.2.6',
      list: LIST,
      told: 'ahead: newer than 1.2.5, the newest patch of 1.2 that may be chosen; it is not in the list; it is kept, not downgraded',
      warns: ['ahead'],
    },
    {
      case: 'D16 one that was yanked (D7)',
      wanted: '1.2.*',
      deployed: '1.2.6',
      list: [...LIST, { version: '1.2.6', yanked: 'hot' }],
      told: 'ahead: newer than 1.2.5, the newest patch of 1.2 that may be chosen; refused: yanked: hot; it is kept, not downgraded',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D7 yanked, and something newer: upgrade',
      wanted: '1.*',
      deployed: '1.2.5',
      list: ['1.2.3', { version: '1.2.5', yanked: '' }, '1.3.0'],
      told: 'upgrade to 1.3.0: newest release of 1',
      warns: ['deployed-yanked'],
    },
    {
      case: 'D17 latest never goes down',
      wanted: 'latest',
      deployed: '2.0.0-rc.2',
      list: ['1.8.0', '1.9.0', '2.0.0-rc.1'],
      told: 'ahead: newer than 1.9.0, the newest release that may be chosen; it is not in the list; it is kept, not downgraded',
      warns: ['ahead'],
    },
    {
      case: 'D17 nor does latest-with-prerelease',
      wanted: 'latest-with-prerelease',
      deployed: '3.0.0',
      list: LIST,
      told: 'ahead: newer than 2.1.0-rc.1, the newest release or prerelease that may be chosen; it is not in the list; it is kept, not downgraded',
      warns: ['ahead'],
    },
  ]);
});
