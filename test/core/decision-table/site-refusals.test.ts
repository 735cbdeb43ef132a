import { describe } from 'vitest';
import { constraint } from '../../support/ask.ts';
import { decidesOn } from '../../support/decided.ts';
import { aged, decides, NOW } from '../../support/decides.ts';
import { refusing } from '../../support/refusing.ts';

const LIST = ['1.2.3', '1.2.4', '1.2.5', '1.3.0-rc.1', '1.3.0', '1.3.1+b2', '2.0.0'];
const BECAUSE = refusing('1.2.5').map(({ versions }) => ({ versions, because: 'stops the motor' }));

describe('[D94] what the policy of the site refuses', () => {
  decides([
    {
      case: 'D94 one version: the next lower one is selected',
      constraint: '1.2.*',
      list: LIST,
      eligibility: { now: NOW, refuse: refusing('1.2.5') },
      chosen: '1.2.4',
      refused: [
        '2.0.0: other-major',
        '1.3.1+b2: other-minor',
        '1.3.0: other-minor',
        '1.3.0-rc.1: other-minor',
        '1.2.5: refused-by-site',
        '1.2.3: older',
      ],
    },
    {
      case: 'D94 a branch: prereleases and builds of it too',
      constraint: 'latest-with-prerelease',
      list: LIST,
      eligibility: { now: NOW, refuse: refusing('1.3.*', '2.*') },
      chosen: '1.2.5',
      refused: [
        '2.0.0: refused-by-site',
        '1.3.1+b2: refused-by-site',
        '1.3.0: refused-by-site',
        '1.3.0-rc.1: refused-by-site',
        '1.2.4: older',
        '1.2.3: older',
      ],
    },
    {
      case: 'D94 one version is not its builds, and 1.3.* is not 1.30.0',
      constraint: 'latest',
      list: ['1.3.0+b2', '1.3.0', '1.30.0'],
      eligibility: { now: NOW, refuse: refusing('1.3.0', '1.3.*') },
      chosen: '1.30.0',
      refused: ['1.3.0+b2: refused-by-site', '1.3.0: refused-by-site'],
    },
    {
      case: 'D94 a build that is not named',
      constraint: 'latest',
      list: ['1.3.0+b2', '1.3.0'],
      eligibility: { now: NOW, refuse: refusing('1.3.0') },
      chosen: '1.3.0+b2',
      refused: ['1.3.0: refused-by-site'],
    },
    {
      case: 'D94 comes after a changed digest and before a quarantine, an age and a rollout',
      constraint: '1.*',
      list: [
        { ...aged('1.0.2', 1), rollout: { salt: 's1', percent: 0, share: 0 } },
        '1.0.1',
        { version: '1.0.0', yanked: '' },
      ],
      eligibility: {
        now: NOW,
        refuse: refusing('1.0.*'),
        changedDigests: new Map([
          ['1.0.1', { platform: 'any', first: 'sha256:aa', now: 'sha256:bb' }],
        ]),
        quarantine: [{ version: '1.0.2' }],
        minimumAge: { ms: 9e9, unknown: 'refuse' },
        rollouts: {},
      },
      chosen: undefined,
      refused: ['1.0.2: refused-by-site', '1.0.1: digest-changed', '1.0.0: yanked'],
    },
  ]);
});

describe('[D94] decisions about what the site refuses', () => {
  decidesOn([
    {
      case: 'D94 [T395] a deployed version stays, with a warning',
      wanted: '1.2.*',
      deployed: '1.2.5',
      list: LIST,
      eligibility: { refuse: BECAUSE },
      expected:
        'ahead: stays at 1.2.5, which is refused by the policy of the site: 1.2.5 (stops the motor); the newest patch of 1.2 that may be selected is 1.2.4',
      warns: ['ahead', 'deployed-refused'],
    },
    {
      case: 'D94 [T395] a deployed version is upgraded as any other',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      eligibility: { refuse: refusing('1.2.4') },
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
      warns: ['deployed-refused'],
    },
    {
      case: 'D94 [T395] everything is refused: the deployed version stays',
      wanted: 'latest',
      deployed: '1.2.4',
      list: ['1.2.4', '1.2.5'],
      eligibility: { refuse: refusing('1.*') },
      expected:
        'ahead: stays at 1.2.4, which is refused by the policy of the site: 1.*; 1.2.5 is refused by the policy of the site: 1.*; no release may be selected: 2 refused by the policy',
      warns: ['ahead', 'deployed-refused'],
    },
    {
      case: 'D94 a pin to a refused version is stuck',
      wanted: '1.2.5',
      deployed: '1.2.4',
      list: LIST,
      eligibility: { refuse: BECAUSE },
      expected:
        'stuck refused-by-site: the pin is published but refused: refused by the policy of the site: 1.2.5 (stops the motor)',
    },
    {
      case: 'D94 [T395] a pin that is deployed stays',
      wanted: '1.2.5',
      deployed: '1.2.5',
      list: LIST,
      eligibility: { refuse: BECAUSE },
      expected:
        'ahead: stays at 1.2.5, which is refused by the policy of the site: 1.2.5 (stops the motor)',
      warns: ['ahead', 'deployed-refused'],
    },
    {
      case: 'D94 the reason names the newer release',
      wanted: '1.2.*',
      deployed: '1.2.4',
      list: LIST,
      eligibility: { refuse: BECAUSE },
      expected:
        'up-to-date: stays at 1.2.4: 1.2.5 is refused by the policy of the site: 1.2.5 (stops the motor)',
    },
    {
      case: 'D94 a rollback does not go to a refused version, although it ran here',
      wanted: '1.2.*',
      deployed: '1.2.5',
      previous: '1.2.4',
      list: LIST,
      quarantine: [{ version: '1.2.5' }],
      eligibility: { refuse: refusing('1.2.4') },
      expected:
        'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 instead: newest patch of 1.2 that may be selected; 1.2.4 is refused by the policy of the site: 1.2.4',
    },
    {
      case: 'D94 [T395] a version that failed stays if all others are refused',
      wanted: '1.2.*',
      deployed: '1.2.5',
      previous: '1.2.4',
      list: ['1.2.4', '1.2.5'],
      quarantine: [{ version: '1.2.5' }],
      eligibility: { refuse: refusing('1.2.4') },
      expected:
        'ahead: stays at 1.2.5, which is quarantined on this machine; no release may be selected: 1 in quarantine, 1 refused by the policy',
      warns: ['ahead'],
    },
  ]);
});

const BRANCH = {
  version: '1.2.*',
  // As the file of the machine is read.
  branch: constraint('1.2.*') as { kind: 'minor'; major: number; minor: number },
  byOperator: true,
} as const;

describe('[D95] a quarantine of all versions with the same first numbers', () => {
  decidesOn([
    {
      case: 'D95 refuses each, pins included',
      wanted: '1.2.5',
      deployed: '1.1.0',
      list: [...LIST, '1.1.0'],
      quarantine: [{ ...BRANCH, reason: 'loses frames' }],
      expected:
        'stuck quarantined: the pin was refused by an operator (loses frames) and is quarantined',
    },
    {
      case: 'D95 rolls a deployed one back',
      wanted: '1.*',
      deployed: '1.2.5',
      previous: '1.1.0',
      list: ['1.1.0', '1.2.5', '1.2.6'],
      quarantine: [BRANCH],
      expected:
        'rollback to 1.1.0: 1.2.5 was refused by an operator; 1.1.0 was deployed before it; 1.2.6 is quarantined on this machine',
    },
    {
      case: 'D95 ends by time',
      wanted: '1.*',
      deployed: '1.1.0',
      list: ['1.1.0', '1.2.5'],
      quarantine: [{ ...BRANCH, until: NOW }],
      expected: 'upgrade to 1.2.5: newest release of 1',
    },
  ]);
});
