import { describe, expect, it } from 'vitest';
import {
  describeDecision,
  describeWarning,
  type ModuleState,
  type PlanInput,
} from '../../../src/core/index.ts';
import { afterActionsWords } from '../../../src/core/explanation/plan-words.ts';
import { readUpdatePolicy } from '../../../src/config/index.ts';
import { replacementOf, wordFor } from '../../../src/core/decision/decision.ts';
import { replacementText } from '../../../src/core/decision/replacement-text.ts';
import type { SubsystemTarget } from '../../../src/core/plan/subsystem.ts';
import { satisfiesRange } from '../../../src/registry/npm-range.ts';
import { entry, known, plan } from '../../support/planned.ts';
import { requiring } from '../../support/required.ts';

type Named = Readonly<Record<string, ModuleState>>;

function on(
  policy: object = {},
  subsystems: Readonly<Partial<Record<SubsystemTarget['name'], ModuleState>>> = {},
): Partial<PlanInput> {
  const read = readUpdatePolicy(JSON.stringify(policy));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return {
    policy: read.value,
    subsystems: new Map(Object.entries(subsystems)) as PlanInput['subsystems'],
    requirements: { satisfies: satisfiesRange, systemTags: () => ['distro:debian'] },
  };
}

/** Each row: its decision, what it becomes by actions of the same plan, and its warnings. */
function told(modules: readonly object[], states: Named, more: Partial<PlanInput>): string[][] {
  const { modules: entries, subsystems } = plan({ modules }, states, more);
  return [...entries, ...subsystems]
    .filter(({ decision }) => decision.input.deployed.kind !== 'unknown')
    .map((row) => {
      const { decision, afterActions, warnings } = row;
      const replacement = replacementOf(decision);
      const to = replacement ? ` ${replacementText(replacement)}` : '';
      const label = 'target' in row ? row.target.name : row.name;
      const then = afterActions ? [`then ${afterActionsWords(afterActions)}`] : [];
      const said = warnings.map((warning) => describeWarning(warning, decision));
      return [`${label} ${wordFor(decision)}${to}`].concat(then, said);
    });
}

/** A machine to plan: with LIDAR only, and without a policy, if it does not say so. */
interface Row {
  readonly modules?: readonly object[];
  readonly states: Named;
  readonly more?: Partial<PlanInput>;
}

const LIDAR = [entry('acme:lidar', '1.*', 'lidar')];
const NEEDS = known('1.0.0', ['1.0.0', requiring('1.1.0', { 'platform-server': '>=1.4' })]);

describe('D87 what a requirement is judged against', () => {
  it.each(
    Object.entries<Row & { readonly expected: string }>({
      'the deployed server': {
        states: { lidar: NEEDS },
        more: on({}, { 'platform-server': known('1.4.0', []) }),
        expected: 'lidar upgrade 1.1.0',
      },
      'platform:server is the server': {
        states: { lidar: known('1.0.0', [requiring('1.1.0', { 'platform:server': '1.4.0' })]) },
        more: on({}, { 'platform-server': known('1.4.0', []) }),
        expected: 'lidar upgrade 1.1.0',
      },
      'a server that is not known': { states: { lidar: NEEDS }, expected: 'lidar up-to-date' },
      'what the policy provides where that is not known': {
        states: { lidar: NEEDS },
        more: on({ provides: { 'platform-server': '1.4.2' } }),
        expected: 'lidar upgrade 1.1.0',
      },
      'what the policy provides of the server, by the module of its releases': {
        states: { lidar: NEEDS },
        more: on({ provides: { 'platform:server': '1.4.2' } }),
        expected: 'lidar upgrade 1.1.0',
      },
      'a known version before what the policy provides': {
        states: { lidar: NEEDS },
        more: on(
          { provides: { 'platform-server': '1.4.2' } },
          { 'platform-server': known('1.3.0', []) },
        ),
        expected: 'lidar up-to-date',
      },
      'a server that is not installed, whatever the policy provides': {
        states: { lidar: NEEDS },
        more: on(
          { provides: { 'platform-server': '1.4.2' } },
          { 'platform-server': known(null, []) },
        ),
        expected: 'lidar up-to-date',
      },
      'what the policy provides of no entry': {
        states: { lidar: known('1.0.0', [requiring('1.1.0', { 'acme:firmware': '3.*' })]) },
        more: on({ provides: { 'acme:firmware': '3.1.0' } }),
        expected: 'lidar upgrade 1.1.0',
      },
      'what the policy provides of a local module': {
        modules: [
          ...LIDAR,
          { type: 'local', name: 'base', module_id: 'acme:base', executable_path: '/opt/base' },
        ],
        states: { lidar: known('1.0.0', [requiring('1.1.0', { 'acme:base': '2.*' })]) },
        more: on({ provides: { 'acme:base': '2.0.0' } }),
        expected: 'lidar upgrade 1.1.0',
      },
      'every entry of a module, whatever its name': {
        modules: [...LIDAR, entry('acme:base', '1.*', 'one'), entry('acme:base', '2.*', 'two')],
        states: {
          lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]),
          one: known('1.0.0', ['1.0.0']),
          two: known('2.0.0', ['2.0.0']),
        },
        expected: 'lidar up-to-date',
      },
      'a tag of the system': {
        states: { lidar: known('1.0.0', [requiring('1.1.0', { tags: 'distro:debian' })]) },
        expected: 'lidar upgrade 1.1.0',
      },
      'a tag of the policy': {
        states: {
          lidar: known('1.0.0', [requiring('1.1.0', { tags: ['rack:b4', 'distro:debian'] })]),
        },
        more: on({ tags: ['rack:b4'] }),
        expected: 'lidar upgrade 1.1.0',
      },
      'a tag that the machine lacks': {
        states: { lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { tags: 'rack:b4' })]) },
        expected: 'lidar up-to-date',
      },
    }),
  )('%s', (_title, { modules = LIDAR, states, more = on(), expected }) => {
    expect(told(modules, states, more)[0]?.[0]).toBe(expected);
  });

  it('D87 a plan that is not told how refuses nothing for it', () => {
    const { requirements: _, ...more } = on();
    expect(told(LIDAR, { lidar: NEEDS }, more)).toEqual([['lidar upgrade 1.1.0']]);
  });
});

const BASE = entry('acme:base', '1.*', 'base');

describe('D88 what other rows mean for a requirement', () => {
  it('an action of the same plan will meet it', () => {
    const server = known('1.3.0', ['1.3.0', '1.4.0']);
    expect(told(LIDAR, { lidar: NEEDS }, on({}, { 'platform-server': server }))).toEqual([
      ['lidar up-to-date', 'then upgrade to 1.1.0, once platform-server is 1.4.0'],
      ['platform-server upgrade 1.4.0'],
    ]);
  });

  it.each(
    Object.entries<Row & { readonly expected: readonly string[] }>({
      'the constraint of the other module does not reach it': {
        modules: [...LIDAR, BASE],
        states: {
          lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { 'acme:base': '2.*' })]),
          base: known('1.0.0', ['1.0.0', '2.3.0', '3.0.0']),
        },
        expected: [
          '1.1.0 requires acme:base 2.*, which nothing on this machine will meet: 2.3.0 does, so let the version of base be 2.*',
        ],
      },
      'nothing that fits is published': {
        modules: [...LIDAR, BASE],
        states: {
          lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { 'acme:base': '9.*' })]),
          base: known('1.0.0', ['1.0.0', { version: '9.0.0', yanked: '' }]),
        },
        expected: [
          '1.1.0 requires acme:base 9.*, which nothing on this machine will meet: no published release of acme:base is in this range',
        ],
      },
      'two require each other': {
        modules: [...LIDAR, BASE],
        states: {
          lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { 'acme:base': '>=1.1' })]),
          base: known('1.0.0', ['1.0.0', requiring('1.1.0', { 'acme:lidar': '>=1.1' })]),
        },
        expected: [
          '1.1.0 requires acme:base >=1.1, which nothing on this machine will meet: the releases of acme:base in this range require in turn what this machine cannot have first, so a release without such a requirement is needed',
        ],
      },
      'a module that the machine does not have': {
        states: { lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { 'acme:arm': '1.*' })]) },
        expected: [
          '1.1.0 requires acme:arm 1.*, which nothing on this machine will meet: add an entry of acme:arm to the machine config, or name its version in provides of the policy',
        ],
      },
      'another version that the policy provides': {
        states: { lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { 'acme:arm': '1.*' })]) },
        more: on({ provides: { 'acme:arm': '2.0.0' } }),
        expected: [
          '1.1.0 requires acme:arm 1.*, which nothing on this machine will meet: provides of the policy names another version of acme:arm',
        ],
      },
      'a tag': {
        states: { lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { tags: 'rack:b4' })]) },
        expected: [
          '1.1.0 requires the tag rack:b4, which nothing on this machine will meet: add rack:b4 to tags of the policy if this machine has what it means',
        ],
      },
      'a release that is refused for now may meet it later': {
        modules: [...LIDAR, BASE],
        states: {
          lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { 'acme:base': '>=1.1' })]),
          base: known('1.0.0', ['1.0.0', '1.1.0'], { quarantine: [{ version: '1.1.0' }] }),
        },
        expected: [],
      },
      'a list that could not be read may have what meets it': {
        modules: [...LIDAR, BASE],
        states: {
          lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { 'acme:base': '>=1.1' })]),
          base: {
            ...known('1.0.0', []),
            list: { error: { kind: 'registry-unreachable', message: 'it is down' } },
          },
        },
        expected: [],
      },
    }),
  )('D88 %s', (_title, { modules = LIDAR, states, more = on(), expected }) => {
    expect(told(modules, states, more)[0]?.slice(1)).toEqual(expected);
  });

  it('D88 an upgrade of the server that breaks what a module requires', () => {
    const lidar = known('1.0.0', [requiring('1.0.0', { 'platform-server': '<2' })]);
    const server = known('1.4.0', ['1.4.0', '2.0.0']);
    expect(told(LIDAR, { lidar }, on({}, { 'platform-server': server }))).toEqual([
      ['lidar up-to-date'],
      [
        'platform-server upgrade 2.0.0',
        '2.0.0 does not meet what lidar 1.0.0 requires: platform-server <2; it is kept there all the same',
      ],
    ]);
  });

  it('D88 says so of the release that the same plan installs, and not of what was broken before', () => {
    const modules = [...LIDAR, entry('acme:arm', '1.*', 'arm')];
    const states = {
      lidar: known('1.0.0', ['1.0.0', requiring('1.1.0', { 'platform-server': '<2' })]),
      arm: known('1.0.0', [requiring('1.0.0', { 'platform-server': '<1' })]),
    };
    const server = known('1.4.0', ['1.4.0', '2.0.0']);
    expect(told(modules, states, on({}, { 'platform-server': server }))[2]).toEqual([
      'platform-server upgrade 2.0.0',
      '2.0.0 does not meet what lidar 1.1.0 requires: platform-server <2; it is kept there all the same',
    ]);
  });
});

it('D86 a plan says why', () => {
  const { modules } = plan(
    { modules: LIDAR },
    { lidar: NEEDS },
    on({}, { 'platform-server': known('1.3.0', []) }),
  );
  expect(modules.map(({ decision }) => describeDecision(decision))).toEqual([
    'stays at 1.0.0: 1.1.0 is refused: it requires platform-server >=1.4, but 1.3.0 is deployed',
  ]);
});
