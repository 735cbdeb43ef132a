import { describe } from 'vitest';
import { decidesOn } from '../../support/decided.ts';
import { NOW } from '../../support/decides.ts';

const RECALLED = { version: '1.2.9', yanked: 'stops the motor' };
const DOWN = 'a downgrade: module data is shared by all versions';

describe('[D33] the deployed version was yanked, and the policy replaces yanked versions', () => {
  decidesOn([
    {
      case: 'D33 a lower release is eligible: downgrade, which outranks D16',
      wanted: '1.2.*',
      deployed: '1.2.9',
      list: ['1.2.8', RECALLED],
      onYank: 'replace',
      expected: `downgrade to 1.2.8: 1.2.9 is yanked: stops the motor; newest patch of 1.2 that may be selected; ${DOWN}`,
      warns: ['deployed-yanked', 'downgrade'],
    },
    {
      case: 'D33 by default it is kept',
      wanted: '1.2.*',
      deployed: '1.2.9',
      list: ['1.2.8', RECALLED],
      expected:
        'ahead: stays at 1.2.9, which is yanked: stops the motor; the newest patch of 1.2 that may be selected is 1.2.8',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D33 the policy keeps it',
      wanted: '1.2.*',
      deployed: '1.2.9',
      list: ['1.2.8', RECALLED],
      onYank: 'keep',
      expected:
        'ahead: stays at 1.2.9, which is yanked: stops the motor; the newest patch of 1.2 that may be selected is 1.2.8',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D33 a higher release is eligible: upgrade',
      wanted: '1.*',
      deployed: '1.2.9',
      list: ['1.2.8', RECALLED, '1.3.0'],
      onYank: 'replace',
      expected: 'upgrade to 1.3.0: 1.2.9 is yanked: stops the motor; newest release of 1',
      warns: ['deployed-yanked'],
    },
    {
      case: 'D33 latest, and the yanked version is a prerelease: downgrade, which outranks D17',
      wanted: 'latest',
      deployed: '2.0.0-rc.1',
      list: ['1.9.0', { version: '2.0.0-rc.1', yanked: '' }],
      onYank: 'replace',
      expected: `downgrade to 1.9.0: 2.0.0-rc.1 is yanked; newest release; ${DOWN}`,
      warns: ['deployed-yanked', 'downgrade'],
    },
    {
      case: 'D33 only another build is eligible: it replaces the yanked one (D2)',
      wanted: '1.2.*',
      deployed: '1.2.9+b2',
      list: ['1.2.9+b1', { version: '1.2.9+b2', yanked: '' }],
      onYank: 'replace',
      expected: `downgrade to 1.2.9+b1: 1.2.9+b2 is yanked; newest patch of 1.2 that may be selected; ${DOWN}`,
      warns: ['deployed-yanked', 'downgrade'],
    },
    {
      case: 'D33 nothing is eligible: it is kept with a warning',
      wanted: '1.2.*',
      deployed: '1.2.9',
      list: ['1.1.0', RECALLED],
      onYank: 'replace',
      expected:
        'ahead: stays at 1.2.9, which is yanked: stops the motor; no release may be selected: 1 yanked, 1 of another minor version',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D33 a pin is never replaced',
      wanted: '1.2.9',
      deployed: '1.2.9',
      list: ['1.2.8', RECALLED],
      onYank: 'replace',
      expected: 'up-to-date: pinned',
      warns: ['deployed-yanked'],
    },
    {
      case: 'D33 a version that is no longer listed was not yanked: kept (D16)',
      wanted: '1.2.*',
      deployed: '1.2.9',
      list: ['1.2.8'],
      onYank: 'replace',
      expected:
        'ahead: stays at 1.2.9, which is not in the list; the newest patch of 1.2 that may be selected is 1.2.8',
      warns: ['ahead'],
    },
    {
      case: 'D33 downgrades are not allowed: a hold without an end',
      wanted: '1.2.*',
      deployed: '1.2.9',
      list: ['1.2.8', RECALLED],
      onYank: 'replace',
      allowDowngrade: false,
      expected:
        'downgrade to 1.2.8 waits: the policy does not allow downgrades; 1.2.9 is yanked: stops the motor',
      warns: ['deployed-yanked', 'downgrade'],
    },
    {
      case: 'D33 in the restart cooldown: held',
      wanted: '1.2.*',
      deployed: '1.2.9',
      list: ['1.2.8', RECALLED],
      onYank: 'replace',
      timing: { restarts: [NOW - 60_000] },
      expected:
        'downgrade to 1.2.8 waits until 2026-11-21T00:04:00Z: cooling down after a restart until 2026-11-21T00:04:00Z; 1.2.9 is yanked: stops the motor',
      warns: ['deployed-yanked', 'downgrade'],
    },
    {
      case: 'D33 the yanked version failed too: a rollback, which nothing holds (D13)',
      wanted: '1.2.*',
      deployed: '1.2.9',
      previous: '1.2.7',
      list: ['1.2.7', '1.2.8', RECALLED],
      quarantine: [{ version: '1.2.9' }],
      onYank: 'replace',
      timing: { isServerBusy: true },
      expected: 'rollback to 1.2.7: 1.2.9 failed on this machine; 1.2.7 was deployed before it',
      warns: ['deployed-yanked'],
    },
  ]);
});

describe('[D165] the policy names a trust document, and the deployed version was yanked', () => {
  const list = ['1.2.8', RECALLED];
  decidesOn([
    {
      case: 'D165 by its author: it is replaced',
      wanted: '1.2.*',
      deployed: '1.2.9',
      list,
      signed: ['1.2.8', '1.2.9', 'yank 1.2.9'],
      onYank: 'replace',
      expected: `downgrade to 1.2.8: 1.2.9 is yanked: stops the motor; newest patch of 1.2 that may be selected; ${DOWN}`,
      warns: ['deployed-yanked', 'downgrade'],
    },
    {
      case: 'D165 by nobody who may: it is kept, and selected no more',
      wanted: '1.2.*',
      deployed: '1.2.9',
      list,
      signed: ['1.2.8', '1.2.9'],
      onYank: 'replace',
      expected:
        'ahead: stays at 1.2.9, which is yanked: stops the motor; the newest patch of 1.2 that may be selected is 1.2.8',
      warns: ['ahead', 'deployed-yanked'],
    },
    {
      case: 'D165 by nobody who may: a higher release is an upgrade as always',
      wanted: '1.*',
      deployed: '1.2.9',
      list: [...list, '1.3.0'],
      signed: ['1.3.0'],
      onYank: 'replace',
      expected: 'upgrade to 1.3.0: 1.2.9 is yanked: stops the motor; newest release of 1',
      warns: ['deployed-yanked'],
    },
    {
      case: 'D165 and a first install does not select it',
      wanted: '1.2.*',
      deployed: null,
      list,
      signed: ['1.2.8', '1.2.9'],
      onYank: 'replace',
      expected:
        'install of 1.2.8: not deployed yet; newest patch of 1.2 that may be selected; 1.2.9 is yanked: stops the motor',
      warns: [],
    },
  ]);
});
