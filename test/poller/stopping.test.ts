import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import type { ReleaseList } from '../../src/registries/index.ts';
import { virtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { moduleNamed, upgrade } from '../support/claimed.ts';
import { HOUR, MINUTE, SECOND } from '../support/day.ts';
import { entry } from '../support/planned.ts';
import {
  configurationOf,
  CONFIGURATIONS,
  promptRegistry,
  racer,
  readingOf,
  track,
} from '../support/racing.ts';
import { cases } from '../support/runs.ts';

const RUNS = cases(200);

/** From which call on each callback and the registry do not answer. */
const HANGS = fc.record({
  configuration: fc.constantFrom(0, 1, 2, Infinity),
  registry: fc.constantFrom(0, 1, Infinity),
  isMaintenanceAllowed: fc.constantFrom(0, 1, 2, Infinity),
  deployedVersion: fc.constantFrom(0, 1, Infinity),
});

const WAYS = fc.record({
  hangs: HANGS,
  isBlank: fc.boolean(),
  passes: fc.array(fc.constantFrom(0, SECOND, MINUTE, 11 * MINUTE), { maxLength: 4 }),
  microtasks: fc.nat(30),
});

/** Answers the first `times` calls at once, and the others once `over` resolves. */
function answering<T>(times: number, over: Promise<void>, answer: () => T): () => Promise<T> {
  let asked = 0;
  return async () => {
    if (asked++ >= times) await over;
    return answer();
  };
}

async function microtasks(count: number): Promise<void> {
  for (let done = 0; done < count; done++) await Promise.resolve();
}

describe('[T59] stop()', () => {
  it('resolves whatever hangs, and nothing happens after it except acknowledgements', async () => {
    const on = track();
    await fc.assert(
      fc.asyncProperty(WAYS, async ({ hangs, isBlank, passes, ...way }) => {
        const { promise: over, resolve: end } = Promise.withResolvers<void>();
        const list = readingOf(1);
        const ask = answering(hangs.registry, over, () => list);
        const registry: PollableRegistry = {
          ...promptRegistry(() => 1),
          readAll: async (ids) => {
            const reading = await ask();
            return new Map(ids.map((id) => [id, reading]));
          },
        };
        const { clock, poller, events, deliveries, consumed } = racer(on, {
          registries: [registry, registry],
          ...(isBlank ? {} : { deployed: '1.0.0' }),
          configuration: answering(hangs.configuration, over, () => CONFIGURATIONS.both),
          isMaintenanceAllowed: answering(hangs.isMaintenanceAllowed, over, () => true),
          deployedVersion: answering(hangs.deployedVersion, over, () => '1.0.0'),
        });
        for (const ms of passes) await clock.pass(ms);
        await microtasks(way.microtasks);
        const stopped = poller.stop().then(() => 'stopped');
        const outcome = await Promise.race([stopped, clock.pass(0).then(() => 'hangs')]);
        const [before, written] = [events.length, on.writes()];
        end();
        await clock.pass(HOUR);
        await consumed;
        expect([outcome, events.slice(before), on.writes()]).toEqual(['stopped', [], written]);
        for (const delivery of deliveries) await delivery.done();
        expect(events.slice(before).map(({ kind }) => kind)).toEqual(
          deliveries.map(() => 'acknowledged'),
        );
      }),
      RUNS,
    );
  });

  it.each([0, 3, 6, 12, 24])(
    'ends an iterator that checks the open actions, after %i microtasks',
    async (ticks) => {
      const names = Array.from({ length: 10 }, (_, place) => `m${place}`);
      const registry: PollableRegistry = {
        ...promptRegistry(() => 1),
        // Only the last module has a list; the others wait for theirs.
        readAll: async (ids) =>
          await Promise.resolve(
            new Map(ids.map((id) => [id, readingOf(id === 'acme:m9' ? 1 : 'no list')])),
          ),
      };
      const modules = names.map((name) => entry(`acme:${name}`, '1.*', name));
      const { clock, poller, state, events } = racer(track(), {
        registries: [registry, registry],
        deployed: '1.0.0',
        takesUp: 'later',
        configuration: () => configurationOf(...modules),
      });
      for (const name of names) {
        const target = moduleNamed(name);
        state.report(target, '1.0.0', 1);
        const [action] = state.commit([upgrade({ target, to: '1.0.1' })], [], 1);
        state.deliver(action?.id ?? '', 1);
      }
      await clock.pass(MINUTE);
      const next = poller.deliveries().next();
      await microtasks(ticks);
      await poller.stop();
      const before = events.length;
      await next;
      expect(events.slice(before)).toEqual([]);
    },
  );

  it.each(Array.from({ length: 16 }, (_, ticks) => ticks))(
    '%i microtasks after the answer of the agent prevents a commit and a delivery',
    async (ticks) => {
      const registry = promptRegistry(() => 1);
      const happened: string[] = [];
      for (const committed of [false, true]) {
        const waiting: ((isAllowed: boolean) => void)[] = [];
        let asked = 0;
        const { clock, poller, events } = racer(track(), {
          registries: [registry, registry],
          deployed: '1.0.0',
          takesUp: 'later',
          isMaintenanceAllowed: async () => {
            if (committed && asked++ === 0) return true;
            const { promise, resolve } = Promise.withResolvers<boolean>();
            waiting.push(resolve);
            return await promise;
          },
        });
        await clock.pass(0);
        const next = poller.deliveries().next();
        await clock.pass(0);
        for (const allow of waiting) allow(true);
        await microtasks(ticks);
        const before = events.length;
        await poller.stop();
        await next;
        happened.push(...events.slice(before).map(({ kind }) => kind));
      }
      expect(happened).toEqual([]);
    },
  );

  it('ends a poll of a registry that is asked for one list at a time', async () => {
    const { promise, resolve } = Promise.withResolvers<ReleaseList>();
    const asked: string[] = [];
    const registry: PollableRegistry = {
      read: async (id) => {
        asked.push(id);
        return await promise;
      },
    };
    const { clock, poller } = racer(track(), { registries: [registry, registry] });
    await clock.pass(MINUTE);
    await poller.stop();
    const reading = readingOf(1);
    if (reading.ok) resolve(reading.value);
    await clock.pass(MINUTE);
    expect(asked).toEqual(['acme:lidar']);
  });
});

it('each wait ends with the work that it limits, so that none keeps the process alive', async () => {
  const clock = virtualClock();
  let waiting = 0;
  const counting: VirtualClock = {
    ...clock,
    async sleep(ms, signal) {
      waiting++;
      await clock.sleep(ms, signal).finally(() => waiting--);
    },
  };
  const registries = [promptRegistry(() => 1), promptRegistry(() => 1)] as const;
  const { poller, consumed } = racer(track(), {
    clock: counting,
    registries,
    deployedVersion: () => '1.0.1',
  });
  // Less than a request to a registry may take.
  await clock.pass(8 * MINUTE);
  const before = waiting;
  await poller.stop();
  await consumed;
  // The next round, the next plan and the next delivery.
  expect([before, waiting]).toEqual([3, 0]);
});
