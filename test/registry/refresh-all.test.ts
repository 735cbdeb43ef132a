import { describe, expect, it } from 'vitest';
import type { ModuleId } from '../../src/core/index.ts';
import { answers, HOST, json, status, text, type Answer } from '../support/answers.ts';
import { moduleId } from '../support/ask.ts';
import { remembered, told } from '../support/remembered.ts';

const asked = answers();

function modules(count: number): ModuleId[] {
  return Array.from({ length: count }, (_, place) => moduleId(`acme:m${place}`));
}

/** The empty list of the module with this number. */
function list(place: number): Answer {
  return json({ module_id: `acme:m${place}`, generation: 1, count: 0, releases: [] });
}

describe('at a registry with a feed of its changes', () => {
  it('what changes while lists are fetched is seen in the next round', async () => {
    const machine = remembered(HOST);
    const [id = moduleId('acme:lidar')] = modules(1);
    const body = { module_id: id, generation: 1, count: 0, releases: [] };
    asked.next(json({ sequence: 7, modules: [] }), json(body));
    await machine.registry.readAll([id]);
    asked.requests.length = 0;
    asked.next(json({ sequence: 8, modules: [id] }), json({ ...body, generation: 2 }));
    await machine.registry.readAll([id]);
    expect(asked.requests).toEqual(['/v1/changes?after=7', '/v1/modules/acme/m0']);
  });

  it('a module in trouble does not make the others be asked for again', async () => {
    const machine = remembered(HOST);
    const ids = modules(2);
    const trouble = (request: Request): Response | Promise<Response> =>
      request.url.endsWith('m1') ? status(404)(request) : list(0)(request);
    asked.next(json({ sequence: 7, modules: [] }), list(0), list(1));
    await machine.registry.readAll(ids);
    asked.next(json({ sequence: 9, modules: ids }), trouble);
    await machine.registry.readAll(ids);
    asked.requests.length = 0;
    asked.next(json({ sequence: 9, modules: [] }), trouble);
    expect(told(await machine.restarted().readAll(ids))).toEqual([
      'acme:m0 nothing',
      'acme:m1 nothing stale unknown-module',
    ]);
    expect(asked.requests).toEqual(['/v1/changes?after=9', '/v1/modules/acme/m1']);
  });

  it('a sequence that fell makes everything be asked for again', async () => {
    const machine = remembered(HOST);
    const ids = modules(2);
    asked.next(json({ sequence: 7, modules: [] }), list(0), list(1));
    await machine.registry.readAll(ids);
    asked.requests.length = 0;
    asked.next(json({ sequence: 3, modules: [] }), list(0), list(1));
    await machine.registry.readAll(ids);
    expect(asked.requests).toEqual([
      '/v1/changes?after=7',
      '/v1/modules/acme/m0',
      '/v1/modules/acme/m1',
    ]);
  });
});

/** Answers for the modules that `modules` makes: the first `good` have a list. */
function lists(good: number, bad: Answer): Answer {
  return (request) => {
    const name = new URL(request.url).pathname.split('/').at(-1) ?? '';
    if (Number(name.slice(1)) >= good) return bad(request);
    return json({ module_id: `acme:${name}`, generation: 1, count: 0, releases: [] })(request);
  };
}

describe('at a registry without one', () => {
  it.each<[string, Answer]>([
    ['that says so', status(404)],
    ['that answers with a page', text('<html>', 'text/html')],
  ])('%s, every module is asked for', async (_, feed) => {
    const { registry } = remembered(HOST);
    asked.next(feed, lists(2, status(404)));
    expect(told(await registry.readAll(modules(3)))).toEqual([
      'acme:m0 nothing',
      'acme:m1 nothing',
      'acme:m2 unknown-module',
    ]);
    expect(asked.requests).toEqual([
      '/v1/changes?after=9007199254740991',
      '/v1/modules/acme/m0',
      '/v1/modules/acme/m1',
      '/v1/modules/acme/m2',
    ]);
  });

  it('one that refuses a module does not keep the others from being asked for', async () => {
    const { registry } = remembered(HOST);
    asked.next(status(404), lists(0, status(403)));
    const readings = told(await registry.readAll(modules(20)));
    expect(readings).toEqual(modules(20).map((id) => `${id} registry-refused`));
    expect(asked.requests).toHaveLength(21);
  });
});

describe('when nobody answers', () => {
  it('the feed is tried three times, and all saved lists stand in', async () => {
    const machine = remembered(HOST);
    asked.next(json({ sequence: 1, modules: [] }), lists(10, status(404)));
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

  it('[R1] a round ends after three modules in vain, and repeats no more than it may', async () => {
    const machine = remembered(HOST, { limits: { patienceMs: 1e9 } });
    asked.next(status(404), lists(0, status(503)));
    expect(told(await machine.registry.readAll(modules(100)))).toEqual(
      modules(100).map((id) => `${id} registry-busy`),
    );
    // The feed, the eight that were on their way, and three repetitions.
    expect(asked.requests.length).toBeLessThanOrEqual(1 + 8 + 2 + 3);
  });

  it('[R1] of a long round a tenth may be repeated', async () => {
    const machine = remembered(HOST, { limits: { patienceMs: 1e9 } });
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
    // What comes early has less of a round behind it.
    expect(retries).toBeLessThanOrEqual(20);
    expect(retries).toBeGreaterThan(15);
  });
});
