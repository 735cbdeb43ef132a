import { describe, expect, it } from 'vitest';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import { savedListsIn } from '../../src/store/index.ts';
import { answers, document, HOST, json, status } from '../../mocks/scripted-registry.ts';
import { plain } from '../support/decoded-list.ts';
import { LIDAR, outcomeOf, remembered, told } from './support/remembered.ts';

const asked = answers();
const PATH = '/v1/modules/acme/lidar';
const DAY = 86_400_000;
const MINUTE = 60_000;

it('concurrent reads of a module share one request', async () => {
  const { registry } = remembered(HOST);
  asked.next(document(['1.2.3']));
  await Promise.all([registry.read(LIDAR), registry.read(LIDAR), registry.read(LIDAR)]);
  expect(asked.requests).toEqual([PATH]);
  await registry.read(LIDAR);
  expect(asked.requests).toHaveLength(2);
});

it('a module that is asked for several times at once is requested once', async () => {
  const { registry } = remembered(HOST);
  asked.next(status(404), document(['1.2.3']));
  const ids = Array.from({ length: 30 }, () => LIDAR);
  expect(told(await registry.readAll(ids))).toEqual(['acme:lidar 1.2.3']);
  expect(asked.requests).toEqual(['/v1/changes?after=0', PATH]);
});

it('the last entity tag of an unchanged list is sent', async () => {
  const { registry } = remembered(HOST);
  const list = { module_id: 'acme:lidar', generation: 1, count: 0, releases: [] };
  asked.next(json(list, { etag: '"a"' }), json(list, { etag: '"b"' }), status(304));
  for (let reads = 0; reads < 3; reads++) await registry.read(LIDAR);
  expect(asked.requests).toEqual([PATH, `${PATH} known "a"`, `${PATH} known "b"`]);
});

describe('one of several concurrent reads', () => {
  it('can be aborted without aborting the request of the others', async () => {
    const { registry } = remembered(HOST);
    const controller = new AbortController();
    asked.next(async (request) => {
      controller.abort(new Error('aborted'));
      return await document(['1.2.3'])(request);
    });
    const first = registry.read(LIDAR, controller.signal);
    const second = registry.read(LIDAR);
    await expect(first).rejects.toThrow('aborted');
    expect(await outcomeOf(second)).toBe('1.2.3');
    expect(asked.requests).toEqual([PATH]);
  });

  it('sends no request if its signal is already aborted', async () => {
    const { registry } = remembered(HOST);
    const signal = AbortSignal.abort(new Error('aborted'));
    await expect(registry.read(LIDAR, signal)).rejects.toThrow('aborted');
    expect(asked.requests).toEqual([]);
  });

  it('[T60] returns the list that another process saved in the meantime if that is newer', async () => {
    const machine = remembered(HOST);
    const other = machine.restarted();
    asked.next(async (request) => {
      asked.next(document(['1.0.0', '1.1.0', '1.2.0'], { generation: 59 }));
      await other.read(LIDAR);
      return await document(['1.0.0', '1.1.0'], { generation: 58 })(request);
    });
    expect(await outcomeOf(machine.registry.read(LIDAR))).toBe('1.0.0 1.1.0 1.2.0');
    expect(await outcomeOf(machine.restarted().read(LIDAR))).toBe('1.0.0 1.1.0 1.2.0');
  });
});

describe('[D21] while the registry is unreachable, the saved list is used', () => {
  it.each<[string, number, string]>([
    [
      'if it is seven days old',
      7 * DAY,
      'stale, registry-busy: the registry https://registry.example is busy or failing (500)',
    ],
    [
      'but not if it is older than seven days',
      7 * DAY + 1000,
      'list-stale: the registry https://registry.example is busy or failing (500); the saved list was confirmed 7 d ago (limit 7 d)',
    ],
    [
      'if the clock was set back by five minutes',
      -5 * MINUTE,
      'stale, registry-busy: the registry https://registry.example is busy or failing (500)',
    ],
    [
      'but not if the clock that confirmed it was ten years ahead, 400 days later',
      -3250 * DAY,
      'list-stale: the registry https://registry.example is busy or failing (500); the saved list was confirmed by a clock that was 3250 d ahead of this one',
    ],
    [
      '[T96] but not if the clock that confirmed it was more than five minutes ahead',
      -5 * MINUTE - 1000,
      'list-stale: the registry https://registry.example is busy or failing (500); the saved list was confirmed by a clock that was 5 min 1 s ahead of this one',
    ],
  ])('%s', async (_, age, outcome) => {
    const machine = remembered(HOST, { limits: { retryWithinMs: 0 } });
    asked.next(document(['1.2.3']));
    await machine.registry.read(LIDAR);
    const before = machine.saved();
    machine.clock.advance(age);
    asked.next(status(500));
    expect(await outcomeOf(machine.restarted().read(LIDAR))).toBe(outcome);
    expect(machine.saved()).toBe(before);
  });

  it('and if it is too old, the error says what to do about the registry', async () => {
    const { registry, clock } = remembered(HOST);
    asked.next(document(['1.2.3']), status(302, { location: 'https://other.example/' }));
    await registry.read(LIDAR);
    clock.advance(8 * DAY);
    const hint = 'use the final address of the registry, without redirects';
    await expect(registry.read(LIDAR)).rejects.toMatchObject({ kind: 'list-stale', hint });
  });

  it('and if it is too old, the error says how long the registry asks to wait', async () => {
    const { registry, clock } = remembered(HOST, { limits: { retryWithinMs: 0 } });
    asked.next(document(['1.2.3']), status(503, { 'retry-after': '600' }));
    await registry.read(LIDAR);
    clock.advance(8 * DAY);
    const expected = { kind: 'list-stale', retryAfterMs: 600_000 };
    await expect(registry.read(LIDAR)).rejects.toMatchObject(expected);
  });

  it('[T27] a 304 confirms the saved list', async () => {
    const machine = remembered(HOST, { limits: { retryWithinMs: 0 } });
    asked.next(document(['1.2.3']), status(304), status(500));
    await machine.registry.read(LIDAR);
    machine.clock.advance(6 * DAY);
    await machine.registry.read(LIDAR);
    machine.clock.advance(6 * DAY);
    expect(await machine.restarted().read(LIDAR)).toMatchObject({
      source: 'saved',
      fetchedAt: machine.clock.now() - 6 * DAY,
      stale: { kind: 'registry-busy' },
    });
  });

  it('that is the one that another process saved last', async () => {
    const machine = remembered(HOST, { limits: { retryWithinMs: 0 } });
    asked.next(document(['1.2.3']));
    await machine.registry.read(LIDAR);
    asked.next(document(['1.2.3', '1.2.4'], { generation: 58 }));
    await machine.restarted().read(LIDAR);
    asked.next(status(500));
    const list = await machine.registry.read(LIDAR);
    expect([list.source, list.records.at(-1)?.version]).toEqual(['saved', '1.2.4']);
  });

  it('without a saved list, the result is the error of the registry', async () => {
    const { registry, saved } = remembered(HOST, { limits: { retryWithinMs: 0 } });
    asked.next(status(403));
    await expect(registry.read(LIDAR)).rejects.toMatchObject({ kind: 'registry-refused' });
    expect(saved()).toBe('[]');
  });

  it('a list that was confirmed less than `maxAgeMs` ago is used without a request', async () => {
    const { registry, clock } = remembered(HOST, { maxAgeMs: 5000 });
    asked.next(document(['1.2.3']));
    await registry.read(LIDAR);
    clock.advance(4999);
    expect(plain(await registry.read(LIDAR))).toMatchObject({ source: 'saved', records: [{}] });
    clock.advance(1);
    expect(await registry.read(LIDAR)).toMatchObject({ source: 'network' });
    expect(told(await registry.readAll([LIDAR, LIDAR]))).toEqual(['acme:lidar 1.2.3']);
    expect(asked.requests).toHaveLength(2);
    // The age of a list with a time in the future is unknown.
    clock.advance(-1);
    expect(await registry.read(LIDAR)).toMatchObject({ source: 'network' });
    expect(asked.requests).toHaveLength(3);
  });

  it('`maxAgeMs` does not extend `maxIndexAgeMs`', async () => {
    const { registry, clock } = remembered(HOST, { maxAgeMs: 30 * DAY, maxIndexAgeMs: 1000 });
    asked.next(document(['1.2.3']));
    await registry.read(LIDAR);
    clock.advance(1000);
    expect(await registry.read(LIDAR)).toMatchObject({ source: 'network' });
  });

  it('offline, no registry is contacted', async () => {
    const machine = remembered(HOST);
    asked.next(document(['1.2.3']));
    await machine.registry.read(LIDAR);
    const known = cachedRegistry(machine.remote, {
      saved: savedListsIn(machine.file),
      clock: machine.clock,
      isOffline: true,
    });
    expect(await outcomeOf(known.read(LIDAR))).toBe(
      `stale, registry-unreachable: offline: the registry ${HOST} was not contacted`,
    );
    const offline = remembered(HOST, { isOffline: true, saved: undefined });
    expect(await outcomeOf(offline.registry.read(LIDAR))).toBe(
      `registry-unreachable: offline: the registry ${HOST} was not contacted, and no list of acme:lidar is saved`,
    );
    const [result] = (await offline.registry.readAll([LIDAR])).values();
    expect(result).toMatchObject({ ok: false, error: { kind: 'registry-unreachable' } });
    expect(asked.requests).toHaveLength(1);
  });
});
