import { describe, expect, it } from 'vitest';
import { decide, describeDecision, type Eligibility } from '../../../src/core/index.ts';
import type { MachineFacts } from '../../../src/core/releases/machine-facts.ts';
import { mergeRequires } from '../../../src/core/releases/requires.ts';
import { satisfiesRange } from '../../../src/registry/npm-range.ts';
import { decidesOn, moduleQuestion } from '../../support/decided.ts';
import { aged, DAY, decides, NOW } from '../../support/decides.ts';
import { having, requiring } from '../../support/required.ts';

const SERVER = having(
  { 'platform-server': ['1.5.0'], 'acme:base': ['2.1.0', '2.4.0'] },
  'distro:debian',
);

function on(machine: MachineFacts | undefined, more: Partial<Eligibility> = {}): Eligibility {
  return { now: NOW, machine, ...more };
}

describe('D86: a release requires what the machine has or lacks', () => {
  decides([
    {
      case: 'D86 what it requires is deployed: selected',
      constraint: '1.*',
      list: ['1.2.0', requiring('1.3.0', { 'platform-server': '>=1.4.0 <2' })],
      eligibility: on(SERVER),
      chosen: '1.3.0',
      refused: ['1.2.0: older'],
    },
    {
      case: 'D86 another version is deployed: the next release that fits is selected',
      constraint: '1.*',
      list: [
        '1.2.0',
        requiring('1.3.0', { 'platform-server': '>=1.5' }),
        requiring('1.4.0', { 'platform-server': '>=1.6' }),
      ],
      eligibility: on(SERVER),
      chosen: '1.3.0',
      refused: ['1.4.0: requirement-unmet', '1.2.0: older'],
    },
    {
      case: 'D86 all requirements must be met',
      constraint: '1.*',
      list: ['1.2.0', requiring('1.3.0', { 'platform-server': '>=1.4', tags: ['distro:arch'] })],
      eligibility: on(SERVER),
      chosen: '1.2.0',
      refused: ['1.3.0: requirement-unmet'],
    },
    {
      case: 'D86 all entries of a module must fit',
      constraint: '1.*',
      list: [
        requiring('1.2.0', { 'acme:base': '2.*' }),
        requiring('1.3.0', { 'acme:base': '>=2.2' }),
      ],
      eligibility: on(SERVER),
      chosen: '1.2.0',
      refused: ['1.3.0: requirement-unmet'],
    },
    {
      case: 'D86 tags: the machine has all, or the release is refused',
      constraint: '1.*',
      list: [
        requiring('1.2.0', { tags: ['distro:debian'] }),
        requiring('1.3.0', { tags: ['distro:debian', 'rack:b4'] }),
      ],
      eligibility: on(SERVER),
      chosen: '1.2.0',
      refused: ['1.3.0: requirement-unmet'],
    },
    {
      case: 'D86 a pin is refused too',
      constraint: '1.3.0',
      list: [requiring('1.3.0', { 'platform-server': '>=1.6' })],
      eligibility: on(SERVER),
      chosen: undefined,
      refused: ['1.3.0: requirement-unmet'],
    },
    {
      case: 'D86 the deployed version is never refused for it',
      constraint: '1.*',
      list: ['1.2.0', requiring('1.3.0', { 'platform-server': '>=1.6' })],
      eligibility: on(SERVER, { rollouts: { deployed: '1.3.0' } }),
      chosen: '1.3.0',
      refused: ['1.2.0: older'],
    },
    {
      case: 'D86 a query that names no machine refuses nothing',
      constraint: '1.*',
      list: ['1.2.0', requiring('1.3.0', { 'platform-server': '>=1.6' })],
      eligibility: on(undefined),
      chosen: '1.3.0',
      refused: ['1.2.0: older'],
    },
    {
      case: 'D86, D11 entries of one version: the requirements of all',
      constraint: '1.*',
      list: [
        '1.2.0',
        requiring('1.3.0', { 'platform-server': '>=1.4' }),
        requiring('1.3.0', { 'platform-server': '<1.5' }),
        '1.3.0',
      ],
      eligibility: on(SERVER),
      chosen: '1.2.0',
      refused: ['1.3.0: requirement-unmet'],
    },
    {
      case: 'D86, D7 a yank comes first',
      constraint: '1.*',
      list: ['1.2.0', { ...requiring('1.3.0', { 'platform-server': '>=1.6' }), yanked: '' }],
      eligibility: on(SERVER),
      chosen: '1.2.0',
      refused: ['1.3.0: yanked'],
    },
    {
      case: 'D86, D13 a quarantine comes first',
      constraint: '1.*',
      list: ['1.2.0', requiring('1.3.0', { 'platform-server': '>=1.6' })],
      eligibility: on(SERVER, { quarantine: [{ version: '1.3.0' }] }),
      chosen: '1.2.0',
      refused: ['1.3.0: quarantined'],
    },
    {
      case: 'D86, D12 it comes before the age, and before the rollout',
      constraint: '1.*',
      list: [
        '1.2.0',
        { ...aged('1.3.0', 1), requires: { 'platform-server': ['>=1.6'] } },
        {
          ...requiring('1.4.0', { 'platform-server': '>=1.6' }),
          rollout: { salt: 's1', percent: 0, share: 0 },
        },
      ],
      eligibility: on(SERVER, {
        minimumAge: { ms: 7 * DAY, unknown: 'allow' },
        rollouts: { machineId: 'rover-7' },
      }),
      chosen: '1.2.0',
      refused: ['1.4.0: requirement-unmet', '1.3.0: requirement-unmet'],
    },
  ]);
});

describe('D86 what the machine has instead is said', () => {
  it.each([
    ['platform-server', '>=1.6', 'platform-server >=1.6, but 1.5.0 is deployed'],
    ['acme:base', '>=2.2', 'acme:base >=2.2, but 2.1.0 is deployed'],
    [
      'acme:arm',
      '1.*',
      'acme:arm 1.*, but this machine has no entry of it, and provides of the policy does not name it',
    ],
    ['acme:none', '1.*', 'acme:none 1.*, but nothing is deployed'],
    ['acme:unknown', '*', 'acme:unknown *, but what is deployed is not known'],
    ['platform-server', 'latest', 'platform-server latest, but this range cannot be read'],
    ['tags', 'rack:b4', 'the tag rack:b4, but this machine does not have it'],
  ])('%s %s', (of, range, words) => {
    const machine = having({
      'platform-server': ['1.5.0'],
      'acme:base': ['2.4.0', '2.1.0'],
      'acme:none': [null],
      'acme:unknown': [undefined],
    });
    const list = ['1.2.0', requiring('1.3.0', { [of]: range })];
    const question = moduleQuestion({
      wanted: '1.*',
      deployed: '1.2.0',
      list,
      eligibility: { machine },
    });
    expect(describeDecision(decide(question))).toBe(
      `stays at 1.2.0: 1.3.0 is refused: it requires ${words}`,
    );
  });
});

const NEEDS_6 = { 'platform-server': '>=1.6' };

const UNMET = 'requires platform-server >=1.6, but 1.5.0 is deployed';

decidesOn([
  {
    case: 'D86, D13 a rollback goes to the version before, whatever that requires',
    wanted: '1.*',
    deployed: '1.3.0',
    previous: '1.2.0',
    list: ['1.1.0', requiring('1.2.0', NEEDS_6), '1.3.0'],
    quarantine: [{ version: '1.3.0' }],
    eligibility: { machine: SERVER },
    expected: `rollback to 1.2.0: 1.3.0 failed on this machine; 1.2.0 was deployed before it`,
  },
  {
    case: 'D86, D13 any other release of a rollback must be one whose requirements are met',
    wanted: '1.*',
    deployed: '1.3.0',
    list: ['1.1.0', requiring('1.2.0', NEEDS_6), '1.3.0'],
    quarantine: [{ version: '1.3.0' }],
    eligibility: { machine: SERVER },
    expected: `rollback to 1.1.0: 1.3.0 failed on this machine; 1.1.0 instead: newest release of 1 that may be selected; 1.2.0 is refused: it ${UNMET}`,
  },
  {
    case: 'D86 what is deployed stays if nothing else may be selected',
    wanted: '1.*',
    deployed: '1.3.0',
    list: [requiring('1.4.0', NEEDS_6), { ...requiring('1.3.0', NEEDS_6), yanked: '' }],
    eligibility: { machine: SERVER },
    expected: `ahead: stays at 1.3.0, which is yanked; 1.4.0 is refused: it ${UNMET}; no release may be selected: 1 with an unmet requirement, 1 yanked`,
    warns: ['ahead', 'deployed-yanked'],
  },
  {
    case: 'D86 a pin whose release is refused is stuck, and what is deployed stays',
    wanted: '1.4.0',
    deployed: '1.3.0',
    list: [requiring('1.4.0', NEEDS_6), '1.3.0'],
    eligibility: { machine: SERVER },
    expected: `stuck requirement-unmet: the pin is published but refused: ${UNMET}`,
  },
  {
    case: 'D86 what is deployed of the module itself counts too: a release may name the version that it upgrades',
    wanted: '1.*',
    deployed: '1.1.0',
    list: [
      requiring('1.2.0', { 'acme:self': '>=1.1' }),
      requiring('1.3.0', { 'acme:self': '>=1.2' }),
    ],
    eligibility: { machine: having({ 'acme:self': ['1.1.0'] }) },
    expected: `upgrade to 1.2.0: newest release of 1 that may be selected; 1.3.0 is refused: it requires acme:self >=1.2, but 1.1.0 is deployed`,
  },
]);

describe('D89: ranges of npm, and where their versions differ from those of lists', () => {
  it.each([
    ['1.4.0', '>=1.4.0 <2', true],
    ['2.0.0', '>=1.4.0 <2', false],
    ['1.5.0', '1.2.0 - 1.4.0 || 1.5.*', true],
    // Prereleases are in a range like other versions, also without one in the range.
    ['1.6.0-rc.1', '>=1.4.0 <2', true],
    ['1.4.0-rc.1', '>=1.4.0', false],
    ['1.4.0-rc.1', '>=1.4', true],
    ['2.0.0-rc.1', '<2', false],
    ['2.0.0-rc.1', '<2.0.0', true],
    // Build metadata counts for a pin (D35), and not here.
    ['1.4.0+b', '1.4.0+a', true],
    // A range may have a `v`, and parts that are left out; a constraint and a version may not.
    ['1.4.0', '=v1.4', true],
    ['1.4.0', '', true],
    // Numbers above 2^53 - 1 in a prerelease are exact in lists, and not here.
    ['1.0.0-9007199254740992', '1.0.0-9007199254740993', true],
    ['1.4.0', 'latest', undefined],
    ['1.4.0', '>=1.4.0.0', undefined],
    ['1.4.0', `>=${'0'.repeat(300)}`, undefined],
  ])('D89 %s in %s: %s', (text, range, expected) => {
    expect(satisfiesRange(text, range)).toBe(expected);
  });

  it('T388 a long text is no range, and is not parsed', () => {
    expect(satisfiesRange('1.4.0', ` ${'|| '.repeat(100_000)}`)).toBeUndefined();
  });
});

it('D86, D11 requirements are merged to the same, whatever their order', () => {
  const all = [{ b: ['2', '1'] }, { a: ['1'], b: ['1'] }];
  expect([mergeRequires(all), mergeRequires(all.toReversed()), mergeRequires([])]).toEqual([
    { a: ['1'], b: ['1', '2'] },
    { a: ['1'], b: ['1', '2'] },
    undefined,
  ]);
});
