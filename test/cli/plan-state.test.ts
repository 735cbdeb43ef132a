import { describe, expect, it } from 'vitest';
import type { MachineState } from '../../src/store/machine-state.ts';
import { version } from '../support/ask.ts';
import { AGENT, commitOne, moduleNamed } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { contentsOf, homeAfter, polledHome } from '../support/machine-home.ts';
import { modreg } from '../support/modreg.ts';
import { entry } from '../support/planned.ts';
import { NOON, site } from '../support/site.ts';

const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');
const NOW = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;

/** A folder with a lidar, of which a report says that 1.2.3 runs, and what was published of it and of agents. */
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

/** The rows of a plan, from what is deployed on, and how it ended. */
function planned(
  environment: Readonly<Record<string, string>>,
  { folder = folderOf(), options = [] }: { folder?: string; options?: readonly string[] } = {},
): { rows: string[]; stderr: string; exit: number | null } {
  const args = ['plan', `${folder}/machine.json`, ...NOON, ...options];
  const { stdout, stderr, exit } = modreg(
    args.map((arg) => (arg === 'REPORT' ? `${folder}/deployed.json` : arg)),
    environment,
  );
  const rows = stdout.split('\n').filter((line) => /^ {2}(acme|platform)/.test(line));
  return { rows: rows.map((row) => row.trim().replaceAll(/ {2,}/g, ' | ')), stderr, exit };
}

/** 1.2.9 was delivered, and acknowledged. */
function acknowledged(
  state: MachineState,
  outcome: 'done' | 'release' | 'machine',
  at: number = NOW - MINUTE,
): void {
  const { id } = commitOne(state, { target: LIDAR, from: '1.2.3', to: '1.2.8' });
  state.deliver(id, at);
  const failed = { kind: 'failed', reason: '', running: '1.2.8' } as const;
  const told = outcome === 'done' ? ({ kind: 'done' } as const) : { ...failed, blame: outcome };
  state.acknowledge(id, told, { at, quarantineUntil: NOW + MINUTE, retryAt: at });
}

describe('plan without --deployed goes by what the machine remembers', () => {
  it.each<[string, (state: MachineState) => void, string]>([
    [
      'what runs',
      (state) => state.report(LIDAR, '1.2.8', 1),
      'acme:lidar | 1.* | 1.2.8 | 1.2.9 | 1.2.9 | restart-and-upgrade | newest release of 1',
    ],
    [
      'that nothing runs',
      (state) => state.report(LIDAR, null, 1),
      'acme:lidar | 1.* | none | 1.2.9 | 1.2.9 | install | not deployed yet; newest release of 1',
    ],
    [
      'when it was restarted',
      (state) => acknowledged(state, 'done'),
      'acme:lidar | 1.* | 1.2.8 | 1.2.9 | 1.2.9 | hold | cooling down after a restart until 2026-11-21T12:04:00Z',
    ],
    [
      'that what runs failed, and that nothing ran before',
      (state) => acknowledged(state, 'release', NOW - 60 * MINUTE),
      'acme:lidar | 1.* | 1.2.8 | 1.2.9 | 1.2.9 | rollback | 1.2.8 failed on this machine; 1.2.9 instead: newest release of 1',
    ],
    [
      'that what runs failed, and what ran before',
      (state) => {
        state.report(LIDAR, '1.2.3', 1);
        acknowledged(state, 'release');
      },
      'acme:lidar | 1.* | 1.2.8 | 1.2.3 | 1.2.9 | rollback | 1.2.8 failed on this machine; 1.2.3 ran before it',
    ],
    [
      'what an operator went back from',
      (state) => {
        for (const runs of ['1.2.3', '1.2.9']) state.report(LIDAR, runs, 1);
        state.rollBack(LIDAR, { from: version('1.2.9'), to: version('1.2.3') }, 1);
        state.report(LIDAR, '1.2.3', 2);
      },
      'acme:lidar | 1.* | 1.2.3 | 1.2.3 | 1.2.3 | none | already the newest release of 1',
    ],
    [
      'nothing of another module of this name',
      (state) => state.report(moduleNamed('acme_lidar', 'acme:other'), '1.2.8', 1),
      'acme:lidar | 1.* | unknown | - | 1.2.9 | stuck | what is deployed is not known',
    ],
  ])('%s', (_, remembered, told) => {
    const home = homeAfter(remembered);
    const before = contentsOf(home);
    expect(planned({ PLATFORM_HOME: home }).rows).toEqual([told]);
    expect(contentsOf(home)).toEqual(before);
  });

  it('what runs of a subsystem, while the machine is polled', () => {
    const { home, state } = polledHome();
    state.report(AGENT, '0.9.0', 1);
    expect(planned({ PLATFORM_HOME: home }).rows).toEqual([
      'acme:lidar | 1.* | unknown | - | 1.2.9 | stuck | what is deployed is not known',
      'platform-agent | stable | 0.9.0 | 0.9.1 | 0.9.1 | restart-and-upgrade | newest release',
    ]);
  });
});

describe('plan with --deployed', () => {
  it('goes by the report alone', () => {
    const home = homeAfter((state) => {
      acknowledged(state, 'done');
      state.report(LIDAR, '1.2.9', 1);
      state.rollBack(LIDAR, { from: version('1.2.9'), to: undefined }, 1);
      state.report(AGENT, '0.9.0', 1);
    });
    expect(planned({ PLATFORM_HOME: home }, { options: ['--deployed', 'REPORT'] })).toEqual({
      rows: [
        'acme:lidar | 1.* | 1.2.3 | 1.2.9 | 1.2.9 | restart-and-upgrade | newest release of 1',
      ],
      stderr: '',
      exit: 0,
    });
  });

  it('does not look at a file that cannot be read', () => {
    const home = temporaryFolder({ 'machine.db': 'what runs: everything\n'.repeat(50) });
    const { stderr, exit } = planned(
      { PLATFORM_HOME: home },
      { options: ['--deployed', 'REPORT'] },
    );
    expect([stderr, exit]).toEqual(['', 0]);
  });
});

describe('plan of a machine that remembers nothing', () => {
  it.each<[string, () => Readonly<Record<string, string>>]>([
    ['no home', () => ({})],
    ['no file', () => ({ PLATFORM_HOME: temporaryFolder() })],
    ['a home that is not there', () => ({ PLATFORM_HOME: '/nowhere/at/all' })],
    ['an empty file', () => ({ PLATFORM_HOME: temporaryFolder({ 'machine.db': '' }) })],
    ['a blank one', () => ({ PLATFORM_HOME: homeAfter(() => undefined) })],
  ])('%s', (_, environment) => {
    expect(planned(environment())).toEqual({
      rows: ['acme:lidar | 1.* | unknown | - | 1.2.9 | stuck | what is deployed is not known'],
      stderr: `error[DEPLOYED_UNKNOWN]: acme:lidar: what is deployed is not known
hint: pass --deployed <file> with JSON such as {"acme_lidar": "1.2.3"}, by the names of module entries; null means not deployed
`,
      exit: 1,
    });
  });

  it.each([[[]], [['--offline']]])('and whose file is damaged: it is not guessed %j', (options) => {
    const home = temporaryFolder({ 'machine.db': 'what runs: everything\n'.repeat(50) });
    const before = contentsOf(home);
    expect(planned({ PLATFORM_HOME: home }, { options })).toEqual({
      rows: [],
      stderr: `error[STATE_UNREADABLE]: "${home}/machine.db": file is not a database\n`,
      exit: 70,
    });
    expect(contentsOf(home)).toEqual(before);
  });
});
