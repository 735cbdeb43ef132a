import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/core/index.ts';
import { nextChange } from '../../../src/core/decision/next-change.ts';
import { decidesOn, moduleQuestion, told } from '../../support/decided.ts';
import { aged, DAY, inRollout, NOW } from '../../support/decides.ts';
import { floor } from '../../support/floor.ts';

const FAILED = { version: '1.1.0', reason: 'stops the motor' };
const LIST = ['1.0.0', floor('1.1.0'), '1.2.0'];
const BEHIND = 'is behind floor 1.1.0, which this machine has to run first';

describe('[D90] a floor that is refused here', () => {
  decidesOn([
    {
      case: 'by its quarantine',
      wanted: '1.*',
      deployed: '1.0.0',
      list: LIST,
      quarantine: [FAILED],
      expected:
        'stuck behind-floor: floor 1.1.0 has to run before any higher release, and is refused: quarantined on this machine (stops the motor)',
    },
    {
      case: 'by its platform',
      wanted: '1.*',
      deployed: '1.0.0',
      list: ['1.0.0', floor('1.1.0', { artifacts: [{ platform: 'linux/amd64' }] }), '1.2.0'],
      expected:
        'stuck behind-floor: floor 1.1.0 has to run before any higher release, and is refused: no artifact for linux/arm64; published for linux/amd64',
    },
    {
      case: 'by the policy, which admits no file without a digest',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [
        '1.0.0',
        floor('1.1.0', { artifacts: [{ platform: 'any', url: 'https://files.example/a' }] }),
        '1.2.0',
      ],
      eligibility: { artifactRules: { requireDigest: true, allowHttp: [] } },
      expected:
        'stuck behind-floor: floor 1.1.0 has to run before any higher release, and is refused: untrusted artifact: its file has no digest',
    },
    {
      case: 'by the policy, which admits no release without a publish time',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [aged('1.0.0', 9), floor('1.1.0'), aged('1.2.0', 9)],
      eligibility: { minimumAge: { ms: DAY, unknown: 'refuse' } },
      expected:
        'stuck behind-floor: floor 1.1.0 has to run before any higher release, and is refused: unknown age: it has no publish time',
    },
    {
      case: 'by a changed digest',
      wanted: '1.*',
      deployed: '1.0.0',
      list: LIST,
      changed: ['1.1.0'],
      expected:
        'stuck behind-floor: floor 1.1.0 has to run before any higher release, and is refused: digest changed: sha256:bb for any, first seen as sha256:aa',
    },
    {
      case: 'by two digests',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [
        '1.0.0',
        floor('1.1.0', { artifacts: [{ platform: 'any', digest: 'sha256:aa' }] }),
        { version: '1.1.0', artifacts: [{ platform: 'any', digest: 'sha256:bb' }] },
        '1.2.0',
      ],
      expected:
        'stuck behind-floor: floor 1.1.0 has to run before any higher release, and is refused: two digests for any: sha256:aa and sha256:bb',
    },
    {
      case: 'is approached before the machine is stuck',
      wanted: '1.*',
      deployed: '1.0.0',
      list: ['1.0.0', '1.0.9', floor('1.1.0'), '1.2.0'],
      quarantine: [FAILED],
      expected: `upgrade to 1.0.9: newest release of 1 that may be selected; 1.2.0 ${BEHIND}, 1.1.0 is quarantined on this machine (stops the motor)`,
    },
    {
      case: 'matters to nobody if nothing is above it',
      wanted: '1.*',
      deployed: '1.0.0',
      list: ['1.0.0', floor('1.1.0')],
      quarantine: [FAILED],
      expected:
        'up-to-date: stays at 1.0.0: 1.1.0 is quarantined on this machine (stops the motor)',
    },
    {
      case: 'matters to nobody if all above it is refused as well',
      wanted: '1.*',
      deployed: '1.0.0',
      list: ['1.0.0', floor('1.1.0'), { version: '1.2.0', yanked: '' }],
      quarantine: [FAILED],
      expected:
        'up-to-date: stays at 1.0.0: 1.2.0 is yanked, 1.1.0 is quarantined on this machine (stops the motor)',
    },
    {
      case: 'is no reason for a lower version, also if the deployed one was yanked (D33)',
      wanted: '1.*',
      deployed: '1.0.5',
      list: ['1.0.0', { version: '1.0.5', yanked: '' }, floor('1.1.0'), '1.2.0'],
      quarantine: [FAILED],
      onYank: 'replace',
      expected:
        'stuck behind-floor: floor 1.1.0 has to run before any higher release, and is refused: quarantined on this machine (stops the motor)',
      warns: ['deployed-yanked'],
    },
    {
      case: 'from outside the branch, with nothing below it',
      wanted: '2.*',
      deployed: '1.0.0',
      list: ['1.0.0', floor('2.0.0'), '2.1.0'],
      quarantine: [{ version: '2.0.0', reason: 'burns' }],
      expected:
        'stuck behind-floor: floor 2.0.0 has to run before any higher release, and is refused: quarantined on this machine (burns)',
    },
    {
      case: '[D92] is passed once an operator skipped it',
      wanted: '1.*',
      deployed: '1.0.0',
      list: LIST,
      quarantine: [FAILED],
      skippedFloors: [{ version: '1.1.0', by: 'sam', because: 'by hand', at: NOW }],
      expected:
        'upgrade to 1.2.0: newest release of 1; floor 1.1.0 was skipped by sam at 2026-11-21T00:00:00Z: "by hand"',
    },
    {
      case: '[D92] a skip that is not passed is not told',
      wanted: '1.*',
      deployed: '1.1.0',
      list: LIST,
      skippedFloors: [
        { version: '1.1.0', by: 'sam', because: undefined, at: NOW },
        { version: '1.3.0', by: 'sam', because: undefined, at: NOW },
      ],
      expected: 'upgrade to 1.2.0: newest release of 1',
    },
  ]);
});

const YOUNG = { eligibility: { minimumAge: { ms: 2 * DAY, unknown: 'allow' } } } as const;

describe('[D90] a floor that only waits', () => {
  decidesOn([
    {
      case: 'for its age',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [aged('1.0.0', 9), { ...aged('1.1.0', 1), floor: true }, aged('1.2.0', 9)],
      ...YOUNG,
      expected: `up-to-date: stays at 1.0.0: 1.2.0 ${BEHIND}, 1.1.0 is too young until 2026-11-22T00:00:00Z`,
    },
    {
      case: 'for a certain time (D57)',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [aged('1.0.0', 9), { ...aged('1.1.0', 1), floor: true }, '1.2.0'],
      eligibility: { minimumAge: { ms: 2 * DAY, unknown: 'allow' } },
      clock: { kind: 'wrong', aheadMs: 0 },
      expected: `up-to-date: stays at 1.0.0: 1.2.0 ${BEHIND}, 1.1.0 is too young until 2026-11-22T00:00:00Z`,
    },
    {
      case: 'for its rollout',
      wanted: '1.*',
      deployed: '1.0.0',
      list: ['1.0.0', { ...inRollout('1.1.0', 's1', 0), floor: true }, '1.2.0'],
      eligibility: { machineId: 'rover-7' },
      expected: `up-to-date: stays at 1.0.0: 1.2.0 ${BEHIND}, 1.1.0 is refused: the rollout at 0 % does not include this machine yet: cohort 0.12 is not below 0.00`,
    },
    {
      case: 'for its halted rollout',
      wanted: '1.*',
      deployed: '1.0.0',
      list: [
        '1.0.0',
        { ...inRollout('1.1.0', 's1', 50, { halted: 'burns' }), floor: true },
        '1.2.0',
      ],
      eligibility: { machineId: 'rover-7' },
      expected: `up-to-date: stays at 1.0.0: 1.2.0 ${BEHIND}, 1.1.0 is refused: rollout halted at 50 % (burns)`,
    },
    {
      case: 'keeps a yanked version that would be replaced by a lower one (D33)',
      wanted: '1.*',
      deployed: '1.0.5',
      list: [
        aged('1.0.0', 9),
        { ...aged('1.0.5', 9), yanked: '' },
        { ...aged('1.1.0', 1), floor: true },
        aged('1.2.0', 9),
      ],
      onYank: 'replace',
      ...YOUNG,
      expected: `ahead: stays at 1.0.5, which is yanked; the newest release of 1 that may be selected is 1.0.0; 1.2.0 ${BEHIND}, 1.1.0 is too young until 2026-11-22T00:00:00Z`,
      warns: ['ahead', 'deployed-yanked'],
    },
  ]);

  it('is selected once it is old enough', () => {
    const list = [
      aged('1.0.0', 9),
      { ...aged('1.1.0', 1), floor: true as const },
      aged('1.2.0', 9),
    ];
    const change = nextChange(
      decide(moduleQuestion({ wanted: '1.*', deployed: '1.0.0', list, ...YOUNG })),
    );
    expect([change?.at, change?.because, change && told(change.becomes)]).toEqual([
      NOW + DAY,
      'release-of-age',
      `upgrade to 1.1.0: newest release of 1 that may be selected; a floor; 1.2.0 ${BEHIND}`,
    ]);
  });

  it('a quarantine that ends frees a machine that is stuck', () => {
    const quarantine = [{ ...FAILED, until: NOW + DAY }];
    const question = moduleQuestion({ wanted: '1.*', deployed: '1.0.0', list: LIST, quarantine });
    const change = nextChange(decide(question));
    expect([change?.at, change?.because, change && told(change.becomes)]).toEqual([
      NOW + DAY,
      'quarantine-ends',
      `upgrade to 1.1.0: newest release of 1 that may be selected; a floor; 1.2.0 ${BEHIND}`,
    ]);
  });

  it('[D51] what is behind it and in rollout is no reason to be stuck once the list is not confirmed', () => {
    const list = ['1.0.0', floor('1.1.0'), inRollout('1.2.0', 's1', 100)];
    const eligibility = { machineId: 'rover-7' };
    const asked = { wanted: '1.*', deployed: '1.0.0', list, quarantine: [FAILED], eligibility };
    const decision = decide(moduleQuestion({ ...asked, readAt: NOW }));
    expect(told(decision)).toContain('stuck behind-floor');
    const change = nextChange(decision);
    expect([change?.at, change?.because, change?.becomes.kind]).toEqual([
      NOW + DAY / 24 + 1,
      'list-unconfirmed',
      'keep',
    ]);
  });

  it('[D91] a release below it that becomes old enough is what a machine without a version gets then', () => {
    const list = [
      aged('1.0.0', 1),
      { ...aged('1.1.0', 9), floor: true as const },
      aged('1.2.0', 9),
    ];
    const asked = {
      wanted: '1.*',
      deployed: undefined,
      failed: '1.1.0',
      quarantine: [FAILED],
      list,
    };
    const decision = decide(moduleQuestion({ ...asked, ...YOUNG }));
    const change = nextChange(decision);
    const words = change && told(change.becomes);
    expect([told(decision), change?.at, change?.because, words].map(beginningOf)).toEqual([
      'rollback to 1.2.0',
      NOW + DAY,
      'release-of-age',
      'rollback to 1.0.0',
    ]);
  });
});

/** What is decided, without the reason. */
function beginningOf(value: unknown): unknown {
  return typeof value === 'string' ? value.split(':')[0] : value;
}
