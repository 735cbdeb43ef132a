import { describe, expect, it } from 'vitest';
import type { ModuleId } from '../../src/core/index.ts';
import type { PollingEvent } from '../../src/poller/event.ts';
import { PolledRegistry } from '../../src/poller/polled-registry.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { RegistryError, type ListResult } from '../../src/registries/index.ts';
import { virtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { moduleId } from '../support/ask.ts';
import { MINUTE, SECOND } from '../support/day.ts';
import { promptRegistry, readingOf } from '../support/racing.ts';

const LIDAR = moduleId('acme:lidar');
const ARM = moduleId('acme:arm');
const NEVER = new AbortController().signal;

/** A list; or none, with a `Retry-After` of this many seconds; or a saved list, because of that. */
type Answer = 'list' | `none, ${number}` | `saved, ${number}`;

function resultOf(answer: Answer): ListResult {
  const list = readingOf(1);
  const [kind, seconds = 0] = answer.split(', ');
  if (kind === 'list' || !list.ok) return list;
  const retryAfterMs = Number(seconds) * SECOND;
  const error = new RegistryError('registry-busy', 'too many requests', { retryAfterMs });
  if (kind === 'none') return { ok: false, error };
  return { ok: true, value: { ...list.value, stale: error } };
}

interface Polled {
  readonly clock: VirtualClock;
  readonly polled: PolledRegistry;
  readonly events: string[];
}

/** A registry that is polled each minute, and asked by `readAll`. */
function polled(more: Partial<PollableRegistry>): Polled {
  const clock = virtualClock();
  const events: string[] = [];
  const onEvent = (event: PollingEvent): void => {
    events.push('retryMs' in event ? `${event.kind} for ${event.retryMs / SECOND} s` : event.kind);
  };
  const registry = { ...promptRegistry(() => 1), ...more };
  const polling = { clock, random: () => 0.5, intervalMs: MINUTE, onEvent };
  return { clock, events, polled: new PolledRegistry(registry, polling) };
}

/** A registry that gives these answers for the lidar and the arm. */
function answering(lidar: Answer, arm: Answer): Polled {
  const answers = new Map([
    [LIDAR, resultOf(lidar)],
    [ARM, resultOf(arm)],
  ]);
  return polled({ readAll: async () => await Promise.resolve(answers) });
}

describe('a polled registry', () => {
  it.each<[Answer, Answer, number, string[]]>([
    ['list', 'list', 60, []],
    ['list', 'none, 30', 60, ['list-unavailable']],
    // A longer time is rounded up to whole intervals.
    ['list', 'none, 61', 120, ['list-unavailable']],
    ['list', 'saved, 300', 300, ['list-unavailable']],
    ['saved, 200', 'none, 400', 420, ['registry-unavailable for 420 s']],
    ['saved, 400', 'none, 200', 420, ['registry-unavailable for 420 s']],
    ['none, 0', 'none, 0', 90, ['registry-unavailable for 90 s']],
  ])('that answers %s and %s is due again after %i s', async (lidar, arm, seconds, expected) => {
    const { polled: registry, events } = answering(lidar, arm);
    expect(registry.untilDue).toBe(0);
    await registry.poll([LIDAR, ARM], NEVER);
    expect([registry.untilDue / SECOND, events]).toEqual([seconds, expected]);
  });

  it('backs off longer after each failed poll in a row', async () => {
    const answers: Answer[] = ['none, 0', 'none, 0', 'list', 'none, 0'];
    const readAll = async (): Promise<ReadonlyMap<ModuleId, ListResult>> =>
      await Promise.resolve(new Map([[LIDAR, resultOf(answers.shift() ?? 'list')]]));
    const { polled: registry } = polled({ readAll });
    const waits: number[] = [];
    while (answers.length > 0) {
      await registry.poll([LIDAR], NEVER);
      waits.push(registry.untilDue / SECOND);
    }
    expect(waits).toEqual([90, 180, 60, 90]);
  });

  it('has no list of a module that was not requested last', async () => {
    const { polled: registry } = polled({});
    await registry.poll([LIDAR, ARM], NEVER);
    await registry.poll([ARM], NEVER);
    const known = [LIDAR, ARM].map((id) => [registry.list(id), registry.result(id)]);
    expect(known).toEqual([
      [undefined, undefined],
      [expect.objectContaining({ index: expect.anything() as unknown }), readingOf(1)],
    ]);
  });

  it('that throws is due after an interval, and can be polled then', async () => {
    const error = new Error('a mistake');
    const {
      polled: registry,
      clock,
      events,
    } = polled({ readAll: async () => await Promise.reject(error) });
    const polling = registry.poll([LIDAR], NEVER);
    expect(registry.isAsked).toBe(true);
    await expect(polling).rejects.toBe(error);
    expect([registry.isAsked, registry.untilDue, events]).toEqual([false, MINUTE, []]);
    await clock.pass(MINUTE);
    expect(registry.untilDue).toBe(0);
  });

  it('[T60] that does not answer keeps its last lists, and has an error for the others', async () => {
    let isHanging = false;
    const readAll = async (
      ids: readonly ModuleId[],
    ): Promise<ReadonlyMap<ModuleId, ListResult>> => {
      if (isHanging) await new Promise(() => undefined);
      const answers = new Map(ids.map((id) => [id, resultOf(id === ARM ? 'none, 0' : 'list')]));
      return await Promise.resolve(answers);
    };
    const { polled: registry, clock, events } = polled({ readAll });
    await registry.poll([LIDAR, ARM], NEVER);
    isHanging = true;
    const polling = registry.poll([LIDAR, ARM], NEVER);
    await clock.pass(10 * MINUTE);
    await polling;
    const message = 'a registry did not answer within 10 min';
    expect(registry.errors.map((error) => [error.kind, error.message])).toEqual([
      ['registry-timeout', message],
      ['registry-timeout', message],
    ]);
    expect([registry.result(LIDAR)?.ok, registry.result(ARM)?.ok]).toEqual([true, false]);
    expect(events).toEqual(['list-unavailable', 'registry-unavailable for 90 s']);
  });
});

describe('the change feed of a polled registry', () => {
  it('makes it due after the spread, and then it keeps its own interval', async () => {
    const { polled: registry, clock } = polled({
      awaitChange: async () => await Promise.resolve({ hasChanged: true, spreadMs: 8 * SECOND }),
    });
    await registry.poll([LIDAR], NEVER);
    await clock.pass(10 * SECOND);
    const following = registry.followFeed(NEVER);
    await clock.pass(4 * SECOND - 1);
    expect(registry.untilDue).toBe(46 * SECOND + 1);
    await clock.pass(1);
    await following;
    expect(registry.untilDue).toBe(0);
    // A second change does not move the time at which it was due anyway.
    const again = registry.followFeed(NEVER);
    await clock.pass(4 * SECOND);
    await again;
    await registry.poll([LIDAR], NEVER);
    expect(registry.untilDue).toBe(42 * SECOND);
    await registry.poll([LIDAR], NEVER);
    expect(registry.untilDue).toBe(MINUTE);
  });

  it('keeps its interval even if the answer comes after it was due anyway', async () => {
    let takes = 0;
    const { polled: registry, clock } = polled({
      readAll: async (ids) => {
        if (takes > 0) await clock.sleep(takes);
        return new Map(ids.map((id) => [id, readingOf(1)]));
      },
      awaitChange: async () => await Promise.resolve({ hasChanged: true, spreadMs: 0 }),
    });
    await registry.poll([LIDAR], NEVER);
    await clock.pass(50 * SECOND);
    const following = registry.followFeed(NEVER);
    await clock.pass(0);
    await following;
    takes = 20 * SECOND;
    const polling = registry.poll([LIDAR], NEVER);
    await clock.pass(takes);
    await polling;
    expect(registry.untilDue).toBe(50 * SECOND);
  });

  it('makes it due half a second after its last answer at the earliest', async () => {
    const { polled: registry, clock } = polled({
      awaitChange: async () => await Promise.resolve({ hasChanged: true, spreadMs: 0 }),
    });
    await registry.poll([LIDAR], NEVER);
    await clock.pass(200);
    const following = registry.followFeed(NEVER);
    await clock.pass(299);
    expect(registry.untilDue).toBe(MINUTE - 499);
    await clock.pass(1);
    await following;
    expect(registry.untilDue).toBe(0);
  });

  it.each<[string, Answer, PollableRegistry['awaitChange']]>([
    [
      'reports no change',
      'list',
      async () => await Promise.resolve({ hasChanged: false, spreadMs: 0 }),
    ],
    [
      'is not available',
      'list',
      async () => await Promise.reject(new RegistryError('registry-busy', 'no')),
    ],
    [
      'reports a change in an outage',
      'none, 0',
      async () => await Promise.resolve({ hasChanged: true, spreadMs: 0 }),
    ],
  ])('does not make it due if it %s', async (_, answer, awaitChange) => {
    const readAll = async (): Promise<ReadonlyMap<ModuleId, ListResult>> =>
      await Promise.resolve(new Map([[LIDAR, resultOf(answer)]]));
    const { polled: registry } = polled({ readAll, ...(awaitChange && { awaitChange }) });
    await registry.poll([LIDAR], NEVER);
    const before = registry.untilDue;
    await registry.followFeed(NEVER);
    expect(registry.untilDue).toBe(before);
  });

  it('passes on an error that is not one of the registry', async () => {
    const error = new Error('a mistake');
    const { polled: registry } = polled({ awaitChange: async () => await Promise.reject(error) });
    await registry.poll([LIDAR], NEVER);
    await expect(registry.followFeed(NEVER)).rejects.toBe(error);
  });
});

describe('[D76] a polled registry that an operator wants to be polled now', () => {
  it('is due half a second after its last poll, and then when it was due anyway', async () => {
    const { polled: registry, clock } = answering('list', 'list');
    await registry.poll([LIDAR, ARM], NEVER);
    registry.refresh();
    expect(registry.untilDue).toBe(500);
    await clock.pass(10 * SECOND);
    registry.refresh();
    expect(registry.untilDue).toBe(0);
    await registry.poll([LIDAR, ARM], NEVER);
    expect(registry.untilDue).toBe(50 * SECOND);
  });

  it('is polled once more if a poll is in progress: its answer may be older', async () => {
    const answer = Promise.withResolvers<ReadonlyMap<ModuleId, ListResult>>();
    const { polled: registry } = polled({ readAll: async () => await answer.promise });
    const polling = registry.poll([LIDAR], NEVER);
    registry.refresh();
    answer.resolve(new Map([[LIDAR, resultOf('list')]]));
    await polling;
    expect(registry.untilDue).toBe(500);
    await registry.poll([LIDAR], NEVER);
    expect(registry.untilDue).toBe(MINUTE);
  });
});
