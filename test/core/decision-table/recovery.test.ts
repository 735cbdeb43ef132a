import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';
import { DAY, NOW, aged } from '../../support/decides.ts';

const LIST = ['1.2.3', '1.2.5', '1.3.0'];
const FAILED = [{ version: '1.3.0', reason: 'it crashed' }];
const HELD = { isServerBusy: true, restarts: [NOW - 1000], restartCeiling: 1 };

describe('[D37] a release failed: a rollback, whatever is deployed now', () => {
  decidesOn([
    {
      case: 'D37 nothing is deployed: the previous version, and nothing holds it',
      wanted: '1.*',
      deployed: null,
      failed: '1.3.0',
      previous: '1.2.3',
      list: LIST,
      quarantine: FAILED,
      timing: HELD,
      expected:
        'rollback to 1.2.3: 1.3.0 failed on this machine (it crashed); 1.2.3 was deployed before it',
    },
    {
      case: 'D37 the deployed version is not known: the same, which outranks D14',
      wanted: '1.*',
      deployed: undefined,
      failed: '1.3.0',
      previous: '1.2.3',
      list: LIST,
      quarantine: FAILED,
      timing: HELD,
      expected:
        'rollback to 1.2.3: 1.3.0 failed on this machine (it crashed); 1.2.3 was deployed before it',
    },
    {
      case: 'D37 the previous version is too young: its age does not matter',
      wanted: '1.*',
      deployed: null,
      failed: '1.3.0',
      previous: '1.2.3',
      list: [aged('1.2.3', 1), aged('1.3.0', 9)],
      quarantine: FAILED,
      eligibility: { minimumAge: { ms: 7 * DAY, unknown: 'refuse' } },
      expected:
        'rollback to 1.2.3: 1.3.0 failed on this machine (it crashed); 1.2.3 was deployed before it',
    },
    {
      case: 'D37 a first install failed: the newest eligible release, and nothing holds it',
      wanted: '1.*',
      deployed: null,
      failed: '1.3.0',
      list: LIST,
      quarantine: FAILED,
      timing: HELD,
      expected:
        'rollback to 1.2.5: 1.3.0 failed on this machine (it crashed); 1.2.5 instead: newest release of 1 that may be selected',
    },
    {
      case: 'D37 nothing else is eligible: stuck',
      wanted: '1.3.*',
      deployed: null,
      failed: '1.3.0',
      list: LIST,
      quarantine: FAILED,
      expected:
        'stuck no-match: no release may be selected: 2 of another minor version, 1 in quarantine',
    },
    {
      case: 'D37 the failed version is pinned: stuck quarantined',
      wanted: '1.3.0',
      deployed: null,
      failed: '1.3.0',
      previous: '1.2.3',
      list: LIST,
      quarantine: FAILED,
      expected: 'stuck quarantined: the pin failed on this machine (it crashed) and is quarantined',
    },
    {
      case: 'D37 another version is deployed: the previous version replaces it',
      wanted: '1.*',
      deployed: '1.9.0',
      failed: '1.3.0',
      previous: '1.2.3',
      list: LIST,
      quarantine: FAILED,
      timing: HELD,
      expected:
        'rollback to 1.2.3: 1.3.0 failed on this machine (it crashed); 1.2.3 was deployed before it',
    },
    {
      case: 'D37 text that is not a version is deployed: the same, which outranks D14',
      wanted: '1.*',
      deployed: 'reload-7',
      failed: '1.3.0',
      previous: '1.2.3',
      list: LIST,
      quarantine: FAILED,
      expected:
        'rollback to 1.2.3: 1.3.0 failed on this machine (it crashed); 1.2.3 was deployed before it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D37 a version that may be selected is deployed: nothing is left to recover from',
      wanted: '1.*',
      deployed: '1.2.5',
      failed: '1.3.0',
      list: LIST,
      quarantine: FAILED,
      expected: 'up-to-date: stays at 1.2.5: 1.3.0 is quarantined on this machine (it crashed)',
    },
    {
      case: 'D37 nothing is eligible, and another version of the branch is deployed: it stays',
      wanted: '1.2.*',
      deployed: '1.2.2',
      failed: '1.2.4',
      quarantine: [{ version: '1.2.4' }],
      list: ['1.2.4'],
      expected:
        'ahead: stays at 1.2.2, which is not in the list; 1.2.4 is quarantined on this machine; no release may be selected: 1 in quarantine',
      warns: ['ahead'],
    },
    {
      case: 'D37 the quarantine was lifted, nothing is deployed: install, which a hold delays',
      wanted: '1.*',
      deployed: null,
      failed: '1.3.0',
      previous: '1.2.3',
      list: LIST,
      timing: { isServerBusy: true },
      expected: 'install of 1.3.0 waits: the server is processing config changes',
    },
    {
      case: 'D37 the quarantine was lifted, the deployed version is not known: stuck (D14)',
      wanted: '1.*',
      deployed: undefined,
      failed: '1.3.0',
      list: LIST,
      expected: 'stuck deployed-unknown: the deployed version is not known',
    },
    {
      case: 'D37 another file of the failed version is published, nothing is deployed: install',
      wanted: '1.*',
      deployed: null,
      failed: '1.3.0',
      list: [{ version: '1.3.0', artifacts: [{ platform: 'any', digest: 'sha256:bb' }] }],
      quarantine: [{ version: '1.3.0', digest: 'sha256:aa' }],
      expected: 'install of 1.3.0: not deployed yet; newest release of 1',
    },
  ]);
});
