import { writeFileSync } from 'node:fs';
import { systemClock } from '../../src/registries/index.ts';
import { openOutbound } from '../../src/reports/outbound-file.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { openLog } from '../../src/logs/log-file.ts';
import { agentSite } from '../support/agent-site.ts';
import { claimed } from '../support/claimed.ts';
import { THEN, examined } from './support/examined.ts';
import { temporaryFolder } from '../support/folder.ts';
import { logged } from '../support/machine-home.ts';
import { printed } from '../support/command.ts';
import { patient } from './support/patient.ts';
import { entry } from '../support/planned.ts';
import { describe, expect, it } from 'vitest';

const SECOND = 1000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/** Logs a round that began some time ago. */
function round(state: MachineState, ago: number, trouble?: string): void {
  state.log([logged('acme_lidar')], { at: THEN - ago, trouble });
}

describe('modreg doctor on the agent or poller', () => {
  it('one that does not run any more', async () => {
    const folder = patient((state) => round(state, 2 * HOUR));
    expect(await examined(folder, [], { only: 'poller' })).toEqual([
      'error    poller     no poller runs; its last round was 2 h ago',
      '                    fix: start it again: its service, or modreg poll; look at the log of modreg poll',
      1,
    ]);
  });

  it.each<[string, (state: MachineState) => void, string[], number]>([
    [
      'that has made no round yet',
      () => undefined,
      [
        'info     poller     the poller is process PID; it has made no round yet',
        '                    next: look at the log of modreg poll if that stays so',
      ],
      0,
    ],
    [
      'that is well',
      (state) => round(state, MINUTE),
      ['ok       poller     the poller is process PID; its last round was 1 min ago'],
      0,
    ],
    [
      'that hangs',
      (state) => round(state, 31 * MINUTE),
      [
        'error    poller     the poller is process PID; its last round was 31 min ago',
        '                    fix: it hangs: look at the log of modreg poll; then restart its service, or kill PID and start it',
      ],
      1,
    ],
    [
      'whose last round had trouble',
      (state) => round(state, 30 * SECOND, 'no registry \u001b[2J'),
      [
        'warning  poller     the poller is process PID; its last round was 30 s ago; no registry \\u{1b}[2J',
        '                    fix: see registry and lists; look at the log of modreg poll',
      ],
      0,
    ],
    [
      'that keeps its last configuration',
      (state) => round(state, 30 * SECOND, 'the configuration cannot be read: machine.json: 1:1'),
      [
        'warning  poller     the poller is process PID; its last round was 30 s ago; the configuration cannot be read: machine.json: 1:1',
        '                    fix: see documents; look at the log of modreg poll',
      ],
      0,
    ],
    [
      '[T57] in a crash loop',
      (state) => {
        for (const ago of [9, 8, 4, 3, 2]) state.start(THEN - ago * MINUTE);
        round(state, MINUTE);
      },
      [
        'error    poller     it started five times in ten minutes, so it takes no action until 2026-12-01T12:01:00Z',
        '                    fix: look at the log of modreg poll say why it ended',
        'ok       poller     the poller is process PID; its last round was 1 min ago',
      ],
      1,
    ],
  ])('one %s', async (_, work, lines, exit) => {
    const folder = patient();
    work(claimed(`${folder}/home/machine.db`).state);
    const shown = await examined(folder, [], { only: 'poller' });
    expect(shown.map((line) => String(line).replaceAll(`${process.pid}`, 'PID'))).toEqual([
      ...lines,
      String(exit),
    ]);
  });
});

const POLLER = 'ok       poller     the poller is process PID; its last round was 1 min ago';
const QUEUE = 'home/outbound.db';

it.each<[string, (path: string) => void, readonly string[]]>([
  [
    'reports that wait',
    (path) => {
      const queue = openOutbound(path);
      queue.waits('it denies access (401)\u001b', THEN - HOUR);
      queue.waits('it denies access (403)', THEN);
      queue.close();
    },
    [
      'warning  poller     its reports wait since 2026-12-01T11:00:00Z: it denies access (403)',
      '                    fix: they are sent once the registry takes them; if it denies access, create a token there with modreg registry token create --name <id> --scope machine:<id>, and put it into the credentials file as api_key',
    ],
  ],
  ['reports that were taken', (path) => openOutbound(path).close(), []],
  ['the empty file of a start that was interrupted', (path) => writeFileSync(path, ''), []],
  [
    'a damaged queue',
    (path) => writeFileSync(path, 'x'.repeat(5000)),
    [
      `info     poller     whether its reports wait is not known: "./${QUEUE}": file is not a database`,
    ],
  ],
])('[T226] modreg doctor on %s', async (_, work, lines) => {
  const folder = patient();
  round(claimed(`${folder}/home/machine.db`).state, MINUTE);
  work(`${folder}/${QUEUE}`);
  const shown = await examined(folder, [], { only: 'poller' });
  expect(shown.map((line) => String(line).replaceAll(`${process.pid}`, 'PID'))).toEqual([
    POLLER,
    ...lines,
    '0',
  ]);
});

it('[T226] status and agent status say that reports wait', async () => {
  const folder = patient();
  round(claimed(`${folder}/home/machine.db`).state, MINUTE);
  const environment = { PLATFORM_HOME: `${folder}/home` };
  const notes = async (...command: readonly string[]): Promise<readonly string[]> =>
    (await printed(command, { environment, clock: () => THEN })).stderr;
  const queue = openOutbound(`${folder}/${QUEUE}`);
  expect([await notes('status'), await notes('agent', 'status')]).toEqual([[], []]);
  queue.waits('it denies access (403)', THEN - HOUR);
  queue.close();
  const note =
    'note: its reports wait since 2026-12-01T11:00:00Z: it denies access (403); modreg doctor says what to do';
  expect([await notes('status'), await notes('agent', 'status')]).toEqual([[note], [note]]);
  writeFileSync(`${folder}/${QUEUE}`, 'x'.repeat(5000));
  expect([await notes('status'), await notes('agent', 'status')]).toEqual([[], []]);
});

describe("modreg doctor on modreg's own agent", () => {
  it('that ended before it installed a module: it has a log, as a poller has not', async () => {
    const folder = patient((state) => round(state, 2 * HOUR));
    openLog(`${folder}/home/logs.db`, 'create').close();
    expect(await examined(folder, [], { only: 'poller' })).toEqual([
      'error    poller     no agent runs; its last round was 2 h ago',
      '                    fix: systemctl start modreg-agent, or modreg agent run machine.json; systemctl status modreg-agent, and modreg agent logs say why it ended',
      1,
    ]);
  });

  it('that runs, that has ended, and whose module has no process', async () => {
    // Doctor looks with the machine's clock.
    const site = await agentSite(
      { modules: [entry('acme:lidar', '1.*')] },
      {},
      { clock: systemClock },
    );
    site.publish('acme:lidar', '1.0.0', 'exec sleep 1000');
    const end = await site.start();
    await site.until('done');
    const environment = { PLATFORM_HOME: site.home };
    const look = async (): Promise<string[]> => {
      const shown = await examined(site.home, [], { environment, now: Date.now(), only: 'poller' });
      return shown.map((line) =>
        String(line)
          .replaceAll(`process ${process.pid}`, 'process PID')
          .replaceAll(/\d+ s ago/g, 'SOME ago'),
      );
    };
    expect(await look()).toEqual([
      'ok       poller     the agent is process PID; its last round was SOME ago',
      '0',
    ]);
    await end();
    expect(await look()).toEqual([
      'error    poller     no agent runs; its last round was SOME ago',
      '                    fix: systemctl start modreg-agent, or modreg agent run machine.json; systemctl status modreg-agent, and modreg agent logs say why it ended',
      '1',
    ]);
    const state = claimed(`${site.home}/machine.db`);
    expect((await look()).slice(1, 3)).toEqual([
      'warning  poller     the module acme_lidar 1.0.0 has no process: it ended, or waits for its next start',
      '                    fix: modreg agent logs acme_lidar',
    ]);
    const log = openLog(`${site.home}/logs.db`, 'create');
    const event = 'modreg.module.failed';
    const failure = { severity: 'warn', module: 'acme_lidar', version: '1.0.0', event } as const;
    const text = 'acme_lidar: 1.0.0 failed: it ended with exit code 7';
    for (const at of [Date.now(), Date.now()]) log.append([{ ...failure, at, text }]);
    log.close();
    expect((await look()).slice(1, 3)).toEqual([
      'warning  poller     the module acme_lidar 1.0.0 failed 2 times in ten minutes, last: it ended with exit code 7; next start within a minute',
      '                    fix: modreg agent logs acme_lidar',
    ]);
    state.close();
  });

  it('says that modules cannot run as a user that does not exist', async () => {
    const folder = temporaryFolder({
      'home/empty': '',
      'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
      'policy.json': JSON.stringify({ registry: './lists', run_as: 'nobody-at-all' }),
    });
    const shown = await examined(folder, [`${folder}/machine.json`], { only: 'modules' });
    expect(shown.slice(0, 2)).toEqual([
      'error    modules    acme_lidar cannot run: there is no user "nobody-at-all" to run modules as',
      '                    fix: useradd --system --user-group --no-create-home --shell /usr/sbin/nologin nobody-at-all, or name another one with run_as in the policy; modreg poll does not need it',
    ]);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['a poller', {}, '1'],
    [
      'an agent, which has a log',
      { 'home/logs.db': '' },
      '                    fix: useradd --system --user-group --no-create-home --shell /usr/sbin/nologin nobody-at-all, or name another one with run_as in the policy',
    ],
  ])('checks modules if machine.db is damaged, of %s', async (_, files, second) => {
    const folder = temporaryFolder({
      'home/machine.db': 'x'.repeat(5000),
      'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
      'policy.json': JSON.stringify({ registry: './lists', run_as: 'nobody-at-all' }),
      ...files,
    });
    const shown = await examined(folder, [`${folder}/machine.json`], { only: 'modules' });
    expect(shown.map(String).find((line) => /useradd|^1$/.test(line))).toBe(second);
  });
});
