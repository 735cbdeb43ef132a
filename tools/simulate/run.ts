/* Plays seeds of test/simulation, and prints the invariants that they break: `npm run simulate -- --help`. */
import { randomInt } from 'node:crypto';
import { scheduler } from 'node:timers/promises';
import { crashPointsOf } from '../../test/simulation/crash-points.ts';
import { fleetRows } from '../../test/simulation/fleet.ts';
import { numbersIn, shrink } from '../../test/simulation/shrink.ts';
import { loopbackServer } from '../../test/simulation/loopback-server.ts';
import { simulate, type Outcome, type Play } from '../../test/simulation/simulate.ts';
import { optionsOf, wholeNumber } from '../options.ts';
import { firstDifference } from './difference.ts';
import { inProcesses } from './workers.ts';

const LAST_LINES = 40;
const INCIDENT = / s {2}\(\d+\) /;
const PROGRESS_EVENTS = 1_000_000;

const HELP = `Plays machines from seeds, and prints the first broken invariant.
  --events N     number of events to play (default 200000)
  --seed S       first seed (default 1), or "random"
  --seeds N      number of seeds to play, instead of --events
  --incidents N  incidents of each seed (default 25)
  --twice N      play every Nth seed twice, and compare the two plays
  --only 3,17    play one seed with these incidents only (or "none"), and print its trace
  --agent        modreg's own agent runs the modules of the machine
  --http         send each request over HTTP on 127.0.0.1, and compare the play with the simulated one
  --brief        do not search for the fewest incidents that break the invariant
  --json         print the figures as JSON
  --workers N    share the seeds among N processes; the first broken invariant ends all of them
  --fleet        instead, count the rounds of a fleet in each second of an hour
  rollout        as the first word: instead, staged rollouts of a fleet (rollout --help)
  attacks        as the first word: instead, attacks on the registry of a machine with a pin (attacks --help)`;

const { values } = optionsOf(
  {
    options: {
      events: { type: 'string' },
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string' },
      incidents: { type: 'string' },
      only: { type: 'string' },
      twice: { type: 'string' },
      workers: { type: 'string' },
      brief: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      agent: { type: 'boolean', default: false },
      http: { type: 'boolean', default: false },
      fleet: { type: 'boolean', default: false },
    },
  },
  HELP,
);

const DEFAULT_EVENTS = 200_000;

function numberOf(
  name: 'events' | 'seeds' | 'incidents' | 'twice' | 'workers',
): number | undefined {
  const text = values[name];
  return text === undefined ? undefined : wholeNumber(`--${name}`, text, 1);
}

/** Seeds are numbers of 31 bits. */
const firstSeed =
  values.seed === 'random' ? randomInt(2 ** 31) : wholeNumber('--seed', values.seed, 0);
const incidents = numberOf('incidents');
const twice = numberOf('twice');
/** Events of second plays. */
const counted = { events: 0 };
const server = values.http ? await loopbackServer() : undefined;

/** Plays a seed. `trouble` is the violation, or the difference between two plays; over HTTP the second is simulated. */
async function played(simulated: Play): Promise<{ outcome: Outcome; trouble?: string }> {
  const play = { ...simulated, server };
  const outcome = await simulate(play);
  if (outcome.violation) {
    const { invariant, found } = outcome.violation;
    const verdict = `seed ${play.seed} breaks ${invariant}: ${found}`;
    return {
      outcome,
      trouble: values.brief ? verdict : `${verdict}\n${await reproduction(play, outcome)}`,
    };
  }
  if (!server && (twice === undefined || play.seed % twice !== 0)) return { outcome };
  const { hash, events } = await simulate(simulated);
  counted.events += events;
  if (hash === outcome.hash) return { outcome };
  const difference = await firstDifference(play, simulated);
  const plays = server ? 'over HTTP and simulated' : 'twice';
  return { outcome, trouble: `seed ${play.seed}, played ${plays}, differs: ${difference}` };
}

/** The shortest play that breaks the same invariant, and the command that replays it. */
async function reproduction(play: Play, outcome: Outcome): Promise<string> {
  const least = await shrink(play, outcome);
  const numbers = numbersIn(least);
  const length = play.incidents === undefined ? '' : ` --incidents ${play.incidents}`;
  return [
    `${numbers.length} of its ${outcome.incidents.length} incidents are enough. To replay them:`,
    `    npm run simulate -- --seed ${play.seed}${length}${server ? ' --http' : ''}${values.agent ? ' --agent' : ''} --only ${numbers.join(',') || 'none'}`,
    ...least.lines.filter((line) => INCIDENT.test(line)),
    `                its last ${LAST_LINES} events:`,
    ...least.lines.slice(-LAST_LINES),
    ...least.decisions.map((text) => `last decision for ${text}`),
  ].join('\n');
}

async function replay(text: string): Promise<boolean> {
  const only = text === 'none' ? [] : text.split(',').map((one) => wholeNumber('--only', one, 0));
  const outcome = await simulate({
    seed: firstSeed,
    incidents,
    only,
    keepsLines: true,
    agent: values.agent,
    server,
  });
  console.log(outcome.lines.join('\n'));
  const unknown = only.filter((number) => number >= outcome.incidents.length);
  if (unknown.length > 0) {
    console.log(
      `seed ${firstSeed} has incidents 0 to ${outcome.incidents.length - 1}, not ${unknown.join(', ')}`,
    );
    return false;
  }
  const { violation } = outcome;
  console.log(
    violation ? `breaks ${violation.invariant}: ${violation.found}` : 'breaks no invariant',
  );
  return !violation;
}

interface Figures {
  readonly seeds: number;
  readonly events: number;
  /** Virtual days of all machines. */
  readonly days: number;
  readonly crashes: number;
  /** Number of crash points, and the ones that were never reached. */
  readonly points: number;
  readonly missed: readonly string[];
  /** Sent over HTTP. */
  readonly requests?: number | undefined;
  /** CPU time. */
  readonly seconds: number;
  readonly eventsPerSecond: number;
}

async function playAll(): Promise<boolean> {
  const [most, first, seeds] = [numberOf('events') ?? DEFAULT_EVENTS, firstSeed, numberOf('seeds')];
  const crashes = new Map<string, number>();
  const began = process.cpuUsage();
  let [events, elapsed, seed] = [0, 0, first];
  let trouble: string | undefined;
  const isEnd = (): boolean => (seeds === undefined ? events >= most : seed - first >= seeds);
  for (; trouble === undefined && !isEnd(); seed++) {
    const play = await played({ seed, incidents, agent: values.agent });
    // Objects of a play are finalized in a separate event-loop turn.
    await scheduler.yield();
    trouble = play.trouble;
    const before = events;
    events += play.outcome.events;
    elapsed += play.outcome.elapsed;
    for (const point of play.outcome.crashes) crashes.set(point, (crashes.get(point) ?? 0) + 1);
    const isProgressDue =
      Math.floor(before / PROGRESS_EVENTS) < Math.floor(events / PROGRESS_EVENTS);
    if (isProgressDue && !values.json) console.log(`${events} events, seeds ${first} to ${seed}`);
  }
  if (trouble !== undefined) console.log(trouble);
  const { user, system } = process.cpuUsage(began);
  const seconds = (user + system) / 1_000_000;
  const points = crashPointsOf(values.agent);
  const figures: Figures = {
    seeds: seed - first,
    events,
    days: Math.round(elapsed / 86_400_000),
    crashes: [...crashes.values()].reduce((sum, count) => sum + count, 0),
    points: points.length,
    missed: points.filter((point) => !crashes.has(point)),
    requests: server?.count(),
    seconds: Math.round(seconds * 10) / 10,
    eventsPerSecond: Math.round((events + counted.events) / seconds),
  };
  console.log(values.json ? JSON.stringify(figures) : linesOf(figures));
  return trouble === undefined;
}

function linesOf(figures: Figures): string {
  const { seeds, events, days, crashes, points, missed, seconds, eventsPerSecond, requests } =
    figures;
  const never = missed.length > 0 ? `; never: ${missed.join(', ')}` : '';
  return [
    `${seeds} seeds, ${events} events in ${days} machine days, ${seconds} s of CPU time: ${eventsPerSecond} events a second`,
    `killed ${crashes} times, at ${points - missed.length} of ${points} crash points${never}`,
    ...(requests === undefined ? [] : [`sent ${requests} requests over HTTP`]),
  ].join('\n');
}

function playFleets(): boolean {
  const rows = fleetRows(firstSeed);
  for (const row of rows) console.log(JSON.stringify(row));
  return rows.every(({ mostPerSecond, allowed }) => mostPerSecond <= allowed);
}

/** Plays the share of each worker. */
async function playShares(workers: number): Promise<boolean> {
  const [events, seeds] = [numberOf('events') ?? DEFAULT_EVENTS, numberOf('seeds')];
  return await inProcesses(workers, (worker) => {
    const most = Math.ceil((seeds ?? events) / workers);
    // Every seed has an event, so no two workers play the same one.
    const first = firstSeed + worker * most;
    return [
      ...(seeds === undefined ? ['--events', `${most}`] : ['--seeds', `${most}`]),
      '--seed',
      `${first}`,
      ...(incidents === undefined ? [] : ['--incidents', `${incidents}`]),
      ...(twice === undefined ? [] : ['--twice', `${twice}`]),
      ...(values.agent ? ['--agent'] : []),
      ...(values.http ? ['--http'] : []),
      ...(values.brief ? ['--brief'] : []),
      ...(values.json ? ['--json'] : []),
    ];
  });
}

async function run(): Promise<boolean> {
  if (values.seed === 'random') console.log(`the first seed is ${firstSeed}`);
  if (values.fleet) return playFleets();
  const workers = numberOf('workers') ?? 1;
  if (workers > 1 && values.only === undefined) return await playShares(workers);
  return await (values.only === undefined ? playAll() : replay(values.only));
}

process.exitCode = (await run()) ? 0 : 1;
await server?.close();
