import { describe, expect, it } from 'vitest';
import { planned, type Printed } from '../support/command.ts';
import { entry } from '../support/planned.ts';

/** The rows and their details, without what is before the last column. */
function lastCells({ stdout }: Printed): string[] {
  return stdout.flatMap((line) => {
    if (line.startsWith('      ')) return [line.trim()];
    return /^ {2}(acme|platform)/.test(line) ? [line.split(/ {3,}/).at(-1) ?? ''] : [];
  });
}

const BOTH = [entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')];
const LISTS = { 'acme/lidar': ['1.0.0', '1.0.1'], 'acme/arm': ['1.0.0', '1.0.1'] };
const OLD = { acme_lidar: '1.0.0', acme_arm: '1.0.0' };

function window(time_zone: string): object {
  return { maintenance: [{ start: '0 2 * * *', duration: '1h', time_zone }] };
}

describe('the times of a plan', () => {
  it('are shown in the zone of the row, and in that of the policy elsewhere', async () => {
    const policy = {
      registry: './lists',
      ...window('Europe/Berlin'),
      modules: { acme_arm: window('Asia/Tokyo') },
    };
    const machine = { modules: BOTH };
    const plan = await planned({ machine, deployed: OLD, policy, lists: LISTS });
    expect(plan.stdout[0]).toBe(
      './machine.json   2 modules   as of 2026-11-21T12:00:00Z (13:00 Europe/Berlin)   lists from "./lists"',
    );
    expect(lastCells(plan)).toEqual([
      'the maintenance window is closed until 2026-11-22T01:00:00Z (02:00 Europe/Berlin, in 13 h)',
      'next 2026-11-22T01:00:00Z (02:00 Europe/Berlin, in 13 h): upgrade to 1.0.1, as the maintenance window opens',
      'the maintenance window is closed until 2026-11-21T17:00:00Z (2026-11-22 02:00 Asia/Tokyo, in 5 h)',
      'next 2026-11-21T17:00:00Z (2026-11-22 02:00 Asia/Tokyo, in 5 h): upgrade to 1.0.1, as the maintenance window opens',
    ]);
  });

  it('are shown in the zone of another module if the row and the policy have none', async () => {
    const releases = [
      { version: '1.0.0', published_at: '2026-01-01T00:00:00Z' },
      { version: '1.0.1', published_at: '2026-11-21T00:00:00Z' },
    ];
    const policy = {
      registry: './lists',
      minimum_release_age: '1d',
      modules: { acme_arm: window('Asia/Tokyo') },
    };
    const lists = { 'acme/lidar': releases, 'acme/arm': releases };
    const plan = await planned({ machine: { modules: BOTH }, deployed: OLD, policy, lists });
    expect(lastCells(plan)[0]).toBe(
      'stays at 1.0.0: 1.0.1 is too young until 2026-11-22T00:00:00Z (09:00 Asia/Tokyo, in 12 h)',
    );
  });

  it('in an error are shown as in a row', async () => {
    // Its rollout has reached no machine, so age alone does not end that.
    const young = {
      version: '1.0.1',
      published_at: '2026-11-21T00:00:00Z',
      rollout: { salt: 's', percent: 0, share: 0 },
    };
    const lists = { 'acme/lidar': [young] };
    const policy = { registry: './lists', minimum_release_age: '1d', ...window('Europe/Berlin') };
    const machine = { modules: [entry('acme:lidar', '1.*')] };
    const described = { machine, deployed: { acme_lidar: null }, policy, lists };
    const shown = await planned(described);
    expect(shown.stderr).toEqual([
      'error[NO_MATCH]: no release of acme:lidar matches 1.*; acme:lidar is not installed',
      '  because every version that 1.* covers is refused',
      '  1.0.1: too young until 2026-11-22T00:00:00Z (01:00 Europe/Berlin, in 12 h)',
    ]);
    const data = await planned(described, '--json');
    expect(data.stderr.join('\n')).toContain('1.0.1: too young until 2026-11-22T00:00:00Z"');
  });
});

it('[D34] plan --at has no release that was published later', async () => {
  const releases = [
    { version: '1.0.0', published_at: '2026-01-01T00:00:00Z' },
    { version: '1.0.1', published_at: '2026-11-21T11:00:00Z' },
  ];
  const described = {
    machine: { modules: [entry('acme:lidar', '1.*')] },
    deployed: { acme_lidar: '1.0.0' },
    lists: { 'acme/lidar': releases },
  };
  expect(lastCells(await planned(described))).toEqual(['newest release of 1']);
  const before = await planned(described, '--at', '2026-11-21T10:59:59Z');
  expect(lastCells(before)[0]).toBe(
    'stays at 1.0.0: 1.0.1 is not yet published: its publish time is 2026-11-21T11:00:00Z (in 1 s)',
  );
});

describe('the last lines of a plan', () => {
  const SUBSYSTEMS = { 'platform/agent': ['0.9.0', '0.9.1'], 'platform/server': ['1.0.0'] };

  it.each<[string, object, object, readonly string[]]>([
    [
      'both subsystems are configured and not reported',
      {
        'platform-agent': { pin_version: '0.9.1' },
        'platform-server': { release_channel: 'latest' },
      },
      {},
      [
        'platform-agent and platform-server: the deployed version is not known, so nothing is done.',
        '2 upgrades, 0 unchanged.',
        'Nothing was changed.',
      ],
    ],
    [
      'one is, and the other one is on the channel stable',
      {
        'platform-agent': { release_channel: 'stable' },
        'platform-server': { pin_version: '1.0.0' },
      },
      {},
      [
        'platform-server: the deployed version is not known, so nothing is done.',
        '2 upgrades, 0 unchanged.',
        'Nothing was changed.',
      ],
    ],
    [
      'one is disabled, which is shown',
      { 'platform-server': { disable_subsystem: true } },
      {},
      ['3 unchanged.', 'Nothing was changed.'],
    ],
    [
      'a subsystem is installed, which restarts nothing',
      {},
      { 'platform-server': null },
      ['2 upgrades, 1 install, 0 unchanged.', 'Nothing was changed.'],
    ],
    [
      'a subsystem is upgraded',
      {},
      { 'platform-agent': '0.9.0' },
      [
        '3 upgrades, 0 unchanged.',
        'One restart of platform-agent also restarts every module.',
        'Nothing was changed.',
      ],
    ],
  ])('%s', async (_, agent, reported, lines) => {
    const machine = { modules: BOTH, agent };
    const deployed = { ...OLD, ...reported };
    const { stdout } = await planned({ machine, deployed, lists: { ...LISTS, ...SUBSYSTEMS } });
    expect(stdout.slice(stdout.lastIndexOf('') + 1)).toEqual(lines);
  });

  it('count what is held and what is stuck, in this order', async () => {
    const machine = { modules: [...BOTH, entry('acme:cam', '3.*')] };
    const policy = { registry: './lists', allow_downgrade: false };
    const deployed = { acme_lidar: '1.0.1', acme_arm: '2.0.0', acme_cam: '1.0.0' };
    const lists = { ...LISTS, 'acme/cam': ['2.0.0'] };
    const { stdout } = await planned({ machine, deployed, policy, lists });
    expect(stdout.at(-2)).toBe('1 waiting, 1 stuck, 1 unchanged.');
  });
});

describe('a subsystem', () => {
  const AGENT = { 'platform/agent': ['0.9.0', '0.9.1'] };
  const agentOnly = { machine: {}, deployed: { 'platform-agent': '0.9.0' }, lists: AGENT };

  it('alone can be pending', async () => {
    expect((await planned(agentOnly, '--exit-code')).exit).toBe(10);
  });

  it('that is stuck has no hint about constraints', async () => {
    const lists = { 'platform/agent': ['1.0.0-rc.1'] };
    const { stderr, exit } = await planned({
      machine: {},
      deployed: { 'platform-agent': null },
      lists,
    });
    expect([stderr, exit]).toEqual([
      [
        'error[NO_MATCH]: no release of platform-agent matches latest; platform-agent is not installed',
        '  because every version that latest covers is refused',
        '  1.0.0-rc.1: prerelease; only latest-with-prerelease accepts prereleases',
      ],
      1,
    ]);
  });

  it('is not reported by the name of a module', async () => {
    const machine = { modules: [entry('acme:lidar', '1.*', 'platform-agent')] };
    const { stdout } = await planned({
      machine,
      deployed: { 'platform-agent': '1.0.0' },
      lists: LISTS,
    });
    expect(stdout.filter((line) => line.includes('SUBSYSTEM'))).toEqual([]);
  });

  it('with a pin, and one that is disabled, in --json', async () => {
    const machine = {
      agent: {
        'platform-agent': { pin_version: '0.9.1' },
        'platform-server': { disable_subsystem: true },
      },
    };
    const { stdout } = await planned({ ...agentOnly, machine }, '--json');
    expect(JSON.parse(stdout[0] ?? '')).toMatchObject({
      subsystems: [
        {
          name: 'platform-agent',
          option: 'pin_version',
          constraint: '0.9.1',
          restarts: ['platform-agent', 'platform-server'],
        },
        {
          name: 'platform-server',
          option: 'disable_subsystem',
          release_channel: null,
          restarts: [],
        },
      ],
    });
  });
});
