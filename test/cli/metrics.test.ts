import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { listenForScrapes, metricsNote } from '../../src/cli/metrics/metrics-listener.ts';
import { pollMetrics } from '../../src/cli/metrics/poll-metrics.ts';
import { registryMetrics, type RegistryMetrics } from '../../src/cli/metrics/registry-metrics.ts';
import { scrapeOf } from '../../src/cli/metrics/scrape.ts';
import type { PollerEvent } from '../../src/poller/index.ts';
import { RegistryError, type CachedRegistry, type ListResult } from '../../src/registries/index.ts';
import type { ModuleId } from '../../src/core/index.ts';
import { Catalogue } from '../../src/server/index.ts';
import type { MetricsText, RegistryEvent } from '../../src/server/registry-options.ts';
import { DatabaseError } from '../../src/sqlite/database-error.ts';
import { moduleId } from '../support/ask.ts';
import { claimed, commitOne } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

/** The lines of metrics that begin with `name`, without it. */
async function scraped(scrape: () => Promise<MetricsText>, name: string): Promise<string[]> {
  const { text } = await scrape();
  const lines = text.split('\n').filter((line) => line.startsWith(name));
  return lines.map((line) => line.slice(name.length));
}

describe('the metrics of modreg poll', () => {
  it.each<[string, object]>([
    ['held', { kind: 'held' }],
    ['delivered', { kind: 'delivered' }],
    ['quarantined', { kind: 'quarantined' }],
    ['done', { kind: 'acknowledged', outcome: { kind: 'done' } }],
    ['failed', { kind: 'acknowledged', outcome: { kind: 'failed', blame: 'release' } }],
    ['not-done', { kind: 'acknowledged', outcome: { kind: 'failed', blame: 'machine' } }],
    ['', { kind: 'committed' }],
    ['', { kind: 'overdue' }],
  ])('count as "%s" %j', async (counted, event) => {
    const { onEvent, scrape } = pollMetrics(claimed().state);
    // A cast: only these fields of an event are read.
    onEvent(event as PollerEvent);
    const lines = await scraped(scrape, 'modreg_poll_actions_total');
    expect(lines.filter((line) => !line.endsWith(' 0'))).toEqual(
      counted === '' ? [] : [`{event="${counted}"} 1`],
    );
  });

  it('have the open actions while the state can be read', async () => {
    const file = claimed();
    const { scrape } = pollMetrics(file.state);
    const open = 'modreg_poll_open_actions';
    expect(await scraped(scrape, open)).toEqual([' 0']);
    commitOne(file.state);
    expect(await scraped(scrape, open)).toEqual([' 1']);
    const other = new DatabaseSync(file.path);
    other.exec('DROP TABLE actions');
    other.close();
    expect(await scraped(scrape, open)).toEqual([]);
  });

  it('have the ages of the last round and of the last good one, in seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { measured, scrape } = pollMetrics(claimed().state);
    const down = new RegistryError('registry-unreachable', 'down');
    const results: ReadonlyMap<ModuleId, ListResult>[] = [
      new Map(),
      new Map([[moduleId('acme:lidar'), { ok: false, error: down }]]),
    ];
    const registry: CachedRegistry = {
      read: async () => await Promise.reject(down),
      readAll: async () => await Promise.resolve(results.shift() ?? new Map()),
      awaitChange: async () => await Promise.resolve(undefined),
    };
    const first = measured(registry, 'https://a.example');
    expect(measured(registry, 'https://b.example')).toBe(first);
    const ages = async (): Promise<string[]> => [
      ...(await scraped(scrape, 'modreg_poll_seconds_since_')),
      ...(await scraped(scrape, 'modreg_poll_round')),
    ];
    vi.advanceTimersByTime(2500);
    const origin = '{registry="https://a.example"}';
    expect(await ages()).toEqual([
      `success${origin} 2.5`,
      'round 2.5',
      `s_total${origin} 0`,
      `_failures_total${origin} 0`,
    ]);
    await first.readAll([]);
    vi.advanceTimersByTime(1000);
    await first.readAll([]);
    vi.advanceTimersByTime(500);
    expect(await ages()).toEqual([
      `success${origin} 1.5`,
      'round 0.5',
      `s_total${origin} 2`,
      `_failures_total${origin} 1`,
    ]);
    await expect(first.read(moduleId('acme:lidar'))).rejects.toBe(down);
  });
});

/** The metrics of a new registry whose server is not known. */
function metricsOf(): RegistryMetrics & { readonly catalogue: Catalogue } {
  const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  onTestFinished(() => catalogue.close());
  return { catalogue, ...registryMetrics(catalogue, () => undefined) };
}

describe('the metrics of a registry', () => {
  const full = new DatabaseError('unwritable', 'the disk is full');

  it.each<[string, object]>([
    ['changes_total{kind="yanked"} 1', { kind: 'yanked' }],
    ['changes_total{kind="unyanked"} 1', { kind: 'unyanked' }],
    ['changes_total{kind="uploaded"} 1', { kind: 'uploaded' }],
    ['refused_changes_total{reason="no-token"} 1', { kind: 'refused', reason: 'no-token' }],
    ['refused_changes_total{reason="503"} 1', { kind: 'refused', status: 503 }],
    ['limited_total{limit="requests"} 7', { kind: 'overload', limit: 'requests', count: 7 }],
    ['database_errors_total{kind="unwritable"} 1', { kind: 'failed', error: full }],
    ['database_errors_total{kind="other"} 1', { kind: 'failed', error: new Error('x') }],
    ['passed_over_reports_total{what="message"} 1', { kind: 'report-passed-over' }],
    ['passed_over_reports_total{what="report"} 1', { kind: 'report-passed-over', machine: 'm' }],
    ['', { kind: 'certificate-renewed' }],
  ])('count %s', async (counted, event) => {
    const { onEvent, scrape } = metricsOf();
    // A cast: only these fields of an event are read.
    onEvent(event as RegistryEvent);
    const lines = await scraped(scrape, 'modreg_registry_');
    const counters = lines.filter((line) => line.includes('_total{') && !line.endsWith(' 0'));
    expect(counters).toEqual(counted === '' ? [] : [counted]);
  });

  it('have durations in buckets of seconds, and requests while they wait for a change', async () => {
    const { observe, scrape } = metricsOf();
    const end = observe('/v1/changes');
    expect(await scraped(scrape, 'modreg_registry_long_polls')).toEqual([' 1']);
    end({ method: 'GET', status: '200', seconds: 30 });
    observe('/healthz')({ method: 'GET', status: '200', seconds: 0.2 });
    expect(await scraped(scrape, 'modreg_registry_long_polls')).toEqual([' 0']);
    const lines = await scraped(scrape, 'modreg_registry_request_duration_seconds_bucket');
    expect(lines.filter((line) => line.includes('healthz'))).toEqual(
      ['0.001', '0.005', '0.025', '0.1', '0.5', '2.5', '10', '60', '+Inf'].map(
        (bound) => `{le="${bound}",route="/healthz"} ${Number(bound) < 0.2 ? 0 : 1}`,
      ),
    );
  });

  it('have no value that is not known', async () => {
    const { catalogue, scrape } = metricsOf();
    const names =
      'modreg_registry_(sequence|healthy|connections|unsent_bytes|notices_waiting|certificate_expiry\\w*)';
    const gauges = async (of: () => Promise<MetricsText>): Promise<string[]> =>
      (await of()).text.match(new RegExp(`^${names} .*`, 'gm')) ?? [];
    expect(await gauges(scrape)).toEqual(['modreg_registry_sequence 0']);
    const counts = { connections: 3, unsentBytes: 4, waitingNotices: 6 };
    const load = { ...counts, healthy: 0, certificateExpiry: 5 } as const;
    expect(await gauges(registryMetrics(catalogue, () => load).scrape)).toEqual([
      'modreg_registry_connections 3',
      'modreg_registry_unsent_bytes 4',
      'modreg_registry_healthy 0',
      'modreg_registry_certificate_expiry_timestamp_seconds 5',
      'modreg_registry_notices_waiting 6',
      'modreg_registry_sequence 0',
    ]);
    catalogue.close();
    expect(await gauges(scrape)).toEqual([]);
  });
});

describe('scrapes', () => {
  it('that come at the same time share one reading, and the next one is new', async () => {
    let reads = 0;
    const scrape = scrapeOf({
      contentType: 'text/plain',
      metrics: async () => await Promise.resolve(`${++reads}`),
    });
    expect(await Promise.all([scrape(), scrape()])).toEqual([
      { text: '1', type: 'text/plain' },
      { text: '1', type: 'text/plain' },
    ]);
    expect((await scrape()).text).toBe('2');
  });
});

async function good(): Promise<MetricsText> {
  return await Promise.resolve({ text: 'up 1\n', type: 'text/x' });
}

/** The address of a listener until the end of the test. */
async function listening(host: string, scrape = good): Promise<string> {
  const listener = await listenForScrapes({ host, port: 0 }, scrape);
  if (!listener.ok) throw new Error(listener.error.message);
  onTestFinished(() => listener.value.close());
  return listener.value.address;
}

/** The first line of the answer to a request on `socket`; empty if the server closes it instead. */
async function answerOn(socket: Socket): Promise<string> {
  socket.setEncoding('latin1');
  socket.write('GET /metrics HTTP/1.0\r\n\r\n');
  let text = '';
  // It resets the connection of a request that it does not read.
  await pipeline(socket, async (read) => {
    for await (const some of read) text += String(some);
  }).catch(() => undefined);
  return text.slice(0, text.indexOf('\r'));
}

describe('the listener for metrics', () => {
  it.each([
    ['', 200, 'up 1\n', 'text/x'],
    ['?x=1', 200, 'up 1\n', 'text/x'],
    ['/x', 404, '', null],
    ['/../', 404, '', null],
  ])('%s: %i', async (path, status, body, type) => {
    const response = await fetch(`${await listening('127.0.0.1')}${path}`);
    const found = [response.status, await response.text(), response.headers.get('content-type')];
    expect(found).toEqual([status, body, type]);
  });

  it('answers 500 if the metrics cannot be read, and stays', async () => {
    const address = await listening('127.0.0.1', async () => await Promise.reject(new Error('x')));
    expect([(await fetch(address)).status, (await fetch(address)).status]).toEqual([500, 500]);
  });

  it('has brackets around an address of IPv6', async () => {
    const address = await listening('::1');
    expect(address).toMatch(/^http:\/\/\[::1\]:\d+\/metrics$/);
    expect((await fetch(address)).status).toBe(200);
  });

  it('accepts 16 connections at a time, and closes further ones', async () => {
    const { hostname: host, port } = new URL(await listening('127.0.0.1'));
    const connected = async (): Promise<Socket> => {
      const socket = connect({ host, port: Number(port) });
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    };
    const sockets: Socket[] = [];
    for (let place = 0; place < 17; place++) sockets.push(await connected());
    const answers = await Promise.all(sockets.map(answerOn));
    expect(answers).toEqual([...Array<string>(16).fill('HTTP/1.1 200 OK'), '']);
  });

  it('ends at once, with the connections that are open', async () => {
    const asked = Promise.withResolvers<void>();
    let scrapes = 0;
    const scrape = async (): Promise<MetricsText> => {
      if (++scrapes === 1) return await good();
      asked.resolve();
      return await Promise.race([]);
    };
    const listener = await listenForScrapes({ host: '127.0.0.1', port: 0 }, scrape);
    if (!listener.ok) throw new Error(listener.error.message);
    const { address, close } = listener.value;
    await (await fetch(address)).text();
    const [waiting, began] = [fetch(address), performance.now()];
    await asked.promise;
    close();
    await expect(waiting).rejects.toThrow('fetch failed');
    // Its own limit would end it after five seconds.
    expect(performance.now() - began).toBeLessThan(4000);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });

  it('says why it cannot listen, and what may help', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = Object(other.address()) as { readonly port: number };
    expect(await listenForScrapes({ host: '127.0.0.1', port }, good)).toMatchObject({
      error: {
        kind: 'usage',
        message: `--metrics: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)`,
        hint: 'port 0 selects a free port',
      },
    });
    expect(await listenForScrapes({ host: '192.0.2.1', port: 0 }, good)).toMatchObject({
      error: {
        kind: 'usage',
        message: '--metrics: cannot listen on 192.0.2.1, port 0 (EADDRNOTAVAIL)',
        hint: undefined,
      },
    });
  });

  it.each([
    ['127.0.0.1', ''],
    ['0.0.0.0', ', which others on the network can read'],
  ])('at %s is noted with "%s"', (host, others) => {
    const listener = { address: 'http://x/metrics', close: () => undefined };
    expect(metricsNote(listener, { host, port: 1 })).toBe(
      `note: the metrics are at http://x/metrics${others}`,
    );
    expect(metricsNote(listener, undefined)).toBe('note: the metrics are at http://x/metrics');
  });
});
