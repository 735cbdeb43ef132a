import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { modreg } from '../support/modreg.ts';
import { component, entry } from '../support/planned.ts';
import { NOON, planFor, site } from '../support/site.ts';

const DIGEST = `sha256:${'0a'.repeat(32)}`;
const LIDAR = {
  modules: [entry('acme:lidar', '1.2.*')],
  components: [component('lidar', 'acme:lidar:x')],
};
const LISTS = { 'acme/lidar': ['1.2.3', '1.2.9'] };

const HELD = {
  decision: 'hold',
  direction: 'upgrade',
  code: null,
  reason: 'the maintenance window is closed until 2026-11-22T01:00:00Z',
  held_by: [{ reason: 'window-closed', until: '2026-11-22T01:00:00Z' }],
  until: '2026-11-22T01:00:00Z',
};
const LISTED = { source: 'folder', fetched_at: expect.any(String) as string, stale: false };

describe('modreg plan', () => {
  it('shows a row for each module and subsystem, the components that stop, and the next change', async () => {
    const folder = site({
      machine: {
        modules: [
          entry('acme:lidar', '1.2.*'),
          entry('acme:lidar', '1.2.3', 'rear'),
          entry('acme:arm', '3.*'),
          { type: 'local', name: 'own', module_id: 'acme:own', version: '1.0.0' },
        ],
        components: [
          component('base', 'wheeled', 'lidar'),
          component('lidar', 'acme:lidar:x'),
          component('board', 'gpio'),
          component('arm', 'acme:arm:x', 'lidar'),
          component('own', 'acme:own:x'),
        ],
        agent: { 'platform-server': { pin_url: 'https://builds.example/server?key=hidden' } },
      },
      deployed: { acme_lidar: '1.2.3', rear: '1.2.3', acme_arm: null, 'platform-server': '1.0.0' },
      lists: { ...LISTS, 'acme/arm': ['2.0.0'] },
    });
    expect(await planFor(folder)).toEqual({
      stdout: `${folder}/machine.json   4 modules   as of 2026-11-21T12:00:00Z   lists from "${folder}/lists"

  MODULE              CONSTRAINT   DEPLOYED   TARGET   LATEST   DECISION     WHY
  acme:lidar          1.2.*        1.2.3      1.2.9    1.2.9    upgrade      newest patch of 1.2
      stops base (depends on lidar), arm (of acme:arm, depends on lidar), lidar
  acme:lidar (rear)   1.2.3        1.2.3      1.2.3    1.2.9    up to date   pinned
  acme:arm            3.*          none       -        2.0.0    stuck        no release may be selected: 1 of another major version
  acme:own (own)      -            unknown    -        -        local        local module: available only on this machine

  SUBSYSTEM         CONSTRAINT                      DEPLOYED   TARGET                          LATEST   DECISION   WHY
  platform-server   https://builds.example/server   1.0.0      https://builds.example/server   -        upgrade    its pin_url differs from what is deployed
      stops base, board, arm, lidar, own

2 upgrades, 1 stuck, 2 unchanged. Components that would stop: base, board, arm, lidar, own.
One restart of platform-server also restarts every module.
Nothing was changed.
`,
      stderr: `error[NO_MATCH]: no release of acme:arm matches 3.*; acme:arm is not installed
  because 3.* needs 3.0.0 ≤ version < 4.0.0, and the newest release is 2.0.0
hint: latest selects 2.0.0; latest-with-prerelease selects 2.0.0
warning[CONFLICTING_CONSTRAINTS]: another entry has this module_id; each is resolved separately: acme:lidar, acme:lidar (rear)
warning[UNVERIFIED_DOWNLOAD]: platform-server: its pin_url has no #sha256=… digest, so the file is not verified
`,
      exit: 1,
    });
  });

  it('prints the same as data with --json', async () => {
    const folder = site({
      machine: { ...LIDAR, agent: { 'platform-server': { disable_subsystem: false } } },
      deployed: {
        acme_lidar: '1.2.3',
        'platform-agent': 'https://builds.example/agent?key=hidden',
      },
      policy: {
        registry: './lists',
        maintenance: [{ start: '0 2 * * *', duration: '2h', time_zone: 'Europe/Berlin' }],
      },
      lists: {
        ...LISTS,
        'platform/agent': [
          {
            version: '0.9.1',
            artifacts: [{ platform: 'any', url: 'https://x.example/a?b', digest: DIGEST, size: 7 }],
          },
        ],
      },
    });
    const { stdout, stderr, exit } = await planFor(folder, '--json');
    expect([stderr, exit]).toEqual(['', 0]);
    expect(stdout).not.toContain('hidden');
    const stops = [{ component: 'lidar', module_id: 'acme:lidar', depends_on: [] }];
    expect(JSON.parse(stdout)).toEqual({
      schema: 'modreg/plan@1',
      platform: 'linux/arm64',
      at: '2026-11-21T12:00:00Z',
      modules: [
        {
          name: 'acme_lidar',
          module_id: 'acme:lidar',
          constraint: '1.2.*',
          deployed: '1.2.3',
          target: '1.2.9',
          ...HELD,
          newer: [],
          latest: '1.2.9',
          stops,
          next_change: {
            at: '2026-11-22T01:00:00Z',
            because: 'window-opens',
            decision: 'upgrade',
            target: '1.2.9',
          },
          list: LISTED,
          warnings: [],
          downloaded: null,
          action: null,
        },
      ],
      subsystems: [
        {
          name: 'platform-agent',
          option: 'release_channel',
          release_channel: 'stable',
          constraint: 'latest',
          deployed: 'https://builds.example/agent',
          target: '0.9.1',
          ...HELD,
          newer: [],
          latest: '0.9.1',
          stops,
          next_change: {
            at: '2026-11-22T01:00:00Z',
            because: 'window-opens',
            decision: 'upgrade',
            target: '0.9.1',
          },
          list: LISTED,
          restarts: ['platform-agent', 'platform-server'],
          warnings: [],
          downloaded: null,
          action: null,
        },
      ],
      actions: [],
      restarts: [],
    });
    const due = (await planFor(folder, '--json', '--at', '2026-11-22T01:00:00Z')).stdout;
    expect(JSON.parse(due)).toMatchObject({
      modules: [{ decision: 'upgrade', target: '1.2.9' }],
      actions: [
        {
          kind: 'restart-and-upgrade',
          target: { kind: 'module', name: 'acme_lidar', module_id: 'acme:lidar' },
          from: '1.2.3',
          to: '1.2.9',
          artifact: null,
          direction: 'upgrade',
          stops,
          restart: 0,
          reason: 'newest patch of 1.2',
          decided_at: '2026-11-22T01:00:00Z',
        },
        {
          target: { kind: 'subsystem', name: 'platform-agent', module_id: null },
          from: 'https://builds.example/agent',
          artifact: { platform: 'any', url: 'https://x.example/a?b', digest: DIGEST, size: 7 },
        },
      ],
      restarts: [{ of: 'platform-agent', targets: ['acme_lidar', 'platform-agent'], stops }],
    });
  });

  it.each([[], ['--json']])(
    '[T64] shows no part of an address that may be secret %j',
    async (...options) => {
      const folder = site({
        machine: {
          ...LIDAR,
          agent: {
            'platform-agent': { pin_url: 'https://builds.example/new?CANARY' },
            'platform-server': { pin_version: '1.0.0' },
          },
        },
        deployed: {
          acme_lidar: 'https://user:CANARY@builds.example/x?CANARY#CANARY',
          'platform-agent': 'https://builds.example/old?CANARY',
          'platform-server': ' ftp://builds.example/old?CANARY',
        },
        lists: { ...LISTS, 'platform/server': ['1.0.0'] },
      });
      const { stdout, stderr } = await planFor(folder, ...options);
      expect(stdout).toContain('https://builds.example/new');
      expect(stdout).toContain('ftp://builds.example/old');
      expect(stdout + stderr).not.toContain('CANARY');
    },
  );

  it('shows which modules share a restart, and quotes a deployed text that is not a version', async () => {
    const folder = site({
      machine: {
        modules: [entry('acme:lidar', '1.2.*'), entry('acme:arm', '1.*'), entry('acme:cam', '1.*')],
        components: [
          component('lidar', 'acme:lidar:x'),
          component('arm', 'acme:arm:x', 'lidar'),
          component('cam', 'acme:cam:x'),
        ],
      },
      deployed: { acme_lidar: '1.2.3', acme_arm: '1.0.0', acme_cam: '' },
      lists: { ...LISTS, 'acme/arm': ['1.1.0'], 'acme/cam': ['1.0.0'] },
    });
    const { stdout } = await planFor(folder);
    expect(stdout).toContain('One restart is shared by acme_lidar, acme_arm.\n');
    expect(stdout).toMatch(/acme:cam +1\.\* +"" /);
  });

  it('changes nothing without modules and without a registry', async () => {
    expect(await planFor(site({ machine: {}, policy: {} }))).toMatchObject({
      stdout: expect.stringContaining('0 unchanged.\nNothing was changed.\n') as string,
      stderr: '',
      exit: 0,
    });
  });

  it('reads each module from the registry of its terms', async () => {
    const folder = site({
      machine: { modules: [entry('acme:lidar', '1.*'), entry('acme:lidar', '1.*', 'rear')] },
      deployed: { acme_lidar: '1.0.0', rear: '1.0.0' },
      policy: { registry: './lists', modules: { rear: { registry: './other' } } },
      lists: { 'acme/lidar': ['1.1.0'], '../other/acme/lidar': ['1.2.0'] },
    });
    const { stdout } = await planFor(folder);
    expect(stdout).toContain('lists from 2 registries');
    expect(stdout).toMatch(/acme:lidar +1\.\* +1\.0\.0 +1\.1\.0 /);
    expect(stdout).toMatch(/acme:lidar \(rear\) +1\.\* +1\.0\.0 +1\.2\.0 /);
  });

  it('[T50] gives the same answer in every time zone and language (I12)', async () => {
    const rover = ['examples/rover/machine.json', '--deployed', 'examples/rover/deployed.json'];
    const args = ['plan', ...rover, ...NOON];
    const { stdout } = await inProcess(args);
    expect(stdout).toContain('closed until 2026-11-22T01:00:00Z');
    // A process reads its time zone and language when it starts.
    const abroad = { TZ: 'Pacific/Apia', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' };
    expect(modreg(args, abroad).stdout).toBe(stdout);
  });
});
