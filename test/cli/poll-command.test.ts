import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lostMemory } from '../../src/store/lost-memory.ts';
import { runProgram } from '../../src/cli/poll/run-program.ts';
import type { World } from '../../src/base/world.ts';
import { openForPoller } from '../../src/store/index.ts';
import { claimed, commitOne, moduleNamed } from '../support/claimed.ts';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { homeAfter } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { needs } from '../support/prerequisite.ts';
import { script } from '../support/polling.ts';
import { site } from '../support/site.ts';

const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');

/** The home of a machine on which the newest release is deployed. */
function deployedHome(): string {
  return homeAfter((state) => state.report(LIDAR, '1.0.0', 1));
}

interface Polled extends Printed {
  readonly log: readonly string[];
}

/** Runs `modreg poll` on a machine, whose state is in `home`, until it has logged what it does, and `signal` comes. */
async function polled(
  home: string,
  {
    options = [],
    signal = 'SIGTERM',
    policy = { registry: './lists' },
    meanwhile = async () => await Promise.resolve(),
  }: {
    readonly options?: readonly string[];
    readonly signal?: 'SIGINT' | 'SIGTERM';
    readonly policy?: object;
    readonly meanwhile?: (log: readonly string[]) => Promise<void>;
  } = {},
): Promise<Polled> {
  const folder = site({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    policy,
    lists: { 'acme/lidar': ['1.0.0'] },
  });
  const hook = script(`${folder}/hook`, '');
  const log: string[] = [];
  const started = Promise.withResolvers<void>();
  const world: Partial<World> = {
    environment: { PLATFORM_HOME: home },
    clock: () => Date.parse('2026-11-21T12:00:00Z'),
    log: (stream, line) => {
      log.push(`${stream} ${line}`.replaceAll(folder, '.').replaceAll(home, '~'));
      // What is logged at the start is logged at once.
      setImmediate(started.resolve);
    },
    untilSignal: async (nth = 1) => {
      if (nth > 1) return await Promise.race([]);
      await started.promise;
      await meanwhile(log);
      return signal;
    },
  };
  const args = ['poll', `${folder}/machine.json`, '--exec', hook, ...options];
  const { stdout, stderr, exit } = await printed(args, world);
  return { stdout, stderr: stderr.map((line) => line.replaceAll(folder, '.')), exit, log };
}

/** The time and the stream of each line of the log, which are the same. */
const AT = 'stdout 2026-11-21T12:00:00.000Z';
const START = `${AT} info  polling 1 module of ./machine.json, every 1 min, for ./hook (Ctrl-C stops)`;

/** Whether another poller may start. */
function isFree(home: string): boolean {
  openForPoller(`${home}/machine.db`).close();
  return true;
}

describe('modreg poll', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 0],
  ] as const)('ends on %s with %i, and lets another poller start', async (signal, exit) => {
    const home = deployedHome();
    expect(await polled(home, { signal })).toEqual({
      stdout: [],
      stderr: [],
      exit,
      log: [START, `${AT} info  stopped by ${signal}`],
    });
    expect(isFree(home)).toBe(true);
  });

  it('warns of names in --deployed that the machine config does not have', async () => {
    const deployed = `${temporaryFolder()}/deployed.json`;
    writeFileSync(deployed, '{"acme_lidr":"1.0.0","acme_lidar":"1.0.0","pump":null}');
    const { log } = await polled(deployedHome(), { options: ['--deployed', deployed] });
    const has = 'the machine config has no module or subsystem';
    const unused = 'its version is not used';
    expect(log).toEqual([
      START,
      `${AT} warn  --deployed: ${has} "acme_lidr", did you mean acme_lidar?; ${unused}`,
      `${AT} warn  --deployed: ${has} "pump"; ${unused}`,
      `${AT} info  stopped by SIGTERM`,
    ]);
  });

  it('logs objects with --json', async () => {
    const { log } = await polled(deployedHome(), { options: ['--json', '--interval', '90s'] });
    expect(log.map((line) => JSON.parse(line.replace(/^stdout /, '')) as object)).toMatchObject([
      {
        event: 'poll',
        text: 'polling 1 module of ./machine.json, every 1 min 30 s, for ./hook (Ctrl-C stops)',
      },
      { event: 'poll', text: 'stopped by SIGTERM' },
    ]);
  });

  it('serves metrics until it ends', async () => {
    let address = '';
    const { log } = await polled(deployedHome(), {
      options: ['--metrics', '127.0.0.1:0'],
      meanwhile: async (lines) => {
        address = lines[1]?.split(' ').at(-1) ?? '';
        const text = await (await fetch(address)).text();
        expect(text).toContain('modreg_poll_open_actions 0');
      },
    });
    expect(log[1]).toBe(`${AT} info  the metrics are at ${address}`);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });

  it('says which rows were lost, and which file was set aside', async () => {
    const home = deployedHome();
    const database = new DatabaseSync(`${home}/machine.db`);
    // A connection that is not modreg's leaves the checksum as it was.
    database.exec("UPDATE deployed SET text = '1.0.1'");
    database.close();
    expect((await polled(home)).log[1]).toBe(
      `${AT} warn  a damaged row: the deployed version of module acme_lidar; it is unknown until it is reported (machine.db, damaged_rows)`,
    );
    writeFileSync(`${home}/machine.db`, '');
    expect((await polled(home)).log[1]).toBe(
      `${AT} warn  "~/machine.db": it is empty; it is now ~/machine.db.set-aside-1, and a new file was created: deployed versions, quarantines and rollbacks are forgotten`,
    );
  });

  it.each<[string, object, readonly string[], readonly string[]]>([
    [
      'a registry',
      {},
      [],
      [
        'error[NO_REGISTRY]: no registry is named',
        'hint: name one with --registry, else MODREG_REGISTRY, else "registry" in the policy of --policy, or create ~/registry.db',
      ],
    ],
    [
      'an address for metrics that is its own',
      { registry: './lists' },
      ['--metrics', '192.0.2.1:1'],
      ['error[USAGE]: --metrics: cannot listen on 192.0.2.1, port 1 (EADDRNOTAVAIL)'],
    ],
  ])('does not start without %s, and keeps no lock', async (_, policy, options, errors) => {
    const home = deployedHome();
    const ended = await polled(home, { policy, options });
    const stderr = ended.stderr.map((line) => line.replaceAll(home, '~'));
    expect([stderr, ended.exit, ended.log]).toEqual([errors, 2, []]);
    expect(isFree(home)).toBe(true);
  });

  it('does not start beside another one', async () => {
    const home = deployedHome();
    const file = openForPoller(`${home}/machine.db`);
    const { stderr, exit, log } = await polled(home);
    file.close();
    expect([stderr.map((line) => line.replaceAll(home, '~')), exit, log]).toEqual([
      [
        `error[LOCKED]: "~/machine.db": process ${process.pid} already polls for this machine, and only one process can`,
      ],
      70,
      [],
    ]);
  });
});

it('a program that ignores SIGTERM gets SIGKILL after ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const ready = Promise.withResolvers<void>();
  const stopping = new AbortController();
  const ended = runProgram({
    program: script(
      `${temporaryFolder()}/hook`,
      'trap "" TERM',
      'echo ready',
      'read -r x',
      'sleep 60',
    ),
    environment: { PATH: '/usr/bin:/bin' },
    input: '',
    onStart: () => undefined,
    onLine: () => ready.resolve(),
    signal: stopping.signal,
    kill: new AbortController().signal,
    onRefused: () => undefined,
  });
  await ready.promise;
  stopping.abort();
  vi.advanceTimersByTime(9999);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await ended).toEqual({ kind: 'killed', by: 'SIGKILL' });
});

it.each([
  [[], undefined],
  [['machine.db.set-aside-1-wal', 'machine.db.before-2', 'machine.db.set-aside-'], undefined],
  [['machine.db.set-aside-12'], '"~/machine.db.set-aside-12"'],
])('[T100] what %j may have known', (names, lost) => {
  const home = temporaryFolder(Object.fromEntries(names.map((name) => [name, ''])));
  expect(lostMemory(claimed(`${home}/machine.db`))?.replace(home, '~')).toBe(lost);
});

it.each([
  ['deployed', "text = '1.0.1'", 'a damaged row of "~/machine.db"'],
  ['actions', "content = '{}'", 'a damaged row of "~/machine.db"'],
  ['restart_requests', 'requested_at = 3', undefined],
])('[T100] what a damaged row of %s may have known', (table, change, lost) => {
  const home = homeAfter((state) => {
    state.report(LIDAR, '1.0.0', 1);
    commitOne(state, { target: LIDAR });
    state.requestRestart(LIDAR, { requestedAt: 2, isImmediate: false });
  });
  const database = new DatabaseSync(`${home}/machine.db`);
  // A connection that is not modreg's leaves the checksum as it was.
  database.exec(`UPDATE ${table} SET ${change}`);
  database.close();
  expect(lostMemory(claimed(`${home}/machine.db`))?.replace(home, '~')).toBe(lost);
});

/** Calls `act` without the privileges of root, if this process has them. */
function unprivileged(act: () => void): void {
  process.seteuid?.(65_534);
  try {
    act();
  } finally {
    process.seteuid?.(0);
  }
}

it('[T352] a program that has become another user is not stopped, and a second signal leaves it', async (context) => {
  needs(context, process.getuid?.() === 0, 'only root can run a program as another user');
  const ready = Promise.withResolvers<void>();
  const [stopping, killing] = [new AbortController(), new AbortController()];
  let refusals = 0;
  let program = 0;
  onTestFinished(() => void process.kill(program, 'SIGKILL'));
  const other = 'setpriv --reuid=12345 --regid=12345 --clear-groups';
  const ended = runProgram({
    program: script(
      `${temporaryFolder()}/hook`,
      `exec ${other} sh -c 'echo ready; exec sleep 1000'`,
    ),
    environment: { PATH: '/usr/bin:/bin' },
    input: '',
    onStart: (pid) => (program = pid),
    onLine: () => ready.resolve(),
    signal: stopping.signal,
    kill: killing.signal,
    onRefused: () => refusals++,
  });
  await ready.promise;
  unprivileged(() => stopping.abort());
  expect(refusals).toBe(1);
  unprivileged(() => killing.abort());
  expect(await ended).toEqual({ kind: 'left' });
});
