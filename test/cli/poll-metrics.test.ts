import { existsSync } from 'node:fs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { pollMetrics } from '../../src/cli/metrics/poll-metrics.ts';
import { RegistryError, type CachedRegistry, type ListResult } from '../../src/registries/index.ts';
import { moduleId } from '../support/ask.ts';
import { claimed } from '../support/claimed.ts';
import { printed } from '../support/command.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { polledSite, pollingHere, script, type Polling } from '../support/polling.ts';
import { published } from '../support/published.ts';
import { readingOf } from '../support/racing.ts';

const METRICS = ['--metrics', '127.0.0.1:0'];

/** Where the poller serves its metrics. */
async function addressOf({ until }: Polling): Promise<string> {
  const [line = ''] = (await until('the metrics are at')).slice(-1);
  expect(line).toMatch(/^TIME info {2}the metrics are at http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  return line.split(' ').at(-1) ?? '';
}

/** The metrics of the poller. Whole seconds stand for ages. */
async function scraped(address: string): Promise<string[]> {
  const text = await (await fetch(address)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('modreg_poll_'));
  return lines.map((line) => line.replace(/(_seconds\S*) \d+\.\d+$/, '$1 AGE')).toSorted();
}

const LIST = readingOf(1);
const DOWN: ListResult = { ok: false, error: new RegistryError('registry-unreachable', 'down') };

it.each<[string, readonly ListResult[], number]>([
  ['no module was asked for', [], 0],
  ['every list is available', [LIST, LIST], 0],
  ['one list is not available', [LIST, DOWN], 0],
  ['no list is available', [DOWN, DOWN], 1],
])(
  '[T83] counts a round as failed only if the registry returns no list: %s',
  async (_, results, failures) => {
    const { measured, scrape } = pollMetrics(claimed().state);
    const lists = new Map(results.map((result, place) => [moduleId(`acme:m${place}`), result]));
    const registry: CachedRegistry = {
      read: async () => await Promise.reject(new Error('not called')),
      readAll: async () => await Promise.resolve(lists),
      awaitChange: async () => await Promise.resolve(undefined),
    };
    await measured(registry, 'https://a.example').readAll([]);
    expect((await scrape()).text).toContain(
      `modreg_poll_round_failures_total{registry="https://a.example"} ${failures}\n`,
    );
  },
);

it('[D112] what is wanted of the lists reaches the registry', async () => {
  const { measured } = pollMetrics(claimed().state);
  const id = moduleId('acme:lidar');
  const registry: CachedRegistry = {
    read: async () => await Promise.reject(new Error('not called')),
    readAll: async (_ids, _signal, wanted) =>
      await Promise.resolve(new Map([[id, wanted?.(id).length === 0 ? LIST : DOWN]])),
    awaitChange: async () => await Promise.resolve(undefined),
  };
  const lists = measured(registry, 'https://a.example').readAll([id], undefined, () => []);
  expect((await lists).get(id)).toBe(LIST);
});

it('[T83] modreg poll --metrics counts rounds and actions, and has no module or version', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.4');
  const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
  const hook = script(`${folder}/hook`, 'exit 0');
  const poller = pollingHere(folder, ['--exec', hook, ...METRICS]);
  const address = await addressOf(poller);
  await poller.until('acme_lidar: upgrade 1.2.3 → 1.2.4: done');
  const lines = await scraped(address);
  const label = `{registry="${loopback.address}"}`;
  const rounds = lines.find((line) => line.startsWith('modreg_poll_rounds_total')) ?? '';
  expect(Number(rounds.replace(`modreg_poll_rounds_total${label} `, ''))).toBeGreaterThan(0);
  expect(lines.filter((line) => line !== rounds)).toEqual([
    'modreg_poll_actions_total{event="delivered"} 1',
    'modreg_poll_actions_total{event="done"} 1',
    'modreg_poll_actions_total{event="failed"} 0',
    'modreg_poll_actions_total{event="held"} 0',
    'modreg_poll_actions_total{event="not-done"} 0',
    'modreg_poll_actions_total{event="quarantined"} 0',
    'modreg_poll_open_actions 0',
    `modreg_poll_round_failures_total${label} 0`,
    'modreg_poll_seconds_since_round AGE',
    `modreg_poll_seconds_since_success${label} AGE`,
    'modreg_poll_state_available 1',
  ]);
  expect(lines.join('\n')).not.toMatch(/lidar|1\.2\./);
  // Its program has ended.
  const end = await poller.end('SIGTERM');
  expect([end.exit, end.lines.filter((line) => line.includes('program'))]).toEqual([0, []]);
});

it('[T83] it counts the rounds that fail, by the origin of the registry', async () => {
  // Nothing listens at the discard port.
  const folder = polledSite({ address: 'http://127.0.0.1:9' });
  const poller = pollingHere(folder, ['--exec', 'true', ...METRICS]);
  const address = await addressOf(poller);
  // The registry is asked three times.
  await poller.skip(100, 4000);
  await poller.skip(100, 4000);
  await poller.until('127.0.0.1:9');
  const lines = await scraped(address);
  expect(lines).toContain('modreg_poll_round_failures_total{registry="http://127.0.0.1:9"} 1');
  expect(lines).toContain('modreg_poll_rounds_total{registry="http://127.0.0.1:9"} 1');
  await poller.end('SIGTERM');
});

it('[T83] a registry that begins to be used does not change the ages of another one of its origin', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { measured, scrape } = pollMetrics(claimed().state);
  const registry: CachedRegistry = {
    read: async () => await Promise.reject(new Error('pollers read all lists at once')),
    readAll: async () => await Promise.resolve(new Map()),
    awaitChange: async () => await Promise.resolve(undefined),
  };
  const first = measured(registry, 'https://a.example');
  vi.advanceTimersByTime(60_000);
  await first.readAll([]);
  vi.advanceTimersByTime(5000);
  measured({ ...registry }, 'https://a.example');
  const { text } = await scrape();
  expect(text.match(/^modreg_poll_seconds_since_success.*$/gm)).toEqual([
    'modreg_poll_seconds_since_success{registry="https://a.example"} 5',
  ]);
});

it('[T101] a registry that has none of the modules, such as an empty one, is no success', async () => {
  const loopback = await loopbackRegistry();
  const poller = pollingHere(polledSite(loopback), ['--exec', 'true', ...METRICS]);
  const address = await addressOf(poller);
  await poller.until('acme:lidar');
  const lines = await scraped(address);
  expect(lines).toContain(`modreg_poll_round_failures_total{registry="${loopback.address}"} 1`);
  await poller.end('SIGTERM');
});

it('[T83] a port in use is an error before anything is delivered', async () => {
  const loopback = await loopbackRegistry();
  published(loopback, 'acme:lidar', '1.2.4');
  const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
  const hook = script(`${folder}/hook`, `touch ${folder}/was-run`);
  const { host, port } = new URL(loopback.address);
  const args = ['poll', `${folder}/machine.json`, '--exec', hook, '--metrics', host];
  const environment = { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home` };
  const ended = await printed(args, { environment });
  expect(ended).toEqual({
    stdout: [],
    stderr: [
      `error[USAGE]: --metrics: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)`,
      'hint: port 0 selects a free port',
    ],
    exit: 2,
  });
  expect(existsSync(`${folder}/was-run`)).toBe(false);
});

it('[T83] others than this machine may read the metrics only with a warning', async () => {
  const loopback = await loopbackRegistry();
  const folder = polledSite(loopback);
  const poller = pollingHere(folder, ['--exec', 'true', '--metrics', '0.0.0.0:0']);
  const [line] = (await poller.until('the metrics are at')).slice(-1);
  expect(line).toMatch(
    /^TIME warn {2}the metrics are at http:\/\/0\.0\.0\.0:\d+\/metrics, which others on the network can read$/,
  );
  await poller.end('SIGTERM');
});
