import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';

const LIST = ['1.2.3', '1.2.5', '1.3.0', '1.9.0', '2.0.0', '2.1.0-rc.1'];

describe('D18: outside the branch, whatever the cause', () => {
  decidesOn([
    {
      case: 'D18 above it: a downgrade',
      wanted: '1.*',
      deployed: '2.1.0',
      list: LIST,
      told: 'downgrade to 1.9.0: 2.1.0 is outside 1.*; newest release of 1; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'D18 below it: an upgrade',
      wanted: '1.3.*',
      deployed: '1.2.3',
      list: LIST,
      told: 'upgrade to 1.3.0: 1.2.3 is outside 1.3.*; newest patch of 1.3',
    },
    {
      case: 'D18 a prerelease of another branch',
      wanted: '1.2.*',
      deployed: '1.3.0-rc.1',
      list: LIST,
      told: 'downgrade to 1.2.5: 1.3.0-rc.1 is outside 1.2.*; newest patch of 1.2; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'D18 no downgrade allowed: a hold without end',
      wanted: '1.*',
      list: LIST,
      deployed: '2.1.0',
      allowDowngrade: false,
      told: 'hold of the downgrade to 1.9.0: the policy does not allow downgrades',
      warns: ['downgrade'],
    },
    {
      case: 'D18 no downgrade allowed: an upgrade is one still',
      wanted: '1.*',
      list: LIST,
      deployed: '0.9.0',
      allowDowngrade: false,
      told: 'upgrade to 1.9.0: 0.9.0 is outside 1.*; newest release of 1; new major: read its release notes',
    },
  ]);
});

describe('D19: a pin other than deployed', () => {
  decidesOn([
    {
      case: 'D19 a past one',
      wanted: '1.2.3',
      deployed: '1.2.5',
      list: LIST,
      told: 'downgrade to 1.2.3: pinned; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'D19 a later one',
      wanted: '1.2.5',
      deployed: '1.2.3',
      list: LIST,
      told: 'upgrade to 1.2.5: pinned',
    },
    {
      case: 'D19 no downgrade allowed',
      wanted: '1.2.3',
      deployed: '1.2.5',
      list: LIST,
      allowDowngrade: false,
      told: 'hold of the downgrade to 1.2.3: the policy does not allow downgrades',
      warns: ['downgrade'],
    },
    {
      case: 'D19 a yanked one (D7)',
      wanted: '1.2.4',
      deployed: '1.2.3',
      list: ['1.2.3', { version: '1.2.4', yanked: 'hot' }],
      told: 'upgrade to 1.2.4: pinned; yanked: hot',
      warns: ['yanked'],
    },
    {
      case: 'D19 the build that is named',
      wanted: '1.2.3+b2',
      deployed: '1.2.3+b1',
      list: ['1.2.3+b1', '1.2.3+b2'],
      told: 'upgrade to 1.2.3+b2: pinned',
    },
    {
      case: 'D19 the build that is named, below',
      wanted: '1.2.3+b1',
      deployed: '1.2.3+b2',
      list: ['1.2.3+b1', '1.2.3+b2'],
      told: 'downgrade to 1.2.3+b1: pinned; a downgrade: module data is shared by all versions',
      warns: ['downgrade'],
    },
    {
      case: 'D3 a build of the pin counts as it',
      wanted: '1.2.3',
      deployed: '1.2.3+b1',
      list: ['1.2.3+b1', '1.2.3+b2'],
      told: 'up-to-date: pinned',
    },
    {
      case: 'D3 even beside the pin itself: builds are equal (I7)',
      wanted: '1.2.3',
      deployed: '1.2.3+b1',
      list: ['1.2.3', '1.2.3+b1'],
      told: 'up-to-date: pinned',
    },
    {
      case: 'D19 one that was yanked without a word (D7)',
      wanted: '1.2.4',
      deployed: '1.2.3',
      list: [{ version: '1.2.4', yanked: '' }],
      told: 'upgrade to 1.2.4: pinned; yanked',
      warns: ['yanked'],
    },
    {
      case: 'D19 what runs is the pin',
      wanted: '1.2.3',
      deployed: '1.2.3',
      list: LIST,
      told: 'up-to-date: pinned',
    },
  ]);
});
