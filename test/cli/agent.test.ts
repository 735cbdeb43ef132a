import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentLogsCommand } from '../../src/cli/agent/logs-command.ts';
import { openLog, type LogRecord } from '../../src/logs/log-file.ts';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { temporaryFolder } from '../support/folder.ts';
import { modreg, ROOT } from '../support/modreg.ts';
import { entry } from '../support/planned.ts';
import { agentRunning } from '../support/polling.ts';
import { quietWorld } from '../support/quiet-world.ts';

const QUICK = {
  run_as: process.getuid?.() === 0 ? 'root' : undefined,
  ready_timeout: '1s',
  probation: '0s',
  restart_cooldown: '0s',
};

/** The folder of a machine with one module. */
function siteOf(registry: string): string {
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
    'policy.json': JSON.stringify({ registry: registry.replace(/\/v1$/, ''), ...QUICK }),
  });
  mkdirSync(`${folder}/home`);
  return folder;
}

/** What `modreg agent …` prints about the machine, without times and process ids. */
function said(folder: string, ...args: readonly string[]): string[] {
  const { stdout, stderr } = modreg(['agent', ...args], { PLATFORM_HOME: `${folder}/home` });
  return `${stdout}${stderr}`
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replaceAll(/process \d+/g, 'process PID')
        .replaceAll(folder, '@')
        .trim(),
    );
}

describe('modreg agent run', () => {
  it('runs a release, rolls back one that fails, and says so', async () => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      const folder = siteOf(address);
      const agent = agentRunning(folder);
      await agent.until('install of 1.0.0: done');
      publish('1.0.1', 'fails-at-once');
      await agent.until('is in quarantine');
      expect(said(folder, 'status').map((line) => line.split(/ {2,}/))).toEqual([
        ['MODULE', 'VERSION', 'STATE', 'PROCESS', 'MEMORY', 'UPDATE'],
        [
          'acme_lidar',
          '1.0.0',
          'running',
          expect.stringMatching(/^\d+$/),
          expect.stringMatching(/MB$/),
          expect.any(String),
        ],
        [''],
        ['In quarantine:'],
        ['MODULE', 'VERSION', 'SINCE', 'UNTIL', 'WHY'],
        [
          'acme:lidar',
          '1.0.1',
          ...Array.from({ length: 2 }, () => expect.any(String) as string),
          'it ended with exit code 3',
        ],
      ]);
      expect(await agent.end('SIGTERM')).toEqual({
        exit: 0,
        lines: [
          'TIME info  got SIGTERM: stopping all modules',
          'TIME info  acme_lidar: 1.0.0 is stopped',
          'TIME info  all modules are stopped',
        ],
      });
      expect(said(folder, 'status').at(-1)).toBe('no agent is running');
      // The log has what was printed.
      expect(said(folder, 'logs')).toEqual([
        'TIME info  running 1 module of @/machine.json, a round every 5 s (Ctrl-C stops)',
        'TIME info  acme_lidar: install of 1.0.0: not deployed yet; newest release of 1',
        expect.stringMatching(/^TIME info {2}acme_lidar: 1\.0\.0 is downloaded, \d+ bytes$/),
        'TIME info  acme_lidar: 1.0.0 is installed',
        'TIME info  acme_lidar: 1.0.0 is started (process PID)',
        'TIME info  acme_lidar: 1.0.0 runs',
        'TIME info  acme_lidar: install of 1.0.0: done',
        'TIME info  acme_lidar: upgrade 1.0.0 → 1.0.1: newest release of 1',
        expect.stringMatching(/^TIME info {2}acme_lidar: 1\.0\.1 is downloaded, \d+ bytes$/),
        'TIME info  acme_lidar: 1.0.1 is installed',
        'TIME info  acme_lidar: 1.0.0 is stopped',
        'TIME info  acme_lidar: 1.0.1 is started (process PID)',
        'TIME warn  acme_lidar: 1.0.1 failed: it ended with exit code 3',
        'TIME warn  acme_lidar: 1.0.0 is started again',
        'TIME info  acme_lidar: 1.0.0 is started (process PID)',
        'TIME info  acme_lidar: 1.0.0 runs',
        'TIME error acme_lidar: upgrade 1.0.0 → 1.0.1: the release failed: it ended with exit code 3',
        'TIME warn  acme:lidar 1.0.1 is in quarantine until an operator lifts it: it ended with exit code 3',
        'TIME info  got SIGTERM: stopping all modules',
        'TIME info  acme_lidar: 1.0.0 is stopped',
        'TIME info  all modules are stopped',
      ]);
    });
  });

  it('shows a download below its log on a terminal', async () => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      const folder = siteOf(address);
      const command = `stty columns 70; exec ${ROOT}bin/modreg agent run ${folder}/machine.json --platform linux/amd64 --interval 5s`;
      const terminal = spawn('script', ['-qfec', command, '/dev/null'], {
        env: { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home`, TERM: 'xterm' },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(() => void terminal.kill('SIGKILL'));
      let output = '';
      for await (const part of terminal.stdout) {
        output += String(part);
        if (output.includes('install of 1.0.0: done')) terminal.stdin.end('\u0003');
      }
      const [bar] = /\r\u001B\[K[^\r]*100 %[^\r]*\r\u001B\[K/.exec(output) ?? [];
      expect(bar).toMatch(
        /^\r\u001B\[Kacme_lidar 1\.0\.0 {2}\[#{20}\] 100 % {2}0\.0 of 0\.0 MB\r\u001B\[K$/,
      );
      expect(output).toMatch(/\n\S+ info {2}acme_lidar: 1\.0\.0 is installed\r\n/);
    });
  });

  it('[A7] refuses a second agent, which names the first', async () => {
    const folder = siteOf('http://127.0.0.1:9/v1');
    const agent = agentRunning(folder);
    await agent.until('running 1 module');
    expect(said(folder, 'run', `${folder}/machine.json`)).toEqual([
      'error[LOCKED]: "@/home/machine.db": process PID already polls for this machine, and only one process can',
    ]);
    expect((await agent.end('SIGTERM')).exit).toBe(0);
  });

  it('says that machine.db was damaged, and installs again', async () => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      const folder = siteOf(address);
      writeFileSync(`${folder}/home/machine.db`, 'damaged'.repeat(1000));
      const agent = agentRunning(folder);
      const lines = await agent.until('install of 1.0.0: done');
      expect(lines[1]?.replaceAll(folder, '@')).toMatch(
        /^TIME warn {2}"@\/home\/machine\.db": file is not a database; it is now @\/home\/machine\.db\.set-aside-1, and a new file was created$/,
      );
      expect((await agent.end('SIGINT')).exit).toBe(130);
    });
  });
});

const AT = Date.UTC(2026, 10, 23, 3);

/** A machine whose log has these lines. */
function homeWith(records: readonly Partial<LogRecord>[]): string {
  const home = temporaryFolder();
  const log = openLog(`${home}/logs.db`, 'create');
  log.append(
    records.map((one) => ({
      at: AT,
      severity: 'info',
      module: 'lidar',
      text: 'listening',
      ...one,
    })),
  );
  log.close();
  return home;
}

describe('modreg agent logs', () => {
  const lines = [
    { text: 'lidar: listening' },
    { severity: 'warn', text: 'arm: \u001b[31mhot\u001b[0m', module: 'arm' },
    { severity: 'error', text: 'got SIGTERM', module: undefined },
  ] as const;
  const printed = [
    '2026-11-23T03:00:00.000Z info  lidar: listening',
    String.raw`2026-11-23T03:00:00.000Z warn  arm: \u{1b}[31mhot\u{1b}[0m`,
    '2026-11-23T03:00:00.000Z error got SIGTERM',
  ];

  it.for([
    [[], printed],
    [['-n', '1'], printed.slice(-1)],
    [['arm'], printed.slice(1, 2)],
    [['base'], ['the log has no line about base']],
    [['lidar', '-n', '0'], ['']],
    [
      ['arm', '--json'],
      [
        String.raw`{"schema":"modreg/agent-log@1","time":"2026-11-23T03:00:00Z","level":"warn","target":"arm","text":"arm: \u001b[31mhot\u001b[0m"}`,
      ],
    ],
  ] as const)('%o', ([args, expected]) => {
    const { stdout, stderr, exit } = modreg(['agent', 'logs', ...args], {
      PLATFORM_HOME: homeWith(lines),
    });
    expect([...`${stdout}${stderr}`.trimEnd().split('\n'), exit]).toEqual([...expected, 0]);
  });

  it('says what was dropped', () => {
    const many = Array.from({ length: 10_005 }, (_, place) => ({ at: AT + 1000 * place }));
    const home = homeWith(many);
    const { stdout, stderr } = modreg(['agent', 'logs', '-n', '10000'], { PLATFORM_HOME: home });
    expect(stdout.trimEnd().split('\n')).toHaveLength(10_000);
    expect(stderr).toBe('5 lines until 2026-11-23T03:00:04Z were dropped for later ones\n');
  });

  it.for([
    [
      ['logs', '-n', 'all'],
      { HOME: '/nowhere' },
      'error[USAGE]: --lines is "all", expected a whole number from 0 to 10000',
      2,
    ],
    [
      ['logs'],
      {},
      'error[USAGE]: the state of this machine is not found: neither PLATFORM_HOME nor HOME is set',
      2,
    ],
    [
      ['logs'],
      { HOME: '/nowhere' },
      'error[STATE_UNREADABLE]: "/nowhere/.platform/logs.db": there is no such file',
      70,
    ],
  ] as const)('%o with %o is an error', ([args, environment, message, code]) => {
    const { stderr, exit } = modreg(['agent', ...args], environment);
    expect([stderr.split('\n')[0], exit]).toEqual([message, code]);
  });

  it('follows the log until it is stopped', async () => {
    const home = homeWith(lines);
    const child = spawn(`${ROOT}bin/modreg`, ['agent', 'logs', 'lidar', '--follow'], {
      env: { PATH: process.env['PATH'], PLATFORM_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const output = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async (): Promise<string> => (await output.next()).value as string;
    expect(await next()).toBe(printed[0]);
    const log = openLog(`${home}/logs.db`, 'create');
    log.append([
      { at: AT, severity: 'info', module: 'arm', text: 'arm: moving' },
      { at: AT, severity: 'info', module: 'lidar', text: 'lidar: scanning' },
    ]);
    log.close();
    expect(await next()).toBe('2026-11-23T03:00:00.000Z info  lidar: scanning');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });

  it.for([
    [{ lines: '0' }, undefined],
    [{ lines: '0' }, 'lidar'],
    [{}, 'base'],
  ] as const)('with %o follows %s from the end of the log', async ([options, module]) => {
    const home = homeWith(lines);
    const seen: string[] = [];
    const [stop, printedOne] = [
      Promise.withResolvers<'SIGTERM'>(),
      Promise.withResolvers<undefined>(),
    ];
    const ended = agentLogsCommand(
      module,
      { ...options, follow: true },
      {
        ...quietWorld('linux/x64'),
        environment: { PLATFORM_HOME: home },
        print(line) {
          seen.push(line);
          printedOne.resolve(undefined);
        },
        untilSignal: async () => await stop.promise,
        untilStdoutCloses: async () => await Promise.race([]),
      },
    );
    const log = openLog(`${home}/logs.db`, 'create');
    log.append([
      { at: AT, severity: 'info', module: module ?? 'lidar', text: `${module ?? 'lidar'}: new` },
    ]);
    log.close();
    await printedOne.promise;
    stop.resolve('SIGTERM');
    expect(await ended).toEqual({ answer: [], notes: [], problems: [], ending: undefined });
    expect(seen).toEqual([`2026-11-23T03:00:00.000Z info  ${module ?? 'lidar'}: new`]);
  });
});
