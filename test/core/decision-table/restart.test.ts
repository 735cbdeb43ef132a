import { describe, expect, it } from 'vitest';
import { decide, describeChange } from '../../../src/core/index.ts';
import { nextChange } from '../../../src/core/decision/next-change.ts';
import { actionOf } from '../../../src/core/plan/action.ts';
import { LIDAR } from '../../support/claimed.ts';
import { decidesOn, moduleQuestion, openFrom, type Situation } from '../../support/decided.ts';
import { DAY, NOW } from '../../support/decides.ts';

const HOUR = DAY / 24;
const REQUESTED = { requestedAt: NOW - HOUR, isImmediate: false };
const AT_ONCE = { ...REQUESTED, isImmediate: true };
const CURRENT = { wanted: '1.2.*', deployed: '1.2.5', list: ['1.2.5', '1.2.3'] } as const;
const OLD = { ...CURRENT, deployed: '1.2.3' };
const CLOSED = { window: openFrom([NOW + HOUR, NOW + 2 * HOUR]) };
const RECENT = { restarts: [NOW - 60_000] };
const ASKED = 'an operator requested a restart at 2026-11-20T23:00:00Z';
const URGENT = 'an operator requested an immediate restart at 2026-11-20T23:00:00Z';
const SHUT = 'the maintenance window is closed until 2026-11-21T01:00:00Z';

describe('D41: a requested restart of a version that is kept', () => {
  decidesOn([
    {
      case: 'D41 the selected version restarts',
      ...CURRENT,
      restartRequest: REQUESTED,
      expected: `restart of 1.2.5: ${ASKED}`,
    },
    {
      case: 'D41 a version that is ahead restarts, also one that is not listed',
      ...CURRENT,
      deployed: '1.2.9',
      restartRequest: REQUESTED,
      expected: `restart of 1.2.9: ${ASKED}`,
    },
    {
      case: 'D41 with D25: a closed window holds it',
      ...CURRENT,
      timing: CLOSED,
      restartRequest: REQUESTED,
      expected: `restart of 1.2.5 waits until 2026-11-21T01:00:00Z: ${SHUT}; ${ASKED}`,
    },
    {
      case: 'D41 with D29: the agent must allow it',
      ...CURRENT,
      timing: { answer: 'not-allowed' },
      restartRequest: REQUESTED,
      expected: `restart of 1.2.5 waits: maintenance is not allowed now; ${ASKED}`,
    },
    {
      case: 'D41 with D25: a busy server holds it',
      ...CURRENT,
      timing: { isServerBusy: true },
      restartRequest: REQUESTED,
      expected: `restart of 1.2.5 waits: the server is processing config changes; ${ASKED}`,
    },
    {
      case: 'D41 neither cooldown nor ceiling holds it',
      ...CURRENT,
      timing: { ...RECENT, restartCeiling: 1 },
      restartRequest: REQUESTED,
      expected: `restart of 1.2.5: ${ASKED}`,
    },
    {
      case: 'D41 nothing holds an immediate restart',
      ...CURRENT,
      timing: { ...CLOSED, ...RECENT, answer: 'failed', isServerBusy: true },
      restartRequest: AT_ONCE,
      expected: `restart of 1.2.5: ${URGENT}`,
    },
  ]);
});

describe('D41: a requested restart beside a replacement', () => {
  decidesOn([
    {
      case: 'D41 a replacement that is due comes first',
      ...OLD,
      restartRequest: AT_ONCE,
      expected: 'upgrade to 1.2.5: newest patch of 1.2',
    },
    {
      case: 'D41 with D13: so does a rollback',
      ...CURRENT,
      previous: '1.2.3',
      quarantine: [{ version: '1.2.5' }],
      restartRequest: AT_ONCE,
      expected: 'rollback to 1.2.3: 1.2.5 failed on this machine; 1.2.3 was deployed before it',
    },
    {
      case: 'D41 one that is held no longer than the restart stays held',
      ...OLD,
      timing: CLOSED,
      restartRequest: REQUESTED,
      expected: `upgrade to 1.2.5 waits until 2026-11-21T01:00:00Z: ${SHUT}; ${ASKED}`,
    },
    {
      case: 'D41 an immediate restart comes before a replacement that is held',
      ...OLD,
      timing: CLOSED,
      restartRequest: AT_ONCE,
      expected: `restart of 1.2.3: ${URGENT}; the upgrade to 1.2.5 is held meanwhile`,
    },
    {
      case: 'D41 a restart comes before a replacement that only the cooldown holds',
      ...OLD,
      timing: RECENT,
      restartRequest: REQUESTED,
      expected: `restart of 1.2.3: ${ASKED}; the upgrade to 1.2.5 is held meanwhile`,
    },
    {
      case: 'D41 with D18: and before a downgrade that the policy does not allow',
      ...OLD,
      wanted: '1.1.*',
      list: ['1.1.0', '1.2.3'],
      allowDowngrade: false,
      restartRequest: REQUESTED,
      expected: `restart of 1.2.3: ${ASKED}; the downgrade to 1.1.0 is held meanwhile`,
    },
  ]);
});

describe('D41: nothing restarts if', () => {
  decidesOn([
    {
      case: 'D41 with D14: nothing is deployed',
      ...CURRENT,
      deployed: null,
      restartRequest: AT_ONCE,
      expected: 'install of 1.2.5: not deployed yet; newest patch of 1.2',
    },
    {
      case: 'D41 with D14: the deployed version is not known',
      ...CURRENT,
      deployed: undefined,
      restartRequest: AT_ONCE,
      expected: 'stuck deployed-unknown: the deployed version is not known',
    },
    {
      case: 'D41 with D14: what is deployed is not a version',
      ...CURRENT,
      deployed: 'nightly',
      restartRequest: AT_ONCE,
      expected: 'ahead: "nightly" is not a version; only a pin replaces it',
      warns: ['deployed-not-a-version'],
    },
    {
      case: 'D41 with D21: there is no release list',
      ...CURRENT,
      list: { error: { kind: 'registry-unreachable', message: 'down' } },
      restartRequest: AT_ONCE,
      expected: 'stuck no-list: down',
    },
    {
      case: 'D41 the subsystem is disabled',
      ...CURRENT,
      wanted: { kind: 'disabled' },
      restartRequest: AT_ONCE,
      expected: 'disabled: disabled by disable_subsystem',
    },
  ]);
});

const ADDRESS = 'https://builds.example/server';

describe('D41: the address of a pin_url', () => {
  const wanted = { kind: 'pin-url', url: ADDRESS, shadowed: undefined } as const;
  const warns = ['unverified-download'];
  decidesOn([
    {
      case: 'D41 with D27: it restarts',
      wanted,
      deployed: ADDRESS,
      restartRequest: REQUESTED,
      expected: `restart of ${ADDRESS}: ${ASKED}`,
      warns,
    },
    {
      case: 'D41 with D27: the version that it replaces restarts while the address is held',
      wanted,
      deployed: '1.2.3',
      timing: CLOSED,
      restartRequest: AT_ONCE,
      expected: `restart of 1.2.3: ${URGENT}; the upgrade to ${ADDRESS} is held meanwhile`,
      warns,
    },
  ]);
});

const FILE = {
  platform: 'linux/arm64',
  url: 'https://files.example/lidar',
  digest: `sha256:${'aa'.repeat(32)}`,
};

describe('D41: the action of a restart', () => {
  const restart = (more: Partial<Situation>) => {
    const list = [{ version: '1.2.5', artifacts: [FILE] }];
    const situation = { ...CURRENT, list, restartRequest: REQUESTED, ...more };
    return actionOf(decide(moduleQuestion(situation)), LIDAR, []);
  };

  it('names what is deployed, its file, and the request', () => {
    expect(restart({})).toEqual({
      kind: 'restart-and-upgrade',
      target: LIDAR,
      from: '1.2.5',
      to: '1.2.5',
      artifact: FILE,
      direction: 'restart',
      stops: [],
      reason: {
        kind: 'request',
        requestedAt: NOW - HOUR,
        isImmediate: false,
        text: ASKED,
        words: { facts: ['an operator requested a restart at ', ''], times: [NOW - HOUR] },
      },
      decidedAt: NOW,
    });
  });

  it.each<[string, Partial<Situation>]>([
    ['whose file has changed since it was first seen', { changed: ['1.2.5'] }],
    ['that is not in the list', { list: [{ version: '1.2.4', artifacts: [FILE] }] }],
    [
      'whose file must not be downloaded',
      {
        list: [{ version: '1.2.5', artifacts: [{ ...FILE, url: 'http://files.example/lidar' }] }],
        eligibility: { artifactRules: { requireDigest: false, allowHttp: [] } },
      },
    ],
  ])('names no file of a release %s [I2]', (_, more) => {
    expect(restart(more)?.to).toBe('1.2.5');
    expect(restart(more)?.artifact).toBeUndefined();
  });
});

function nextOf(situation: Situation): string | undefined {
  const change = nextChange(decide(moduleQuestion(situation)));
  return change && describeChange(change);
}

describe('D41: the next change', () => {
  it('of a held restart is its end', () => {
    expect(nextOf({ ...CURRENT, timing: CLOSED, restartRequest: REQUESTED })).toBe(
      '2026-11-21T01:00:00Z: restart of 1.2.5, as the maintenance window opens',
    );
  });

  it('of a replacement that is held longer than the restart is the restart', () => {
    const timing = { ...CLOSED, restarts: [NOW - 60_000], restartCooldownMs: 3 * HOUR };
    expect(nextOf({ ...OLD, timing, restartRequest: REQUESTED })).toBe(
      '2026-11-21T01:00:00Z: restart of 1.2.3, as the maintenance window opens',
    );
  });

  it('of a restart is the replacement that would come first, however it becomes due', () => {
    // The quarantine ends an hour before the cooldown does.
    const quarantine = [{ version: '1.2.5', until: NOW + HOUR }];
    const timing = { restarts: [NOW - 60_000], restartCooldownMs: 2 * HOUR };
    expect(nextOf({ ...OLD, quarantine, timing, restartRequest: REQUESTED })).toBe(
      '2026-11-21T01:59:00Z: upgrade to 1.2.5, as the restart cooldown ends',
    );
  });
});
