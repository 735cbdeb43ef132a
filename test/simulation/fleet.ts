import {
  FEED_REST_MS,
  firstPhase,
  longestInterval,
  untilRoundAfter,
} from '../../src/poller/schedule.ts';
import { DEFAULT_LIMITS } from '../../src/registry/http/limits.ts';
import { randomFrom } from '../support/mutate.ts';

/** The environment of the machines. Times are milliseconds of a monotonic clock. */
export interface World {
  readonly intervalMs: number;
  readonly bootedAt: number;
  readonly endsAt: number;
  /** Whether nothing is known of the machines: their first round is at once (D73). */
  readonly isNew?: boolean | undefined;
  readonly outage?: Outage | undefined;
  readonly change?: Change | undefined;
  /** When all machines resume from suspension and poll at once. By default each polls within an interval of booting. */
  readonly resumedAt?: number | undefined;
}

/** A time in which every request fails. */
export interface Outage {
  readonly from: number;
  readonly until: number;
  /** How long a failing request takes. */
  readonly failsAfterMs: number;
  /** The Retry-After of its responses: milliseconds, or the time until the outage ends. */
  readonly retryAfter?: number | 'its end' | undefined;
}

/** A change of the one list that each machine needs, announced by the feed to all waiting machines. */
interface Change {
  readonly at: number;
  readonly spreadMs: number;
}

/** Called when a machine begins a round, and when it sends or repeats the first request of a round. */
export interface Recorder {
  readonly round: (at: number) => void;
  readonly request: (at: number) => void;
}

const NO_CHANGE: Change = { at: Infinity, spreadMs: 0 };

/** Plays the rounds of one machine on the schedule of the product. */
export function playMachine(world: World, random: () => number, recorder: Recorder): void {
  const { intervalMs, bootedAt, endsAt, isNew = false, change = NO_CHANGE, resumedAt } = world;
  let [failures, isAwaited] = [0, isNew];
  let news = change;
  const phaseAt = bootedAt + firstPhase(intervalMs, random());
  let next: Next = isNew
    ? { at: bootedAt, plannedAt: phaseAt }
    : { at: resumedAt ?? phaseAt, plannedAt: undefined };
  while (next.at < endsAt) {
    recorder.round(next.at);
    const { endedAt, failure } = ask(world, next.at, random, recorder);
    failures = failure ? failures + 1 : 0;
    const { retryAfterMs = 0 } = failure ?? {};
    const earlyMs = next.plannedAt === undefined ? undefined : next.plannedAt - endedAt;
    isAwaited &&= failures > 0;
    const round = { failures, retryAfterMs, earlyMs, isAwaited };
    const wait = untilRoundAfter(round, intervalMs, random());
    if (!failure && endedAt >= news.at) news = NO_CHANGE;
    const rest = { endedAt, dueAt: endedAt + wait, intervalMs };
    next = nextAfter(rest, failure ? NO_CHANGE : news, random);
  }
}

/** When a round begins, and when it would have begun without what made it begin earlier; undefined if nothing did. */
interface Next {
  readonly at: number;
  readonly plannedAt: number | undefined;
}

interface Rest {
  readonly endedAt: number;
  readonly dueAt: number;
  readonly intervalMs: number;
}

/** A sleep lasts whole milliseconds, and until the configuration is read at most; a change ends it early. */
function nextAfter(
  { endedAt, dueAt, intervalMs }: Rest,
  { at: newsAt, spreadMs }: Change,
  random: () => number,
): Next {
  let at = endedAt;
  for (;;) {
    const wakesAt = at + Math.min(Math.floor(dueAt - at), longestInterval(intervalMs));
    if (wakesAt <= at) return { at, plannedAt: undefined };
    const hearsAt = Math.max(at, newsAt);
    if (hearsAt < wakesAt) {
      const least = Math.max(hearsAt, endedAt + FEED_REST_MS);
      const wokenAt = Math.max(least, hearsAt + random() * spreadMs);
      if (wokenAt < wakesAt) return { at: wokenAt, plannedAt: dueAt };
    }
    at = wakesAt;
  }
}

export interface Failure {
  readonly retryAfterMs: number | undefined;
}

interface Answer {
  readonly endedAt: number;
  readonly failure: Failure | undefined;
}

/** The limits of the product (retry.ts). */
const MOST_ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;

/** Plays one round. A request that fails three times ends it. */
function ask(world: World, beganAt: number, random: () => number, recorder: Recorder): Answer {
  let now = beganAt;
  for (let attempt = 1; ; attempt++) {
    recorder.request(now);
    const { outage } = world;
    if (!outage || !isWithin(outage, now)) return { endedAt: now, failure: undefined };
    now += outage.failsAfterMs;
    const failure = failureOf(outage, now);
    if (attempt === MOST_ATTEMPTS) return { endedAt: now, failure };
    const backOff = FIRST_DELAY_MS * 2 ** (attempt - 1) * (1 + random());
    const delay = Math.max(failure.retryAfterMs ?? 0, backOff);
    if (now + delay - beganAt > DEFAULT_LIMITS.retryWithinMs) return { endedAt: now, failure };
    now += delay;
  }
}

export function isWithin({ from, until }: Outage, at: number): boolean {
  return at >= from && at < until;
}

/** The response of a registry that fails at `at`. */
export function failureOf({ until, retryAfter }: Outage, at: number): Failure {
  if (retryAfter !== 'its end') return { retryAfterMs: retryAfter };
  // HTTP dates have whole seconds, and a date in the past counts as one second.
  return { retryAfterMs: Math.max(1000, until - at) };
}

/** A fleet and its environment. */
export interface Scenario {
  readonly scenario: string;
  readonly machines: number;
  /** Number of independent fleets; one by default. */
  readonly fleets?: number;
  readonly world: World;
  /** Earlier seconds are not judged. */
  readonly judgedFrom?: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const BEGIN = 20 * MINUTE;

/** An hour that begins when all machines boot. */
function hour(intervalMs: number, more: Partial<World> = {}): World {
  return { intervalMs, bootedAt: 0, endsAt: 60 * MINUTE, ...more };
}

/** An outage of ten minutes. */
function outageOf(failsAfterMs: number): Outage {
  return { from: BEGIN, until: BEGIN + 10 * MINUTE, failsAfterMs };
}

const SILENT: Outage = outageOf(DEFAULT_LIMITS.answerMs);
const BUSY: Outage = outageOf(20);
/** An outage that begins when the change wakes all machines. */
const OVERRUN: Outage = { ...BUSY, from: BEGIN + 1, until: BEGIN + 3 * MINUTE };

/**
 * Fleets with at least 167 rounds a second on average. In smaller fleets chance alone exceeds 1.5 times the average.
 */
const FLEETS: readonly (readonly [string, number, number])[] = [
  ['5 s', 5 * SECOND, 2000],
  ['60 s', MINUTE, 10_000],
  ['10 min', 10 * MINUTE, 100_000],
];

/** The spread of a change that wakes a whole fleet, in intervals. Regular rounds come on top. */
const SPREAD = 6;

export const SCENARIOS: readonly Scenario[] = [
  ...FLEETS.flatMap(([interval, intervalMs, machines]): Scenario[] =>
    Object.entries({
      'booted together': {},
      'no response for ten minutes': { outage: SILENT },
      '503 for ten minutes': { outage: BUSY },
      'woken by a change, spread over six intervals': {
        change: { at: BEGIN, spreadMs: SPREAD * intervalMs },
      },
    }).map(([what, more]) => {
      return { scenario: `${what}, every ${interval}`, machines, world: hour(intervalMs, more) };
    }),
  ),
  {
    scenario: 'twenty fleets, each booted together',
    machines: 10_000,
    fleets: 20,
    world: { ...hour(MINUTE), endsAt: 3 * MINUTE },
  },
  {
    scenario: 'new machines, started together: after their first second',
    machines: 10_000,
    world: hour(MINUTE, { isNew: true }),
    judgedFrom: SECOND,
  },
  {
    scenario:
      'new machines, started together, and each is told to retry after two minutes: from then on',
    machines: 10_000,
    world: hour(MINUTE, {
      isNew: true,
      outage: { ...BUSY, from: 0, until: 100, retryAfter: 2 * MINUTE },
    }),
    judgedFrom: SECOND,
  },
  {
    scenario: '503 for ten minutes, with a Retry-After of one minute',
    machines: 10_000,
    world: hour(MINUTE, { outage: { ...BUSY, retryAfter: MINUTE } }),
  },
  {
    scenario: '503 for ten minutes, with a Retry-After until their end',
    machines: 10_000,
    world: hour(MINUTE, { outage: { ...BUSY, retryAfter: 'its end' } }),
  },
  {
    scenario: 'woken by a change within a second: from then on',
    machines: 10_000,
    world: hour(MINUTE, { change: { at: BEGIN, spreadMs: SECOND } }),
    judgedFrom: BEGIN + SECOND,
  },
  {
    scenario: 'woken within a second by a registry that then fails: from then on',
    machines: 10_000,
    world: hour(MINUTE, { change: { at: BEGIN, spreadMs: SECOND }, outage: OVERRUN }),
    judgedFrom: BEGIN + SECOND,
  },
  {
    scenario: 'suspended together, resumed at once: after 45 minutes',
    machines: 10_000,
    world: hour(MINUTE, { resumedAt: 0 }),
    judgedFrom: 45 * MINUTE,
  },
];

/** The worst second of a scenario. */
export interface FleetRow {
  readonly scenario: string;
  readonly machines: number;
  /** Rounds that begin in the worst second. */
  readonly mostPerSecond: number;
  readonly allowed: number;
  /** Requests, including retries, in the second with the most requests. */
  readonly mostRequests: number;
}

/** No second has more than this multiple of the rounds of an even spread. (T66) */
const ALLOWED = 1.5;

export function fleetRow(scenario: Scenario, seed: number): FleetRow {
  const { machines, fleets = 1, world, judgedFrom = 0 } = scenario;
  const random = randomFrom(seed);
  const worst = { rounds: 0, requests: 0 };
  for (let fleet = 0; fleet < fleets; fleet++) {
    const rounds = new Uint32Array(Math.ceil(world.endsAt / SECOND));
    const requests = new Uint32Array(rounds.length);
    const recorder = { round: counterIn(rounds), request: counterIn(requests) };
    for (let machine = 0; machine < machines; machine++) {
      playMachine(world, randomFrom(random() * 2 ** 32), recorder);
    }
    const from = Math.ceil(judgedFrom / SECOND);
    worst.rounds = Math.max(worst.rounds, ...rounds.subarray(from));
    worst.requests = Math.max(worst.requests, ...requests.subarray(from));
  }
  return {
    scenario: scenario.scenario,
    machines,
    mostPerSecond: worst.rounds,
    allowed: (ALLOWED * machines * SECOND) / world.intervalMs,
    mostRequests: worst.requests,
  };
}

/** The worst second of each scenario. */
export function fleetRows(seed: number): FleetRow[] {
  return SCENARIOS.map((scenario) => fleetRow(scenario, seed));
}

/** Returns a function that increments the second of a time in `seconds`. */
function counterIn(seconds: Uint32Array): (at: number) => void {
  return (at) => {
    const second = Math.floor(at / SECOND);
    seconds[second] = (seconds[second] ?? 0) + 1;
  };
}
