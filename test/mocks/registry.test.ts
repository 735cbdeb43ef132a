import { setupServer } from 'msw/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CATALOGUES, type Releases } from '../../mocks/catalogues.ts';
import { failTimes, offline, retryAfter, slow, torn, wrongType } from '../../mocks/faults.ts';
import { mockRegistry, type MockRegistry } from '../../mocks/registry.ts';
import { moduleId } from '../support/ask.ts';

const LIDAR = 'https://registry.example/v1/modules/acme/lidar';

function mocked(releases: Releases): MockRegistry {
  const registry = mockRegistry(releases);
  const server = setupServer(...registry.handlers);
  server.listen({ onUnhandledFrame: 'error' });
  onTestFinished(() => {
    server.close();
    registry.close();
  });
  return registry;
}

it.each([
  ['lidar', ['acme:lidar']],
  ['fleet', ['acme:arm', 'acme:cam', 'nimbus:gps']],
  ['empty', []],
] as const)('the catalogue %s has the modules %j', async (name, modules) => {
  mocked(CATALOGUES[name]);
  const answer = await fetch('https://registry.example/v1/modules');
  expect(await answer.json()).toEqual({ modules });
});

it('responds like the real registry, from a catalogue that a test may change', async () => {
  const registry = mocked(CATALOGUES.lidar);
  const first = await fetch(LIDAR);
  const etag = first.headers.get('etag') ?? '';
  expect(await first.json()).toMatchObject({ count: 5, generation: 6 });
  expect((await fetch(LIDAR, { headers: { 'if-none-match': etag } })).status).toBe(304);
  registry.catalogue.yank(moduleId('acme:lidar'), '2.0.1', 'too fast');
  expect((await fetch(LIDAR, { headers: { 'if-none-match': etag } })).status).toBe(200);
  expect(registry.requests).toEqual(Array.from({ length: 3 }, () => 'GET /v1/modules/acme/lidar'));
});

describe('a fault', () => {
  it('returns a status a number of times', async () => {
    mocked(CATALOGUES.lidar).break(failTimes(2, 503));
    const statuses = [await fetch(LIDAR), await fetch(LIDAR), await fetch(LIDAR)];
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 200]);
  });

  it('applies after the last use of the previous fault', async () => {
    mocked(CATALOGUES.lidar).break(retryAfter(7), wrongType());
    const answers = [await fetch(LIDAR), await fetch(LIDAR), await fetch(LIDAR)];
    expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(['7', null, null]);
    expect(answers.map(({ headers }) => headers.get('content-type'))).toEqual([
      'text/plain;charset=UTF-8',
      'text/html',
      'application/json',
    ]);
  });

  it('breaks off a response', async () => {
    mocked(CATALOGUES.lidar).break(torn());
    const answer = await fetch(LIDAR);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow(TypeError);
    expect((await fetch(LIDAR)).status).toBe(200);
  });

  it('makes the registry unreachable', async () => {
    mocked(CATALOGUES.lidar).break(offline(1));
    await expect(fetch(LIDAR)).rejects.toThrow(TypeError);
    expect((await fetch(LIDAR)).status).toBe(200);
  });

  it('delays a response', async () => {
    mocked(CATALOGUES.lidar).break(slow(30));
    const start = performance.now();
    expect(await (await fetch(LIDAR)).json()).toMatchObject({ count: 5 });
    // Timers may fire a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(28);
  });
});
