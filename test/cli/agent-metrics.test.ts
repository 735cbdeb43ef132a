import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentMetrics, type AgentMetrics } from '../../src/cli/metrics/agent-metrics.ts';
import type { OwnEvent } from '../../src/cli/metrics/module-metrics.ts';
import { DatabaseError, type ClaimedFile } from '../../src/store/index.ts';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { claimed } from '../support/claimed.ts';
import { printed } from '../support/command.ts';
import { day, HOUR } from '../support/day.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';
import { agentInProcess } from '../support/polling.ts';
import { siteOf } from './support/lidar-site.ts';

function linesIn(text: string, prefix: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(prefix))
    .toSorted();
}

/** The lines of metrics of the agent, without `modreg_agent_`; those whose names begin with `of`. */
async function lines({ scrape }: Pick<AgentMetrics, 'scrape'>, of = ''): Promise<string[]> {
  const { text } = await scrape();
  return linesIn(text, `modreg_agent_${of}`).map((line) => line.replace('modreg_agent_', ''));
}

/** The metrics of an agent whose config has these entries. */
function metricsOf(
  entries: readonly string[],
  file: ClaimedFile = claimed(),
  now = (): number => 0,
): AgentMetrics {
  return agentMetrics({ file, home: temporaryFolder(), entries: () => entries, now });
}

const LIDAR = { name: 'lidar', version: '1.0.0' } as const;

function state(to: (OwnEvent & { kind: 'module' })['state'], reason?: string): OwnEvent {
  return { kind: 'module', ...LIDAR, state: to, reason, waitMs: undefined };
}

function started(cgroup?: string): OwnEvent {
  return { kind: 'started', ...LIDAR, pid: 7, cgroup };
}

it('[T333] modreg agent run --metrics counts what its modules and its poller do', async () => {
  await withUpgradeReleases(async ({ address: registry, publish }) => {
    publish('1.0.0', 'works');
    const agent = agentInProcess(siteOf(registry), ['--metrics', '127.0.0.1:0']);
    const [line = ''] = (await agent.until('the metrics are at')).slice(-1);
    const address = line.split(' ').at(-1) ?? '';
    const read = async (): Promise<string[]> => {
      const text = await (await fetch(address)).text();
      return linesIn(text, 'modreg_').map((one) => one.replace(/ \d{3,}$/, ' MANY'));
    };
    await agent.until('install of 1.0.0: done');
    expect((await read()).slice(0, 6)).toEqual([
      'modreg_agent_crashes_total{module="acme_lidar"} 0',
      'modreg_agent_download_bytes_total MANY',
      'modreg_agent_module_up{module="acme_lidar"} 1',
      'modreg_agent_restarts_total{module="acme_lidar"} 0',
      'modreg_agent_rollbacks_total{module="acme_lidar"} 0',
      'modreg_agent_staged_bytes 0',
    ]);
    publish('1.0.1', 'fails-at-once');
    await agent.until('is in quarantine');
    const { origin } = new URL(registry);
    const after = (await read()).filter((one) => !one.includes('_seconds_since_'));
    expect(after.map((one) => one.replace(/(rounds_total\S*) \d+$/, '$1 ROUNDS'))).toEqual([
      'modreg_agent_crashes_total{module="acme_lidar"} 1',
      'modreg_agent_download_bytes_total MANY',
      'modreg_agent_module_up{module="acme_lidar"} 1',
      'modreg_agent_restarts_total{module="acme_lidar"} 2',
      'modreg_agent_rollbacks_total{module="acme_lidar"} 1',
      // What failed stays: it may turn out that it was not its fault (D80).
      'modreg_agent_staged_bytes 0',
      'modreg_poll_actions_total{event="delivered"} 2',
      'modreg_poll_actions_total{event="done"} 1',
      'modreg_poll_actions_total{event="failed"} 1',
      'modreg_poll_actions_total{event="held"} 0',
      'modreg_poll_actions_total{event="not-done"} 0',
      'modreg_poll_actions_total{event="quarantined"} 1',
      'modreg_poll_open_actions 0',
      `modreg_poll_round_failures_total{registry="${origin}"} 0`,
      `modreg_poll_rounds_total{registry="${origin}"} ROUNDS`,
      'modreg_poll_state_available 1',
    ]);
    expect((await agent.end('SIGTERM')).exit).toBe(0);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });
});

it('[T333] a port in use is an error before a module is installed or started', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = Object(other.address()) as { readonly port: number };
  const folder = siteOf('http://127.0.0.1:9/v1');
  const args = ['agent', 'run', `${folder}/machine.json`, '--metrics', `127.0.0.1:${port}`];
  const environment = { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home` };
  expect(await printed(args, { environment })).toEqual({
    stdout: [],
    stderr: [
      `error[USAGE]: --metrics: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)`,
      'hint: port 0 selects a free port',
    ],
    exit: 2,
  });
  expect(existsSync(`${folder}/home/packages`)).toBe(false);
});

describe('the metrics of a module', () => {
  it.each<
    [
      string,
      readonly OwnEvent[],
      [up: number, restarts: number, crashes: number, rollbacks: number],
    ]
  >([
    ['that was not started', [], [0, 0, 0, 0]],
    ['that is starting', [started(), state('starting')], [0, 0, 0, 0]],
    ['that runs', [started(), state('running')], [1, 0, 0, 0]],
    ['on probation', [started(), state('probation')], [1, 0, 0, 0]],
    ['that crashed', [started(), state('running'), state('stopping', 'x')], [0, 0, 1, 0]],
    [
      'that crashed and runs again',
      [started(), state('stopping', 'x'), state('backing-off'), started(), state('running')],
      [1, 1, 1, 0],
    ],
    [
      'whose new version failed',
      [started(), state('trying'), state('stopping', 'x'), state('rolling-back'), started()],
      [0, 1, 1, 1],
    ],
  ])('[T333] %s', async (_, events, [up, restarts, crashes, rollbacks]) => {
    const metrics = metricsOf(['lidar']);
    for (const event of events) metrics.onOwnEvent(event);
    expect((await lines(metrics)).filter((line) => line.includes('lidar'))).toEqual([
      `crashes_total{module="lidar"} ${crashes}`,
      `module_up{module="lidar"} ${up}`,
      `restarts_total{module="lidar"} ${restarts}`,
      `rollbacks_total{module="lidar"} ${rollbacks}`,
    ]);
  });

  it('[T333] end when its entry leaves the config, and begin again from 0 if it returns', async () => {
    const entries = ['lidar', 'camera'];
    const metrics = metricsOf(entries);
    for (const event of [started(), started(), state('running')]) metrics.onOwnEvent(event);
    entries.shift();
    metrics.onOwnEvent(state('idle'));
    expect(await lines(metrics, 'restarts')).toEqual(['restarts_total{module="camera"} 0']);
    entries.push('lidar');
    expect(await lines(metrics, 'restarts')).toEqual([
      'restarts_total{module="camera"} 0',
      'restarts_total{module="lidar"} 0',
    ]);
  });

  it('[T333] have memory and CPU where its process has a cgroup that counts them', async () => {
    const cgroup = temporaryFolder({
      'memory.current': '4096\n',
      'cpu.stat': 'usage_usec 2500000\nuser_usec 2000000\n',
    });
    const metrics = metricsOf(['lidar']);
    metrics.onOwnEvent(started(cgroup));
    const used = async (): Promise<string[]> =>
      (await lines(metrics, 'module_')).filter((line) => !line.startsWith('module_up'));
    const cpu = 'module_cpu_seconds_total{module="lidar"}';
    expect(await used()).toEqual([`${cpu} 2.5`, 'module_memory_bytes{module="lidar"} 4096']);
    writeFileSync(`${cgroup}/cpu.stat`, 'usage_usec 3000000\n');
    rmSync(`${cgroup}/memory.current`);
    expect(await used()).toEqual([`${cpu} 3`]);
    rmSync(cgroup, { recursive: true });
    expect(await used()).toEqual([]);
    metrics.onOwnEvent(started());
    expect(await used()).toEqual([]);
  });
});

/** So much of a file is there. */
function at(bytes: number, version = '1.0.0'): OwnEvent {
  const step = { kind: 'downloading', bytes, total: undefined } as const;
  return { kind: 'installing', name: 'lidar', version, step };
}

describe('the bytes of downloads', () => {
  const downloaded: OwnEvent = {
    kind: 'installing',
    ...LIDAR,
    step: { kind: 'downloaded', bytes: 30 },
  };

  it.each<[string, readonly OwnEvent[], number]>([
    ['none', [], 0],
    ['one file in parts', [at(10), at(30), downloaded], 30],
    ['a download that goes on', [at(10), at(20), at(30)], 30],
    ['one that begins again', [at(20), at(10), at(30)], 50],
    ['the same version again', [at(30), downloaded, at(30)], 60],
    ['another version', [at(10), at(30, '1.1.0')], 40],
  ])('[T333] of %s', async (_, events, bytes) => {
    const metrics = metricsOf(['lidar']);
    for (const event of events) metrics.onOwnEvent(event);
    expect(await lines(metrics, 'download')).toEqual([`download_bytes_total ${bytes}`]);
  });
});

it('[T333] a replacement is held for so long, by the first reason, until it is not held', async () => {
  const { clock, ...machine } = await day({
    machine: { modules: [entry('acme:lidar', '1.*')] },
    policy: { maintenance: [{ start: '0 2 1 1 *', duration: '1h', time_zone: 'UTC' }] },
    deployed: { acme_lidar: '1.0.0' },
    releases: { 'acme:lidar': [{ version: '1.0.0' }, { version: '1.1.0' }] },
    intervalMs: HOUR,
  });
  await machine.pass(HOUR);
  const metrics = metricsOf([], { ...claimed(), state: machine.state }, () => clock.now());
  const [began = ''] = await lines(metrics, 'held');
  await machine.pass(8 * 24 * HOUR);
  const [later = ''] = await lines(metrics, 'held');
  const line = 'held_seconds{module="acme_lidar",reason="window-closed"} ';
  expect([began, later].map((one) => one.startsWith(line))).toEqual([true, true]);
  expect(Number(later.slice(line.length)) - Number(began.slice(line.length))).toBe(8 * 86_400);
  machine.configure({ policy: {} });
  await machine.pass(2 * HOUR);
  expect(await lines(metrics, 'held')).toEqual([]);
});

it('[T333] staged packages are measured again when they change, and have no line if they cannot be read', async () => {
  const home = temporaryFolder();
  const metrics = agentMetrics({ file: claimed(), home, entries: () => [], now: () => 0 });
  const root = `${home}/packages/acme/lidar/1.0.0-aa`;
  mkdirSync(`${root}/bin`, { recursive: true });
  writeFileSync(`${root}/bin/run`, 'x'.repeat(1000));
  writeFileSync(`${root}/meta.json`, '{}');
  expect(await lines(metrics, 'staged')).toEqual(['staged_bytes 1002']);
  rmSync(`${root}/meta.json`);
  expect(await lines(metrics, 'staged')).toEqual(['staged_bytes 1000']);
  rmSync(`${home}/packages`, { recursive: true });
  expect(await lines(metrics, 'staged')).toEqual(['staged_bytes 0']);
  writeFileSync(`${home}/packages`, '');
  expect(await lines(metrics, 'staged')).toEqual([]);
});

it('[T333] what is in a machine.db that cannot be read has no lines, and the others stay', async () => {
  const file = claimed();
  const metrics = metricsOf(['lidar'], file);
  metrics.onOwnEvent(state('running'));
  const poll = async (): Promise<string[]> =>
    linesIn((await metrics.scrape()).text, 'modreg_poll_').filter((line) =>
      /open_actions|state/.test(line),
    );
  expect([await lines(metrics, 'staged'), await poll()]).toEqual([
    ['staged_bytes 0'],
    ['modreg_poll_open_actions 0', 'modreg_poll_state_available 1'],
  ]);
  file.close();
  const error = new DatabaseError('unwritable', 'the disk is full', { file: file.path });
  metrics.onEvent({ kind: 'state-unavailable', error });
  expect([await lines(metrics, 'staged'), await poll()]).toEqual([
    [],
    ['modreg_poll_state_available 0'],
  ]);
  expect(await lines(metrics, 'module_up')).toEqual(['module_up{module="lidar"} 1']);
  metrics.onEvent({ kind: 'state-available' });
  expect(await poll()).toEqual(['modreg_poll_state_available 1']);
});
