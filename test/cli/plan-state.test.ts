import { describe, expect, it } from 'vitest';
import type { MachineState } from '../../src/store/machine-state.ts';
import { version } from '../support/ask.ts';
import { AGENT, commitOne, moduleNamed } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { contentsOf, homeAfter, polledHome } from '../support/machine-home.ts';
import { inProcess } from '../support/in-process.ts';
import { entry } from '../support/planned.ts';
import { NOON, site } from '../support/site.ts';

const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');
const NOW = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;

/** A folder with a lidar, a report that 1.2.3 is deployed, and a registry with releases of the lidar and the agent. */
function folderOf(id = 'acme:lidar'): string {
  return site({
    machine: { modules: [entry(id, '1.*', 'acme_lidar')] },
    deployed: { acme_lidar: '1.2.3' },
    lists: {
      'acme/lidar': ['1.2.3', '1.2.8', '1.2.9'],
      'acme/other': ['1.2.9'],
      'platform/agent': ['0.9.0', '0.9.1'],
    },
  });
}

/** The rows of a plan with their cells separated by ` | `, and the stderr and exit code of the command. */
async function planned(
  environment: Readonly<Record<string, string>>,
  { folder = folderOf(), options = [] }: { folder?: string; options?: readonly string[] } = {},
): Promise<{ rows: string[]; stderr: string; exit: number | null }> {
  const args = ['plan', `${folder}/machine.json`, ...NOON, ...options];
  const { stdout, stderr, exit } = await inProcess(
    args.map((arg) => (arg === 'REPORT' ? `${folder}/deployed.json` : arg)),
    environment,
  );
  const rows = stdout.split('\n').filter((line) => /^ {2}(acme|platform)/.test(line));
  return { rows: rows.map((row) => row.trim().replaceAll(/ {2,}/g, ' | ')), stderr, exit };
}

/** Delivers an upgrade from 1.2.3 to 1.2.8, and acknowledges it with `outcome`. */
function acknowledged(
  state: MachineState,
  outcome: 'done' | 'release' | 'machine',
  at: number = NOW - MINUTE,
): void {
  const { id } = commitOne(state, { target: LIDAR, from: '1.2.3', to: '1.2.8' });
  state.deliver(id, at);
  const failed = { kind: 'failed', reason: '', running: '1.2.8' } as const;
  const acknowledgement =
    outcome === 'done' ? ({ kind: 'done' } as const) : { ...failed, blame: outcome };
  state.acknowledge(id, acknowledgement, { at, quarantineUntil: NOW + MINUTE, retryAt: at });
}

describe('plan without --deployed uses the facts in machine.db', () => {
  it.each<[string, (state: MachineState) => void, string]>([
    [
      'the deployed version',
      (state) => state.report(LIDAR, '1.2.8', 1),
      'acme:lidar | 1.* | 1.2.8 | 1.2.9 | 1.2.9 | upgrade | newest release of 1',
    ],
    [
      'that nothing is deployed',
      (state) => state.report(LIDAR, null, 1),
      'acme:lidar | 1.* | none | 1.2.9 | 1.2.9 | install | not deployed yet; newest release of 1',
    ],
    [
      'the time of the last restart',
      (state) => acknowledged(state, 'done'),
      'acme:lidar | 1.* | 1.2.8 | 1.2.9 | 1.2.9 | waiting | cooling down after a restart until 2026-11-21T12:04:00Z (in 4 min)',
    ],
    [
      'that the deployed version failed, without a previous version',
      (state) => acknowledged(state, 'release', NOW - 60 * MINUTE),
      'acme:lidar | 1.* | 1.2.8 | 1.2.9 | 1.2.9 | rollback | 1.2.8 failed on this machine; 1.2.9 instead: newest release of 1',
    ],
    [
      'that the deployed version failed, with a previous version',
      (state) => {
        state.report(LIDAR, '1.2.3', 1);
        acknowledged(state, 'release');
      },
      'acme:lidar | 1.* | 1.2.8 | 1.2.3 | 1.2.9 | rollback | 1.2.8 failed on this machine; 1.2.3 was deployed before it',
    ],
    [
      'the version that an operator rolled back from',
      (state) => {
        for (const runs of ['1.2.3', '1.2.9']) state.report(LIDAR, runs, 1);
        state.rollBack(
          LIDAR,
          { from: version('1.2.9'), to: version('1.2.3') },
          { at: 1, until: undefined },
        );
        state.report(LIDAR, '1.2.3', 2);
      },
      'acme:lidar | 1.* | 1.2.3 | 1.2.3 | 1.2.9 | up to date | stays at 1.2.3: 1.2.9 and 1.2.8 are refused by a rollback on this machine',
    ],
    [
      'who requested the upgrade at once [D76]',
      (state) => {
        acknowledged(state, 'done');
        const request = { requestedAt: NOW - MINUTE, by: 'ann', because: 'it burns', despite: [] };
        state.requestUpgrade(LIDAR, { ...request, from: '1.2.8', to: '1.2.9' });
      },
      'acme:lidar | 1.* | 1.2.8 | 1.2.9 | 1.2.9 | upgrade | newest release of 1; requested at once by ann at 2026-11-21T11:59:00Z: "it burns"',
    ],
    [
      'no fact about another module with the same entry name',
      (state) => state.report(moduleNamed('acme_lidar', 'acme:other'), '1.2.8', 1),
      'acme:lidar | 1.* | unknown | - | 1.2.9 | stuck | the deployed version is not known',
    ],
  ])('%s', async (_, remember, row) => {
    const home = homeAfter(remember);
    const before = contentsOf(home);
    expect((await planned({ PLATFORM_HOME: home })).rows).toEqual([row]);
    expect(contentsOf(home)).toEqual(before);
  });

  it('the deployed version of a subsystem, while a poller has the file open', async () => {
    const { home, state } = polledHome();
    state.report(AGENT, '0.9.0', 1);
    expect((await planned({ PLATFORM_HOME: home })).rows).toEqual([
      'acme:lidar | 1.* | unknown | - | 1.2.9 | stuck | the deployed version is not known',
      'platform-agent | stable | 0.9.0 | 0.9.1 | 0.9.1 | upgrade | newest release',
    ]);
  });
});

describe('plan with --deployed', () => {
  it('uses the report alone', async () => {
    const home = homeAfter((state) => {
      acknowledged(state, 'done');
      state.report(LIDAR, '1.2.9', 1);
      state.rollBack(LIDAR, { from: version('1.2.9'), to: undefined }, { at: 1, until: undefined });
      state.report(AGENT, '0.9.0', 1);
    });
    expect(await planned({ PLATFORM_HOME: home }, { options: ['--deployed', 'REPORT'] })).toEqual({
      rows: ['acme:lidar | 1.* | 1.2.3 | 1.2.9 | 1.2.9 | upgrade | newest release of 1'],
      stderr: '',
      exit: 0,
    });
  });

  it('does not read machine.db, even if it is damaged', async () => {
    const home = temporaryFolder({ 'machine.db': 'not a database\n'.repeat(100) });
    const { stderr, exit } = await planned(
      { PLATFORM_HOME: home },
      { options: ['--deployed', 'REPORT'] },
    );
    expect([stderr, exit]).toEqual(['', 0]);
  });
});

describe('plan without --deployed and without a usable machine.db', () => {
  it.each<[string, () => Readonly<Record<string, string>>]>([
    ['no home', () => ({})],
    [
      'a file in which an agent has made a round, without facts',
      () => ({
        PLATFORM_HOME: homeAfter((state) =>
          state.log([], { at: NOW - MINUTE, trouble: undefined }),
        ),
      }),
    ],
  ])('%s', async (_, environment) => {
    expect(await planned(environment())).toEqual({
      rows: ['acme:lidar | 1.* | unknown | - | 1.2.9 | stuck | the deployed version is not known'],
      stderr: `error[DEPLOYED_UNKNOWN]: acme:lidar: the deployed version is not known
hint: pass --deployed <file> with JSON such as {"acme_lidar": "1.2.3"}, by the names of module entries; null means not deployed
`,
      exit: 1,
    });
  });

  it.each<[string, () => Readonly<Record<string, string>>]>([
    ['no file', () => ({ PLATFORM_HOME: temporaryFolder() })],
    ['a home that does not exist', () => ({ PLATFORM_HOME: '/nowhere/at/all' })],
    ['an empty file', () => ({ PLATFORM_HOME: temporaryFolder({ 'machine.db': '' }) })],
    ['a file of a command', () => ({ PLATFORM_HOME: homeAfter(() => undefined) })],
  ])('[D292] a new machine, with %s, has nothing deployed', async (_, environment) => {
    expect(await planned(environment())).toEqual({
      rows: [
        'acme:lidar | 1.* | none | 1.2.9 | 1.2.9 | install | not deployed yet; newest release of 1',
      ],
      stderr:
        'note: no agent or poller has run here, so no module counts as deployed; --deployed <file> says what is\n',
      exit: 0,
    });
  });

  it.each([[[]], [['--offline']]])(
    'ends with an error if the file is damaged %j',
    async (options) => {
      const home = temporaryFolder({ 'machine.db': 'not a database\n'.repeat(100) });
      const before = contentsOf(home);
      expect(await planned({ PLATFORM_HOME: home }, { options })).toEqual({
        rows: [],
        stderr: `error[STATE_UNREADABLE]: "${home}/machine.db": file is not a database\n`,
        exit: 70,
      });
      expect(contentsOf(home)).toEqual(before);
    },
  );
});
