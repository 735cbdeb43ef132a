import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentLogsCommand } from '../../src/cli/agent/logs-command.ts';
import { openLog } from '../../src/logs/log-file.ts';
import type { LogRecord } from '../../src/logs/log-record.ts';
import { openForPoller } from '../../src/store/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { logged } from '../support/machine-home.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { quietWorld } from '../support/quiet-world.ts';

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
    [['--level', 'warn'], printed.slice(1)],
    [['--grep', 'LISTEN'], printed.slice(0, 1)],
    [['--level', 'error', '--grep', 'sigterm'], printed.slice(2)],
    [['--since', '2026-11-23T03:00:00Z'], printed],
    [['--since', '2026-11-23T03:00:01Z'], ['']],
    [['arm', '--grep', 'cold'], ['the log has no such line about arm']],
    [
      ['arm', '--json'],
      [
        String.raw`{"schema":"modreg/agent-log@1","time":"2026-11-23T03:00:00Z","level":"warn","target":"arm","text":"arm: \u001b[31mhot\u001b[0m"}`,
      ],
    ],
  ] as const)('%o', async ([args, expected]) => {
    const { stdout, stderr, exit } = await inProcess(['agent', 'logs', ...args], {
      PLATFORM_HOME: homeWith(lines),
    });
    expect([...`${stdout}${stderr}`.trimEnd().split('\n'), exit]).toEqual([...expected, 0]);
  });

  it.for([
    ['acme:lidar', [printed[0], 0]],
    ['acme:arm', ['the log has no line about arm_2', 0]],
    [
      'acme:lidr',
      [
        'error[UNKNOWN_REFERENCE]: "acme:lidr" names no module or subsystem that this machine decides on',
        '  did you mean acme:lidar ?',
        'hint: this machine knows acme:lidar (lidar), acme:arm (arm_2)',
        1,
      ],
    ],
  ] as const)('of %s, if the machine has it', async ([named, expected]) => {
    const home = homeWith(lines);
    const file = openForPoller(`${home}/machine.db`);
    const decisions = [
      logged('lidar', { moduleId: 'acme:lidar' }),
      logged('arm_2', { moduleId: 'acme:arm' }),
    ];
    file.state.log(decisions, { at: AT, trouble: undefined });
    file.close();
    const { stdout, stderr, exit } = await inProcess(['agent', 'logs', named], {
      PLATFORM_HOME: home,
    });
    expect([...`${stdout}${stderr}`.trimEnd().split('\n'), exit]).toEqual(expected);
  });

  it('says what was dropped', async () => {
    const many = Array.from({ length: 10_005 }, (_, place) => ({ at: AT + 1000 * place }));
    const home = homeWith(many);
    const { stdout, stderr } = await inProcess(['agent', 'logs', '-n', '10000'], {
      PLATFORM_HOME: home,
    });
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
  ] as const)('%o with %o is an error', async ([args, environment, message, code]) => {
    const { stderr, exit } = await inProcess(['agent', ...args], environment);
    const [line] = stderr.split('\n');
    expect([line, exit]).toEqual([message, code]);
  });

  it('says that the log is damaged', async () => {
    const home = temporaryFolder({ 'logs.db': 'damaged'.repeat(1000) });
    const { stderr, exit } = await inProcess(['agent', 'logs'], { PLATFORM_HOME: home });
    expect([stderr, exit]).toEqual([
      `error[STATE_UNREADABLE]: "${home}/logs.db": file is not a database\n`,
      70,
    ]);
  });

  const absent = [
    'no agent has run with this home; modreg agent run <machine.json> starts one',
    'note: "/nowhere/.platform/FILE": there is no such file; $PLATFORM_HOME, or else $HOME/.platform, is the home',
  ];

  it.for([
    ['logs', [], absent],
    ['logs', ['--json'], absent],
    ['logs', ['--follow'], absent],
    ['status', [], absent],
    [
      'status',
      ['--json'],
      [
        '{"schema":"modreg/agent-status@1","running":false,"trouble":null,"agent":null,"modules":[],"quarantine":[],"holds":[],"log":null}',
        absent[1],
      ],
    ],
  ] as const)(
    '%s %o before the first start: says what to run',
    async ([command, options, expected]) => {
      const { stdout, stderr, exit } = await inProcess(['agent', command, ...options], {
        HOME: '/nowhere',
      });
      const said = `${stdout}${stderr}`.replace(/(?<=platform\/)\w+\.db/, 'FILE').trimEnd();
      expect([...said.split('\n'), exit]).toEqual([...expected, 0]);
    },
  );

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
    // The log was damaged, so the agent set it aside and began another one.
    for (const suffix of ['-wal', '-shm']) rmSync(`${home}/logs.db${suffix}`, { force: true });
    renameSync(`${home}/logs.db`, `${home}/logs.db.damaged`);
    const other = openLog(`${home}/logs.db`, 'create');
    other.append([{ at: AT, severity: 'info', module: 'lidar', text: 'lidar: again' }]);
    other.close();
    expect(await next()).toBe('2026-11-23T03:00:00.000Z info  lidar: again');
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
