import { describe, expect, it } from 'vitest';
import type { PollableRegistry } from '../../src/registry/pollable-registry.ts';
import { RegistryError } from '../../src/registries/index.ts';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import type {
  FetchedList,
  RemoteRegistry,
  RequestContext,
} from '../../src/registry/remote-registry.ts';
import { DEFAULT_LIMITS } from '../../src/registry/http/limits.ts';
import { retrying } from '../../src/registry/retry.ts';
import { randomFrom } from '../support/mutate.ts';
import { CONFIGURATIONS, racer, track, type Track } from '../support/racing.ts';
import { virtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { failureOf, fleetRow, isWithin, playMachine, SCENARIOS, type World } from './fleet.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('[T66] no second has more than 1.5 times the rounds of an even spread', () => {
  it.each(SCENARIOS.map((one) => [one.scenario, one] as const))('%s', (_title, scenario) => {
    const { mostPerSecond, allowed } = fleetRow(scenario, 1);
    expect(mostPerSecond).toBeLessThanOrEqual(allowed);
  });
});

/** When a machine began rounds and sent their requests, in fractions of a millisecond. */
interface Times {
  readonly rounds: number[];
  readonly requests: number[];
}

function modelled(world: World, seed: number): Times {
  const times: Times = { rounds: [], requests: [] };
  playMachine(world, randomFrom(seed), {
    round: (at) => times.rounds.push(rounded(at)),
    request: (at) => times.requests.push(rounded(at)),
  });
  return times;
}

function rounded(ms: number): number {
  return Math.round(ms * 1e6) / 1e6;
}

function listOf(generation: number): FetchedList {
  const records = [{ version: '1.0.0' }];
  const bytes = { digest: `${generation}`, size: 1, etag: undefined };
  return { records, dropped: [], generation, ...bytes };
}

/** A registry in `world`, behind the retries of the product. */
function remoteIn(
  { outage, change }: World,
  clock: VirtualClock,
  random: () => number,
  onRequest: () => void,
): RemoteRegistry {
  const sequence = (): number => (change && clock.monotonic() >= change.at ? 2 : 1);
  const attempt = async (): Promise<void> => {
    onRequest();
    if (!outage || !isWithin(outage, clock.monotonic())) return;
    await clock.sleep(outage.failsAfterMs);
    throw new RegistryError('registry-busy', 'it fails', failureOf(outage, clock.monotonic()));
  };
  const { retryWithinMs } = DEFAULT_LIMITS;
  const ask = async ({ budget, signal }: RequestContext): Promise<void> => {
    const options = { clock, random, retryWithinMs, budget, signal, onRetry: () => undefined };
    await retrying(attempt, options);
  };
  return {
    address: 'modreg:https://registry.example/',
    from: 'https://registry.example',
    fetch: async () => await Promise.resolve(listOf(sequence())),
    async changes(after, round, waitMs = 0) {
      if (waitMs === 0) await ask(round);
      else if (sequence() === after) {
        const untilChange = change ? change.at - clock.monotonic() : Infinity;
        const isExpected = untilChange > 0 && untilChange <= waitMs;
        await clock.sleep(isExpected ? untilChange : waitMs, round.signal);
      }
      const modules = new Set(sequence() > after ? ['acme:lidar'] : []);
      return { sequence: sequence(), modules, spreadMs: change?.spreadMs ?? 0 };
    },
  };
}

/** The times of a real poller, from its start to `world.endsAt`. */
async function polled(on: Track, world: World, seed: number): Promise<Times> {
  const times: Times = { rounds: [], requests: [] };
  const clock = virtualClock();
  const random = randomFrom(seed);
  const remote = remoteIn(world, clock, random, () =>
    times.requests.push(rounded(clock.monotonic())),
  );
  const cached = cachedRegistry(remote, { clock });
  const registry: PollableRegistry = {
    ...cached,
    readAll: async (...input) => {
      times.rounds.push(rounded(clock.monotonic()));
      return await cached.readAll(...input);
    },
  };
  const { intervalMs } = world;
  const { poller } = racer(on, {
    clock,
    random,
    intervalMs,
    isNew: world.isNew ?? false,
    registries: [registry, registry],
    deployed: '1.0.0',
    configuration: () => CONFIGURATIONS.lidar,
  });
  await clock.pass(world.endsAt - world.bootedAt - 1);
  await poller.stop();
  return times;
}

const WORLD = { intervalMs: MINUTE, bootedAt: SECOND, endsAt: SECOND + 12 * MINUTE };
const OUTAGE = { from: 2.5 * MINUTE, until: 6 * MINUTE, failsAfterMs: 20 };
const SILENCE = { ...OUTAGE, failsAfterMs: DEFAULT_LIMITS.answerMs };
const CHANGE = { at: 2.5 * MINUTE, spreadMs: SECOND };
const SHORT = { intervalMs: 5 * SECOND, endsAt: 4 * MINUTE };

describe('[D73] the model makes the same rounds and requests as a poller', () => {
  it.each<[string, Partial<World>]>([
    ['registry available', {}],
    ['registry available, and the machine is new', { isNew: true }],
    ['registry silent when a new machine starts', { isNew: true, outage: { ...SILENCE, from: 0 } }],
    [
      'busy when a new machine starts, Retry-After of three minutes',
      { isNew: true, outage: { ...OUTAGE, from: 0, retryAfter: 3 * MINUTE } },
    ],
    ['registry silent for some minutes', { outage: SILENCE }],
    ['registry busy', { outage: OUTAGE }],
    ['busy, Retry-After of one minute', { outage: { ...OUTAGE, retryAfter: MINUTE } }],
    ['busy, Retry-After of three minutes', { outage: { ...OUTAGE, retryAfter: 3 * MINUTE } }],
    ['busy, Retry-After until it recovers', { outage: { ...OUTAGE, retryAfter: 'its end' } }],
    ['feed announces a change', { change: { ...CHANGE, spreadMs: 4 * MINUTE } }],
    ['feed announces a change without spread', { change: { ...CHANGE, spreadMs: 0 } }],
    ['busy after the change', { change: CHANGE, outage: { ...OUTAGE, from: CHANGE.at + 1 } }],
    [
      'busy after the change, Retry-After until it recovers',
      { change: CHANGE, outage: { ...OUTAGE, from: CHANGE.at + 1, retryAfter: 'its end' } },
    ],
    [
      'interval of five seconds',
      { ...SHORT, outage: { ...OUTAGE, until: 3 * MINUTE }, change: CHANGE },
    ],
    ['interval of six minutes', { intervalMs: 6 * MINUTE, outage: OUTAGE }],
  ])('%s', async (_, more) => {
    const on = track();
    const world = { ...WORLD, ...more };
    for (let seed = 1; seed <= 8; seed++) {
      expect(await polled(on, world, seed), `seed ${seed}`).toEqual(modelled(world, seed));
    }
  });
});
