import { scheduler } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ModuleId } from '../../src/core/index.ts';
import type { Answer } from '../../mocks/network.ts';
import { answers, HOST, json, status, text } from '../../mocks/scripted-registry.ts';
import { moduleId } from '../support/ask.ts';
import { remembered, told } from './support/remembered.ts';

const asked = answers();

function modules(count: number): ModuleId[] {
  return Array.from({ length: count }, (_, index) => moduleId(`acme:m${index}`));
}

/** The empty list of the module with this number. */
function list(index: number): Answer {
  return json({ module_id: `acme:m${index}`, generation: 1, count: 0, releases: [] });
}

describe('a registry with a change feed', () => {
  it('a change during a round is fetched in the next round', async () => {
    const machine = remembered(HOST);
    const [id = moduleId('acme:lidar')] = modules(1);
    const body = { module_id: id, generation: 1, count: 0, releases: [] };
    asked.next(json({ sequence: 7, modules: [id] }), json(body));
    await machine.registry.readAll([id]);
    asked.requests.length = 0;
    asked.next(json({ sequence: 8, modules: [id] }), json({ ...body, generation: 2 }));
    await machine.registry.readAll([id]);
    expect(asked.requests).toEqual(['/v1/changes?after=7', '/v1/modules/acme/m0']);
  });

  it('an error of one module does not cause requests for the others', async () => {
    const machine = remembered(HOST);
    const ids = modules(2);
    const failing = (request: Request): Response | Promise<Response> =>
      request.url.endsWith('m1') ? status(404)(request) : list(0)(request);
    asked.next(json({ sequence: 7, modules: ids }), list(0), list(1));
    await machine.registry.readAll(ids);
    asked.next(json({ sequence: 9, modules: ids }), failing);
    await machine.registry.readAll(ids);
    asked.requests.length = 0;
    asked.next(json({ sequence: 9, modules: [] }), failing);
    expect(told(await machine.restarted().readAll(ids))).toEqual([
      'acme:m0 nothing',
      'acme:m1 nothing stale unknown-module',
    ]);
    expect(asked.requests).toEqual(['/v1/changes?after=9', '/v1/modules/acme/m1']);
  });

  it('fetches every list again after the sequence number decreased', async () => {
    const machine = remembered(HOST);
    const ids = modules(2);
    asked.next(json({ sequence: 7, modules: ids }), list(0), list(1));
    await machine.registry.readAll(ids);
    asked.requests.length = 0;
    asked.next(
      json({ sequence: 3, modules: [] }),
      json({ sequence: 3, modules: ids }),
      list(0),
      list(1),
    );
    await machine.registry.readAll(ids);
    expect(asked.requests).toEqual([
      '/v1/changes?after=7',
      '/v1/changes?after=0',
      '/v1/modules/acme/m0',
      '/v1/modules/acme/m1',
    ]);
  });
});

/** Responses for `modules`: the first `good` modules have a list, the others respond with `bad`. */
function lists(good: number, bad: Answer): Answer {
  return (request) => {
    const name = new URL(request.url).pathname.split('/').at(-1) ?? '';
    if (Number(name.slice(1)) >= good) return bad(request);
    return json({ module_id: `acme:${name}`, generation: 1, count: 0, releases: [] })(request);
  };
}

describe('a registry without a change feed', () => {
  it.each<[string, Answer]>([
    ['a 404', status(404)],
    ['an HTML page', text('<html>', 'text/html')],
  ])('requests every module after %s', async (_, feed) => {
    const { registry } = remembered(HOST);
    asked.next(feed, lists(2, status(404)));
    expect(told(await registry.readAll(modules(3)))).toEqual([
      'acme:m0 nothing',
      'acme:m1 nothing',
      'acme:m2 unknown-module',
    ]);
    // The lists are requested together, and Node 26 sends them in another order.
    expect(asked.requests[0]).toBe('/v1/changes?after=0');
    expect(asked.requests.toSorted().slice(1)).toEqual([
      '/v1/modules/acme/m0',
      '/v1/modules/acme/m1',
      '/v1/modules/acme/m2',
    ]);
  });

  it('requests the other modules after it denied access to one', async () => {
    const { registry } = remembered(HOST);
    asked.next(status(404), lists(0, status(403)));
    const results = told(await registry.readAll(modules(20)));
    expect(results).toEqual(modules(20).map((id) => `${id} registry-refused`));
    expect(asked.requests).toHaveLength(21);
  });
});

it('a feed that denies access is the error of each module, without another request', async () => {
  const { registry } = remembered(HOST);
  asked.next(status(401));
  expect(told(await registry.readAll(modules(5)))).toEqual(
    modules(5).map((id) => `${id} registry-refused`),
  );
  expect(asked.requests).toEqual(['/v1/changes?after=0']);
});

describe('an unreachable registry', () => {
  it('requests the feed three times, then uses every saved list', async () => {
    const machine = remembered(HOST);
    asked.next(json({ sequence: 1, modules: modules(10) }), lists(10, status(404)));
    await machine.registry.readAll(modules(10));
    const before = machine.saved();
    asked.requests.length = 0;
    asked.next(status(503));
    expect(told(await machine.restarted().readAll(modules(10)))).toEqual(
      modules(10).map((id) => `${id} nothing stale registry-busy`),
    );
    expect(asked.requests).toEqual(Array.from({ length: 3 }, () => '/v1/changes?after=1'));
    expect(machine.saved()).toBe(before);
  });

  it('[R1] ends a round after three modules failed, of eight that are asked at once', async () => {
    const { registry } = remembered(HOST, { limits: { retryWithinMs: 0 } });
    asked.next(status(404), async (request) => {
      // One after the other.
      const place = Number(request.url.split('m').at(-1));
      for (let turn = 0; turn < 20 * place; turn++) await scheduler.yield();
      return await status(503)(request);
    });
    await registry.readAll(modules(100));
    // The feed, the eight, and one more after each of the first two failures.
    expect(asked.requests).toHaveLength(1 + 8 + 2);
  });

  it('[R1] ends a round after three modules failed, within the retry budget', async () => {
    const machine = remembered(HOST, { limits: { retryWithinMs: 1e9 } });
    asked.next(status(404), lists(0, status(503)));
    expect(told(await machine.registry.readAll(modules(100)))).toEqual(
      modules(100).map((id) => `${id} registry-busy`),
    );
    // The feed, the eight concurrent requests, two more, and three retries.
    expect(asked.requests.length).toBeLessThanOrEqual(1 + 8 + 2 + 3);
  });

  it('[R1] retries at most a tenth of the requests of a long round', async () => {
    const machine = remembered(HOST, { limits: { retryWithinMs: 1e9 } });
    let count = 0;
    // Every fourth request fails.
    const flaky: Answer = (request) => {
      count++;
      return count % 4 === 0 ? status(503)(request) : lists(200, status(404))(request);
    };
    asked.next(status(404), flaky);
    await machine.registry.readAll(modules(200));
    const retries = asked.requests.length - 201;
    expect(retries).toBe(machine.clock.sleeps.length);
    // Early in a round the budget is smaller, so not every retry is used.
    expect(retries).toBeLessThanOrEqual(20);
    expect(retries).toBeGreaterThan(15);
  });
});
