import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';

const LIST = ['1.2.3', '1.2.5', '1.3.0', '1.9.0', '2.0.0', '2.1.0-rc.1'];

describe('D14: the deployed version is a version, none or unknown', () => {
  decidesOn([
    {
      case: 'D14 nothing deployed: install',
      wanted: '1.2.*',
      deployed: null,
      list: LIST,
      expected: 'install of 1.2.5: not deployed yet; newest patch of 1.2',
    },
    {
      case: 'D14 unknown: stuck, although a release matches',
      deployed: undefined,
      list: LIST,
      wanted: '1.2.*',
      expected: 'stuck deployed-unknown: the deployed version is not known',
    },
    {
      case: 'D14 unknown and pinned: stuck',
      wanted: '1.2.3',
      deployed: undefined,
      list: LIST,
      expected: 'stuck deployed-unknown: the deployed version is not known',
    },
    {
      case: 'D14 unknown and no release list: deployed-unknown takes precedence',
      deployed: undefined,
      wanted: '1.2.*',
      list: { error: { kind: 'unknown-module', message: 'no module acme:lidar' } },
      expected: 'stuck deployed-unknown: the deployed version is not known',
    },
    {
      case: 'D14 text that is not a version: keep, with a warning',
      wanted: 'latest',
      deployed: 'reload-7',
      list: LIST,
      expected: 'ahead: "reload-7" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 text with a colon is not read as an address: keep',
      wanted: 'latest',
      list: LIST,
      deployed: 'acme:lidar',
      expected: 'ahead: "acme:lidar" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 an address for a module: keep, without its credentials, query and hash in the message',
      wanted: 'latest',
      list: LIST,
      deployed: 'https://user:SECRET@b.example/x?SECRET#SECRET',
      expected: 'ahead: "https://b.example/x" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 text with a hash: keep, without the part after the hash in the message',
      wanted: 'latest',
      deployed: 'ftp://b.example/x#SECRET',
      list: LIST,
      expected: 'ahead: "ftp://b.example/x" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 text that is not a version, and no eligible release: keep',
      wanted: '3.*',
      list: LIST,
      deployed: 'reload-7',
      expected: 'ahead: "reload-7" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 text that is not a version: a pin replaces it',
      wanted: '1.2.3',
      deployed: 'reload-7',
      list: LIST,
      expected: 'upgrade to 1.2.3: pinned',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D14 text that is not a version, and a pin that is not published: stuck',
      wanted: '1.2.4',
      deployed: 'v1.2.3',
      list: LIST,
      expected:
        'stuck pin-not-published: the pin is not published; the nearest published versions are 1.2.3 and 1.2.5',
      warns: ['deployed-not-a-version'],
    },
  ]);
});

describe('D15: deployed lower than resolved, in the branch', () => {
  decidesOn([
    {
      case: 'D15 a lower patch: upgrade',
      wanted: '1.2.*',
      deployed: '1.2.3',
      list: LIST,
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D15 a prerelease of the resolved version: upgrade',
      wanted: '1.2.*',
      deployed: '1.2.5-rc.1',
      list: LIST,
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D15 a lower major: upgrade, and the reason names the new major',
      wanted: 'latest',
      deployed: '1.9.0',
      list: LIST,
      expected: 'upgrade to 2.0.0: newest release; new major: read its release notes',
    },
    {
      case: 'D15 a release, and a newer prerelease that is accepted: upgrade',
      wanted: 'latest-with-prerelease',
      deployed: '2.0.0',
      list: LIST,
      expected: 'upgrade to 2.1.0-rc.1: newest release or prerelease',
    },
    {
      case: 'D15 the deployed and the new version are deprecated: upgrade with two warnings',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [
        { version: '1.0.0', deprecated: 'slow' },
        { version: '1.1.0', deprecated: '' },
      ],
      expected: 'upgrade to 1.1.0: newest release of 1; deprecated',
      warns: ['deprecated', 'deprecated'],
    },
    {
      case: 'D15 the resolved version is deployed: up to date',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      expected: 'up-to-date: already the newest patch of 1.2',
    },
    {
      case: 'D2 another build of the resolved version is deployed: up to date',
      wanted: '1.2.*',
      deployed: '1.2.5+b1',
      list: ['1.2.5+b2'],
      expected: 'up-to-date: already the newest patch of 1.2; 1.2.5+b2 is another build of it',
    },
  ]);
});

describe('D16, D17: deployed higher than resolved, in the branch', () => {
  decidesOn([
    {
      case: 'D16 a prerelease of the next patch: keep',
      wanted: '1.2.*',
      deployed: '1.2.6-rc.1',
      list: LIST,
      expected:
        'ahead: stays at 1.2.6-rc.1, which is not in the list; the newest patch of 1.2 that may be selected is 1.2.5',
      warns: ['ahead'],
    },
    {
      case: 'D16 a version that is no longer listed: keep',
      wanted: '1.2.*',
      deployed: '1.2.6',
      list: LIST,
      expected:
        'ahead: stays at 1.2.6, which is not in the list; the newest patch of 1.2 that may be selected is 1.2.5',
      warns: ['ahead'],
    },
    {
      case: 'D16 a yanked version: keep (D7)',
      wanted: '1.2.*',
      deployed: '1.2.6',
      list: [...LIST, { version: '1.2.6', yanked: 'hot' }],
      expected:
        'ahead: stays at 1.2.6, which is yanked: hot; the newest patch of 1.2 that may be selected is 1.2.5',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D7 a yanked version, and a newer release: upgrade',
      wanted: '1.*',
      deployed: '1.2.5',
      list: ['1.2.3', { version: '1.2.5', yanked: '' }, '1.3.0'],
      expected: 'upgrade to 1.3.0: newest release of 1',
      warns: ['deployed-yanked'],
    },
    {
      case: 'D17 latest with a newer prerelease deployed: keep',
      wanted: 'latest',
      deployed: '2.0.0-rc.2',
      list: ['1.8.0', '1.9.0', '2.0.0-rc.1'],
      expected:
        'ahead: stays at 2.0.0-rc.2, which is not in the list; the newest release that may be selected is 1.9.0',
      warns: ['ahead'],
    },
    {
      case: 'D17 latest-with-prerelease with a newer version deployed: keep',
      wanted: 'latest-with-prerelease',
      deployed: '3.0.0',
      list: LIST,
      expected:
        'ahead: stays at 3.0.0, which is not in the list; the newest release or prerelease that may be selected is 2.1.0-rc.1',
      warns: ['ahead'],
    },
  ]);
});

describe('[T28] a version far above all others was published, and is yanked later', () => {
  const yanked = [...LIST, { version: '999999999.0.0', yanked: 'not ours' }];
  decidesOn([
    {
      case: 'before its yank it is a version like others: upgrade',
      wanted: 'latest',
      deployed: '2.0.0',
      list: [...LIST, '999999999.0.0'],
      expected: 'upgrade to 999999999.0.0: newest release; new major: read its release notes',
    },
    {
      case: 'after its yank it is not selected',
      wanted: 'latest',
      deployed: '1.9.0',
      list: yanked,
      expected:
        'upgrade to 2.0.0: newest release that may be selected; new major: read its release notes; 999999999.0.0 is yanked: not ours',
    },
    {
      case: 'where it is deployed it stays (D16)',
      wanted: 'latest',
      deployed: '999999999.0.0',
      list: yanked,
      expected:
        'ahead: stays at 999999999.0.0, which is yanked: not ours; the newest release that may be selected is 2.0.0',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'a pin reverts it',
      wanted: '2.0.0',
      deployed: '999999999.0.0',
      list: yanked,
      expected: 'downgrade to 2.0.0: pinned; a downgrade: module data is shared by all versions',
      warns: ['deployed-yanked', 'downgrade'],
    },
  ]);
});
