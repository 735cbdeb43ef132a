import fc, { type Scheduler } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Configuration, Delivery, PollerEvent } from '../../src/poller/index.ts';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { RegistryError } from '../../src/registries/index.ts';
import { HOUR, MINUTE, SECOND } from '../support/day.ts';
import {
  CONFIGURATIONS,
  promptRegistry,
  racer,
  racingRegistry,
  readingOf,
  TARGETS,
  track,
  unlessReported,
  type Answer,
  type Racer,
  type RacingRegistry,
} from '../support/racing.ts';
import { cases } from '../support/runs.ts';

const RUNS = cases(100);

const ACKNOWLEDGEMENTS: Readonly<Record<string, (delivery: Delivery) => Promise<void>>> = {
  done: async (delivery) => await delivery.done(),
  twice: async (delivery) => {
    await Promise.all([delivery.done(), unlessReported(delivery.done())]);
  },
  release: async (delivery) =>
    await delivery.failed({ reason: 'no points', running: '1.0.0', blame: 'release' }),
  machine: async (delivery) =>
    await delivery.failed({ reason: 'no space', running: '1.0.0', blame: 'machine' }),
};

type Step =
  | { readonly kind: 'answer' }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'acknowledge'; readonly how: string; readonly which: number }
  | { readonly kind: 'configure'; readonly to: 'both' | 'lidar' | 'pinned' | 'unreadable' };

const ANSWER: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 5 }) },
  fc.constantFrom<Answer>('no list', 'never', 'rejects'),
);
const ANSWERS = fc.array(ANSWER, { minLength: 1, maxLength: 8 });
const RACE = fc.tuple(ANSWERS, ANSWERS, stepsWith(...Object.keys(ACKNOWLEDGEMENTS)));

function stepsWith(...acknowledgements: readonly string[]): fc.Arbitrary<Step[]> {
  const step = fc.oneof<fc.Arbitrary<Step>[]>(
    fc.constant({ kind: 'answer' }),
    fc.constant({ kind: 'answer' }),
    fc.record({
      kind: fc.constant('pass'),
      ms: fc.constantFrom(0, SECOND, 30 * SECOND, 5 * MINUTE, 10 * MINUTE - 1, 10 * MINUTE),
    }),
    fc.record({
      kind: fc.constant('acknowledge'),
      how: fc.constantFrom(...acknowledgements),
      which: fc.nat(3),
    }),
    fc.record({
      kind: fc.constant('configure'),
      to: fc.constantFrom('both', 'lidar', 'pinned', 'unreadable'),
    }),
  );
  return fc.array(step, { maxLength: 20 });
}

/** A race after its steps. */
interface Race extends Racer {
  readonly registries: readonly [RacingRegistry, RacingRegistry];
  /** The most open actions that one target had. */
  readonly mostOpen: number;
  configure(to: 'both'): void;
}

const INTERVAL_MS = 4 * MINUTE;

async function raced(
  on: ReturnType<typeof track>,
  scheduler: Scheduler,
  [lidar, arm, steps]: readonly [readonly Answer[], readonly Answer[], readonly Step[]],
): Promise<Race> {
  const registries = [racingRegistry(scheduler, lidar), racingRegistry(scheduler, arm)] as const;
  let configured: (Step & { kind: 'configure' })['to'] = 'both';
  let mostOpen = 0;
  const configuration = (): Configuration => {
    if (configured === 'unreadable') throw new Error('no document');
    return CONFIGURATIONS[configured];
  };
  const terms = { deployed: '1.0.0', intervalMs: INTERVAL_MS };
  const running = racer(on, { registries, configuration, ...terms });
  const { clock, deliveries, state } = running;
  await clock.pass(0);
  for (const step of steps) {
    if (step.kind === 'pass') await clock.pass(step.ms);
    else if (step.kind === 'configure') configured = step.to;
    else if (step.kind === 'answer') await answerOne(scheduler);
    else {
      const delivery = deliveries[step.which];
      if (delivery) await unlessReported(ACKNOWLEDGEMENTS[step.how]?.(delivery));
    }
    await clock.pass(0);
    for (const { length } of openActions(state)) mostOpen = Math.max(mostOpen, length);
  }
  const configure = (to: 'both'): void => {
    configured = to;
  };
  return Object.assign(running, { registries, mostOpen, configure });
}

async function answerOne(scheduler: Scheduler): Promise<void> {
  if (scheduler.count() > 0) await scheduler.waitNext(1);
}

function openActions(state: Racer['state']): readonly unknown[][] {
  return [...Map.groupBy(state.memory().open, ({ action }) => action.target.name).values()];
}

/** The ids of the actions that events of a kind are about. */
function idsOf(events: readonly PollerEvent[], kind: PollerEvent['kind']): string[] {
  return events.flatMap((event) => {
    if (event.kind !== kind) return [];
    return 'action' in event ? [event.action.id] : 'id' in event ? [event.id] : [];
  });
}

describe('[T59] if one of two registries', () => {
  it('hangs, each new release of the other is delivered', async () => {
    let newest = 1;
    const registries = [promptRegistry(() => newest), HANGING] as const;
    const { clock, poller, deliveries } = racer(track(), { registries, deployed: '1.0.0' });
    await clock.pass(MINUTE);
    await deliveries[0]?.done();
    newest = 2;
    await clock.pass(3 * MINUTE);
    await poller.stop();
    expect(deliveries.map(({ action }) => action.to)).toEqual(['1.0.1', '1.0.2']);
  });

  it('rejects, the other is not polled again before it answers, and its answer counts', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    const slow: PollableRegistry = {
      ...HANGING,
      readAll: async (ids) => {
        const patch = ++asked;
        if (patch === 1) await promise;
        return new Map(ids.map((id) => [id, readingOf(patch)]));
      },
    };
    const error = new RegistryError('registry-unreachable', 'no connection');
    const rejecting: PollableRegistry = {
      ...HANGING,
      readAll: async () => await Promise.reject(error),
    };
    const registries = [slow, rejecting] as const;
    const { clock, poller, state } = racer(track(), { registries, deployed: '1.0.0' });
    await clock.pass(5 * MINUTE);
    const askedMeanwhile = asked;
    resolve();
    await clock.pass(5 * MINUTE);
    await poller.stop();
    expect(askedMeanwhile).toBe(1);
    expect(state.decisions()[0]?.latest).toBe(`1.0.${asked}`);
  });
});

it('[T59] a registry that the configuration removes and adds again has one poll at a time', async () => {
  const open = new Set<AbortSignal | undefined>();
  const hanging: PollableRegistry = {
    ...HANGING,
    readAll: async (_, signal) => {
      open.add(signal);
      return await new Promise(() => undefined);
    },
  };
  let configured: 'both' | 'lidar' = 'both';
  const { clock, poller } = racer(track(), {
    registries: [promptRegistry(() => 1), hanging],
    deployed: '1.0.0',
    configuration: () => CONFIGURATIONS[configured],
  });
  await clock.pass(MINUTE);
  configured = 'lidar';
  await clock.pass(2 * MINUTE);
  configured = 'both';
  await clock.pass(2 * MINUTE);
  const waiting = [...open].filter((signal) => signal?.aborted !== true).length;
  await poller.stop();
  expect(waiting).toBe(1);
});

describe('[T60] a registry that answers after', () => {
  it.each([
    [10 * MINUTE - 1, '1.0.2', undefined],
    [10 * MINUTE + 1, '1.0.1', 'a registry did not answer within 10 min'],
  ])('%i ms: %s is the latest', async (ms, latest, trouble) => {
    const times = [0, ms];
    const slow: PollableRegistry = {
      ...HANGING,
      readAll: async (ids) => {
        const [patch, time = HOUR] = [3 - times.length, times.shift()];
        if (time > 0) await clock.sleep(time);
        return new Map(ids.map((id) => [id, readingOf(patch)]));
      },
    };
    const registries = [slow, promptRegistry(() => 1)] as const;
    const { clock, poller, state } = racer(track(), { registries, deployed: '1.0.0' });
    // The second poll begins after 54 s.
    await clock.pass(54 * SECOND + 10 * MINUTE + 2);
    await poller.stop();
    expect([state.decisions()[0]?.latest, state.poller().round?.trouble]).toEqual([
      latest,
      trouble,
    ]);
  });
});

const HANGING: PollableRegistry = {
  ...promptRegistry(() => 1),
  readAll: async () => await new Promise(() => undefined),
};

describe('[T59] [T60] [T61] with late, repeated and missing answers', () => {
  it('a registry has one poll at a time', async () => {
    const on = track();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), RACE, async (scheduler, plan) => {
        const race = await raced(on, scheduler, plan);
        await race.poller.stop();
        expect(race.registries.map((registry) => registry.overlaps())).toEqual([0, 0]);
      }),
      RUNS,
    );
  });

  it('the newest answer in time is used', async () => {
    const on = track();
    // A release that failed on the machine is no longer the latest.
    const blameless = fc.tuple(ANSWERS, ANSWERS, stepsWith('done', 'twice', 'machine'));
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), blameless, async (scheduler, plan) => {
        const race = await raced(on, scheduler, plan);
        const decided = race.state.decisions().find(({ name }) => name === 'acme_lidar');
        await race.poller.stop();
        expect(decided?.latest).toBe(race.registries[0].newest());
      }),
      RUNS,
    );
  });

  it('an action has a unique id, keeps it, and ends with its acknowledgement', async () => {
    const on = track();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), RACE, async (scheduler, plan) => {
        const race = await raced(on, scheduler, plan);
        await race.poller.stop();
        const committed = idsOf(race.events, 'committed');
        const delivered = idsOf(race.events, 'delivered');
        const superseded = new Set(idsOf(race.events, 'superseded'));
        const withdrawn = idsOf(race.events, 'withdrawn');
        const ended = new Set([...withdrawn, ...idsOf(race.events, 'acknowledged')]);
        const open = new Set(race.state.memory().open.map(({ action }) => action.id));
        expect(race.mostOpen).toBeLessThanOrEqual(1);
        expect(committed).toEqual([...new Set(committed)]);
        const neverEnded = committed.filter((id) => !ended.has(id));
        expect(neverEnded.filter((id) => superseded.has(id) && delivered.includes(id))).toEqual([]);
        expect(neverEnded.filter((id) => !superseded.has(id) && !open.has(id))).toEqual([]);
        expect(race.deliveries.map(({ action }) => action.id)).toEqual(delivered);
      }),
      RUNS,
    );
  });

  it('the last published release is deployed in the end', async () => {
    const on = track();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), RACE, async (scheduler, plan) => {
        const race = await raced(on, scheduler, plan);
        race.configure('both');
        for (const registry of race.registries) registry.calm(7);
        while (scheduler.count() > 0) await scheduler.waitNext(1);
        for (let time = 0; time < 3; time++) {
          await race.clock.pass(15 * MINUTE);
          for (const delivery of race.deliveries) await unlessReported(delivery.done());
        }
        await race.poller.stop();
        const memory = race.state.memory();
        const running = [TARGETS.lidar, TARGETS.arm].map((target) => memory.of(target).deployed);
        expect(running).toMatchObject([
          { version: { text: '1.0.7' } },
          { version: { text: '1.0.7' } },
        ]);
        expect(memory.open).toEqual([]);
      }),
      { numRuns: Math.ceil(RUNS.numRuns / 2) },
    );
  });
});
