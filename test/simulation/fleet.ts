import { FEED_REST_MS, firstPhase, untilRoundAfter } from '../../src/poller/schedule.ts';
import { DEFAULT_LIMITS } from '../../src/registry/http/limits.ts';
import { randomFrom } from '../support/mutate.ts';

/** What machines meet. Times are milliseconds of a clock that never goes back. */
export interface World {
  readonly intervalMs: number;
  readonly bootedAt: number;
  readonly endsAt: number;
  readonly outage?: Outage | undefined;
  readonly change?: Change | undefined;
  /** When all ask that were suspended, instead of a part of the interval after they booted. */
  readonly resumedAt?: number | undefined;
}

/** A time in which a registry is asked in vain. */
export interface Outage {
  readonly from: number;
  readonly until: number;
  /** How long a request takes that comes to nothing. */
  readonly failsAfterMs: number;
  /** What it asks for then: so many milliseconds, or to come back when it ends. */
  readonly retryAfter?: number | 'its end' | undefined;
}

/** A change of the one list that each machine needs, of which a feed tells all who wait. */
interface Change {
  readonly at: number;
  readonly spreadMs: number;
}

/** Told when a machine begins a round, and when it sends the first request of one, or repeats it. */
export interface Told {
  readonly round: (at: number) => void;
  readonly request: (at: number) => void;
}

const NO_CHANGE: Change = { at: Infinity, spreadMs: 0 };

/** The rounds of one machine, by the product's own schedule. */
export function live(world: World, random: () => number, told: Told): void {
  const { intervalMs, bootedAt, endsAt, change = NO_CHANGE, resumedAt } = world;
  let failures = 0;
  let news = change;
  let next: Next = {
    at: resumedAt ?? bootedAt + firstPhase(intervalMs, random()),
    plannedAt: undefined,
  };
  while (next.at < endsAt) {
    told.round(next.at);
    const { endedAt, failure } = ask(world, next.at, random, told);
    failures = failure ? failures + 1 : 0;
    const { retryAfterMs = 0 } = failure ?? {};
    const earlyMs = next.plannedAt === undefined ? undefined : next.plannedAt - endedAt;
    const wait = untilRoundAfter({ failures, retryAfterMs, earlyMs }, intervalMs, random());
    if (!failure && endedAt >= news.at) news = NO_CHANGE;
    const rest = { endedAt, dueAt: endedAt + wait, intervalMs };
    next = nextAfter(rest, failure ? NO_CHANGE : news, random);
  }
}

/** When a round begins, and when it would have begun if a change had not had it sooner. */
interface Next {
  readonly at: number;
  readonly plannedAt: number | undefined;
}

interface Rest {
  readonly endedAt: number;
  readonly dueAt: number;
  readonly intervalMs: number;
}

/** What is slept is whole milliseconds, and an interval at most; whoever hears of `news` is woken within one sleep. */
function nextAfter(
  { endedAt, dueAt, intervalMs }: Rest,
  { at: newsAt, spreadMs }: Change,
  random: () => number,
): Next {
  let at = endedAt;
  for (;;) {
    const wakesAt = at + Math.min(Math.floor(dueAt - at), intervalMs);
    if (wakesAt <= at) return { at, plannedAt: undefined };
    const toldAt = Math.max(at, newsAt);
    if (toldAt < wakesAt) {
      const least = Math.max(toldAt, endedAt + FEED_REST_MS);
      const wokenAt = Math.max(least, toldAt + random() * spreadMs);
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

/** As in `retry.ts`. */
const MOST_ATTEMPTS = 3;
const FIRST_DELAY_MS = 500;

/** What comes of a round: the first request that fails three times ends it. */
function ask(world: World, beganAt: number, random: () => number, told: Told): Answer {
  let now = beganAt;
  for (let attempt = 1; ; attempt++) {
    told.request(now);
    const { outage } = world;
    if (!outage || !isWithin(outage, now)) return { endedAt: now, failure: undefined };
    now += outage.failsAfterMs;
    const failure = failureOf(outage, now);
    if (attempt === MOST_ATTEMPTS) return { endedAt: now, failure };
    const backOff = FIRST_DELAY_MS * 2 ** (attempt - 1) * (1 + random());
    const delay = Math.max(failure.retryAfterMs ?? 0, backOff);
    if (now + delay - beganAt > DEFAULT_LIMITS.patienceMs) return { endedAt: now, failure };
    now += delay;
  }
}

export function isWithin({ from, until }: Outage, at: number): boolean {
  return at >= from && at < until;
}

/** What a registry says that fails at `at`. */
export function failureOf({ until, retryAfter }: Outage, at: number): Failure {
  if (retryAfter !== 'its end') return { retryAfterMs: retryAfter };
  // A date is that of a whole second, and what is past counts as in a second.
  return { retryAfterMs: Math.max(1000, until - at) };
}

/** A fleet, and what it goes through. */
export interface Scenario {
  readonly scenario: string;
  readonly machines: number;
  /** So many fleets, each by itself; one unless given. */
  readonly fleets?: number;
  readonly world: World;
  /** What comes before is not judged. */
  readonly judgedFrom?: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const BEGIN = 20 * MINUTE;

/** An hour that begins when all machines boot. */
function hour(intervalMs: number, more: Partial<World> = {}): World {
  return { intervalMs, bootedAt: 0, endsAt: 60 * MINUTE, ...more };
}

/** Of ten minutes; a request that is not answered takes all of its time. */
function outageOf(failsAfterMs: number): Outage {
  return { from: BEGIN, until: BEGIN + 10 * MINUTE, failsAfterMs };
}

const SILENT: Outage = outageOf(DEFAULT_LIMITS.answerMs);
const BUSY: Outage = outageOf(20);
/** It fails under those whom it woke. */
const OVERRUN: Outage = { ...BUSY, from: BEGIN + 1, until: BEGIN + 3 * MINUTE };

/**
 * Machines of an interval that are as many a second: of few, chance alone has half as many again ask in some second.
 */
const FLEETS: readonly (readonly [string, number, number])[] = [
  ['5 s', 5 * SECOND, 2000],
  ['60 s', MINUTE, 10_000],
  ['10 min', 10 * MINUTE, 100_000],
];

/** What a change is spread over that wakes a whole fleet, in intervals: the rounds that come anyway come beside. */
const SPREAD = 6;

export const SCENARIOS: readonly Scenario[] = [
  ...FLEETS.flatMap(([interval, intervalMs, machines]): Scenario[] =>
    Object.entries({
      'booted together': {},
      'nobody answers for ten minutes': { outage: SILENT },
      'all are answered 503 for ten minutes': { outage: BUSY },
      'all are woken by a change, spread over six intervals': {
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
    scenario: 'all are answered 503 for ten minutes, and asked to come in a minute',
    machines: 10_000,
    world: hour(MINUTE, { outage: { ...BUSY, retryAfter: MINUTE } }),
  },
  {
    scenario: 'all are answered 503 for ten minutes, and asked to come when they end',
    machines: 10_000,
    world: hour(MINUTE, { outage: { ...BUSY, retryAfter: 'its end' } }),
  },
  {
    scenario: 'all are woken within a second: from then on',
    machines: 10_000,
    world: hour(MINUTE, { change: { at: BEGIN, spreadMs: SECOND } }),
    judgedFrom: BEGIN + SECOND,
  },
  {
    scenario: 'all are woken within a second by a registry that fails then: from then on',
    machines: 10_000,
    world: hour(MINUTE, { change: { at: BEGIN, spreadMs: SECOND }, outage: OVERRUN }),
    judgedFrom: BEGIN + SECOND,
  },
  {
    scenario: 'all ask at once that were suspended together: after three quarters of an hour',
    machines: 10_000,
    world: hour(MINUTE, { resumedAt: 0 }),
    judgedFrom: 45 * MINUTE,
  },
];

/** The worst second of a scenario. */
export interface FleetRow {
  readonly scenario: string;
  readonly machines: number;
  /** Rounds that began in it. */
  readonly mostPerSecond: number;
  readonly allowed: number;
  /** Requests of rounds, repeated ones included, in the second that has most of them. */
  readonly mostRequests: number;
}

/** Of the machines that would ask in a second if they were spread evenly. (T66) */
const ALLOWED = 1.5;

export function fleetRow(scenario: Scenario, seed: number): FleetRow {
  const { machines, fleets = 1, world, judgedFrom = 0 } = scenario;
  const random = randomFrom(seed);
  const worst = { rounds: 0, requests: 0 };
  for (let fleet = 0; fleet < fleets; fleet++) {
    const rounds = new Uint32Array(Math.ceil(world.endsAt / SECOND));
    const requests = new Uint32Array(rounds.length);
    const told = { round: counterIn(rounds), request: counterIn(requests) };
    for (let machine = 0; machine < machines; machine++) {
      live(world, randomFrom(random() * 2 ** 32), told);
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

/** All scenarios, each with its worst second. */
export function fleetRows(seed: number): FleetRow[] {
  return SCENARIOS.map((scenario) => fleetRow(scenario, seed));
}

/** Counts times by their second, up to the end of `seconds`. */
function counterIn(seconds: Uint32Array): (at: number) => void {
  return (at) => {
    const second = Math.floor(at / SECOND);
    seconds[second] = (seconds[second] ?? 0) + 1;
  };
}
