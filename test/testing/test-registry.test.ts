import { describe, expect, it, onTestFinished } from 'vitest';
import { openRegistries } from '../../src/registries/index.ts';
import {
  CATALOGUES,
  testRegistry,
  virtualClock,
  type Releases,
  type TestRegistry,
} from '../../src/testing/index.ts';
import { moduleId } from '../support/ask.ts';

const LIDAR = 'https://registry.example/v1/modules/acme/lidar';

function started(...input: Parameters<typeof testRegistry>): TestRegistry {
  const registry = testRegistry(...input);
  onTestFinished(() => registry.close());
  return registry;
}

it.each([
  ['lidar', ['acme:lidar']],
  ['fleet', ['acme:arm', 'acme:cam', 'nimbus:gps']],
  ['empty', []],
] as const)('the catalogue %s has the modules %j', async (name, modules) => {
  const { fetch } = started(CATALOGUES[name]);
  const answer = await fetch('https://registry.example/v1/modules');
  expect(await answer.json()).toEqual({ modules });
});

it('responds like the real registry, from a catalogue that a test may change', async () => {
  const registry = started(CATALOGUES.lidar);
  const first = await registry.fetch(LIDAR);
  const known = { headers: { 'if-none-match': first.headers.get('etag') ?? '' } };
  expect(await first.json()).toMatchObject({ count: 5, generation: 6 });
  expect((await registry.fetch(LIDAR, known)).status).toBe(304);
  registry.yank('acme:lidar', '2.0.1', 'too fast');
  expect((await registry.fetch(LIDAR, known)).status).toBe(200);
  registry.publish('acme:lidar', '2.0.2', { version: '2.0.3', yanked: 'too slow' });
  expect(await (await registry.fetch(LIDAR)).json()).toMatchObject({ count: 7 });
  expect(registry.requests).toEqual(Array.from({ length: 4 }, () => 'GET /v1/modules/acme/lidar'));
});

it.each<[string, Releases, string]>([
  ['a module id', { lidar: ['1.0.0'] }, '"lidar" is not a module id'],
  ['a version', { 'acme:lidar': ['1.0'] }, 'acme:lidar: /version: "1.0" is not a version'],
  [
    'another content',
    { 'acme:lidar': ['1.0.0', { version: '1.0.0', artifacts: [] }] },
    'acme:lidar 1.0.0 is already published with other content',
  ],
])('%s that cannot be published is an error', (_what, releases, message) => {
  expect(() => testRegistry(releases)).toThrow(message);
});

it('a release that is not published cannot be yanked', () => {
  const registry = started(CATALOGUES.lidar);
  expect(() => registry.yank('acme:lidar', '9.0.0', 'x')).toThrow(
    'acme:lidar 9.0.0 is not yanked: unknown-version',
  );
});

it('has no other address', async () => {
  const { fetch } = started(CATALOGUES.lidar, { address: 'https://releases.example' });
  expect((await fetch('https://releases.example/v1/modules')).status).toBe(200);
  await expect(fetch(LIDAR)).rejects.toThrow(new TypeError('fetch failed'));
});

it('an address may have a path', async () => {
  const { fetch, requests } = started(CATALOGUES.lidar, { address: 'https://releases.example/a/' });
  expect((await fetch('https://releases.example/v1/changes?after=0')).status).toBe(200);
  expect(requests).toEqual(['GET /v1/changes?after=0']);
});

it('a request ends when its signal aborts', async () => {
  const clock = virtualClock();
  const registry = started(CATALOGUES.lidar, { clock });
  const controller = new AbortController();
  registry.break({ kind: 'slow', ms: 1000 });
  const request = registry.fetch(LIDAR, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(request).rejects.toThrow('enough');
});

it('releases are published now, and machines do not wait before they fetch them', async () => {
  const clock = virtualClock(Date.parse('2026-11-21T12:00:00Z'));
  const registry = started({ 'acme:lidar': ['1.0.0'] }, { clock });
  expect(await (await registry.fetch(LIDAR)).json()).toMatchObject({
    releases: [{ version: '1.0.0', published_at: '2026-11-21T12:00:00Z' }],
  });
  const changes = await registry.fetch('https://registry.example/v1/changes?after=0');
  expect(await changes.json()).toMatchObject({ sequence: 1, spread_ms: 0 });
});

it.each<[string, (registry: TestRegistry) => void, object]>([
  ['without a change', () => undefined, { sequence: 6, modules: [] }],
  [
    'with a change that was just made',
    (registry) => registry.publish('acme:lidar', '3.0.0'),
    { sequence: 7, modules: ['acme:lidar'] },
  ],
])('closing a registry answers its long polls, %s', async (_, change, expected) => {
  const clock = virtualClock();
  const registry = testRegistry(CATALOGUES.lidar, { clock });
  const poll = registry.fetch('https://registry.example/v1/changes?after=6&wait=60');
  await clock.pass(0);
  change(registry);
  registry.close();
  const answer = await poll;
  expect([answer.status, await answer.json()]).toMatchObject([200, expected]);
  expect(clock.monotonic()).toBe(1000);
  expect(() => registry.catalogue.modules()).toThrow('":memory:": it was closed');
});

it('a long poll ends at a change, or with its time on the clock', async () => {
  const clock = virtualClock();
  const registry = started(CATALOGUES.lidar, { clock });
  const changes = async (after: number): Promise<unknown> =>
    await (
      await registry.fetch(`https://registry.example/v1/changes?after=${after}&wait=60`)
    ).json();
  const change = changes(6);
  await clock.pass(59_000);
  registry.publish('acme:lidar', '3.0.0');
  expect(await change).toMatchObject({ sequence: 7, modules: ['acme:lidar'] });
  const none = changes(7);
  await clock.pass(60_000);
  expect(await none).toMatchObject({ sequence: 7, modules: [] });
});

describe('a fault', () => {
  it('returns a status a number of times', async () => {
    const registry = started(CATALOGUES.lidar);
    registry.break({ kind: 'status', status: 503, times: 2 });
    const answers = [
      await registry.fetch(LIDAR),
      await registry.fetch(LIDAR),
      await registry.fetch(LIDAR),
    ];
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 200]);
  });

  it('applies after the last use of the previous fault, until the registry is mended', async () => {
    const registry = started(CATALOGUES.lidar);
    registry.break(
      { kind: 'retry-after', seconds: 7 },
      { kind: 'wrong-type' },
      { kind: 'offline', times: Infinity },
    );
    const answers = [await registry.fetch(LIDAR), await registry.fetch(LIDAR)];
    expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(['7', null]);
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual([
      'text/plain;charset=UTF-8',
      'text/html',
    ]);
    await expect(registry.fetch(LIDAR)).rejects.toThrow(new TypeError('fetch failed'));
    registry.mend();
    expect((await registry.fetch(LIDAR)).status).toBe(200);
  });

  it('applies once by default, and not at all if it was added for no request', async () => {
    const registry = started(CATALOGUES.lidar);
    registry.break(
      { kind: 'status', status: 500, times: 0 },
      { kind: 'offline', times: 0 },
      { kind: 'status', status: 503 },
    );
    const answers = [await registry.fetch(LIDAR), await registry.fetch(LIDAR)];
    expect(answers.map(({ status }) => status)).toEqual([503, 200]);
  });

  it('that is followed by others is removed with them', async () => {
    const registry = started(CATALOGUES.lidar);
    registry.break({ kind: 'offline' }, { kind: 'status', status: 503 });
    registry.mend();
    expect((await registry.fetch(LIDAR)).status).toBe(200);
  });

  it('breaks off a response in its middle, after a header that announces all of it', async () => {
    const registry = started(CATALOGUES.lidar);
    const whole = await (await registry.fetch(LIDAR)).text();
    registry.break({ kind: 'torn' });
    const { headers, body } = await registry.fetch(LIDAR);
    expect(headers.get('content-length')).toBe(String(whole.length));
    const reader = (body ?? new Blob([]).stream()).getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toBe(whole.slice(0, Math.floor(whole.length / 2)));
    await expect(reader.read()).rejects.toThrow(new TypeError('terminated'));
  });

  it('breaks off a response', async () => {
    const registry = started(CATALOGUES.lidar);
    registry.break({ kind: 'torn' });
    const answer = await registry.fetch(LIDAR);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow(new TypeError('terminated'));
    expect((await registry.fetch(LIDAR)).status).toBe(200);
  });

  it('delays a response, on the clock', async () => {
    const clock = virtualClock();
    const registry = started(CATALOGUES.lidar, { clock });
    registry.break({ kind: 'slow', ms: 30_000 });
    const times: number[] = [];
    const start = clock.monotonic();
    const slow = registry.fetch(LIDAR).then(() => times.push(clock.monotonic() - start));
    await clock.pass(29_999);
    expect(times).toEqual([]);
    await clock.pass(1);
    await slow;
    expect(times).toEqual([30_000]);
  });

  it.each([
    [{ kind: 'offline' }, 'registry-unreachable'],
    [{ kind: 'torn' }, 'registry-unreachable'],
    [{ kind: 'status', status: 503 }, 'registry-busy'],
    [{ kind: 'wrong-type' }, 'not-a-registry'],
  ] as const)('%j is an error of the client', async (fault, kind) => {
    const registry = started(CATALOGUES.lidar);
    registry.break(fault);
    const limits = { retryWithinMs: 0 };
    const opened = openRegistries({ fetch: registry.fetch, limits }).open({
      registry: registry.address,
    });
    if (!opened.ok) throw opened.error;
    await expect(opened.value.read(moduleId('acme:lidar'))).rejects.toMatchObject({ kind });
  });
});

const KINDS = 'status, retry-after, torn, slow, offline, wrong-type';

it.each<[string, unknown]>([
  [
    `found "offlin" as faults[0].kind, expected ${KINDS}; did you mean "offline" ?`,
    { kind: 'offlin' },
  ],
  [`found "earthquake" as faults[0].kind, expected ${KINDS}`, { kind: 'earthquake' }],
  [`found nothing as faults[0].kind, expected ${KINDS}`, {}],
  [`found the number 503 as faults[0].kind, expected ${KINDS}`, { kind: 503 }],
  ['found "offline" as faults[0], expected an object', 'offline'],
  ['found "tims" in faults[0], expected "times"', { kind: 'offline', tims: 3 }],
  ['found "3" as faults[0].times, expected a number or nothing', { kind: 'offline', times: '3' }],
  [
    'found "all" as faults[0].times, expected a number or nothing',
    { kind: 'status', status: 503, times: 'all' },
  ],
  ['found nothing as faults[0].status, expected a number', { kind: 'status' }],
  ['found nothing as faults[0].seconds, expected a number', { kind: 'retry-after' }],
  ['found "5s" as faults[0].ms, expected a number', { kind: 'slow', ms: '5s' }],
])('[D475] break() throws for a fault that would not happen: %s', async (message, fault) => {
  const registry = started({ 'acme:lidar': ['1.2.3'] });
  expect(() => registry.break(fault as never)).toThrow(new TypeError(`break(): ${message}`));
  const second = message.replaceAll('faults[0]', 'faults[1]');
  expect(() => registry.break({ kind: 'torn' }, fault as never)).toThrow(
    new TypeError(`break(): ${second}`),
  );
  // None of them was added.
  expect((await registry.fetch(LIDAR)).status).toBe(200);
});
