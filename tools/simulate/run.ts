/* Plays seeds of test/simulation, and says what they break: `npm run simulate -- --help`. */
import { scheduler } from 'node:timers/promises';
import { CRASH_POINTS } from '../../test/simulation/crash-points.ts';
import { fleetRows } from '../../test/simulation/fleet.ts';
import { numbersIn, shrink } from '../../test/simulation/shrink.ts';
import { simulate, type Outcome, type Play } from '../../test/simulation/simulate.ts';
import { optionsOf, wholeNumber } from '../options.ts';

const TOLD_LINES = 40;
const INCIDENT = / s {2}\(\d+\) /;
const TOLD_EVENTS = 1_000_000;

const HELP = `Plays machines from seeds until there were so many events, and says what was broken.
  --events N     how many: 200000 unless given
  --seed S       the first seed: 1 unless given
  --seeds N      so many seeds instead, however many events they have
  --incidents N  how many incidents a seed has: 25 unless given
  --twice N      plays each Nth seed twice, and compares
  --only 3,17    plays one seed with these of its incidents (or none), and prints what happened
  --brief        does not look for the fewest incidents that break the same
  --json         prints figures for a program
  --fleet        counts what 10,000 machines ask in each second of an hour instead`;

const { values } = optionsOf(
  {
    options: {
      events: { type: 'string' },
      seed: { type: 'string', default: '1' },
      seeds: { type: 'string' },
      incidents: { type: 'string' },
      only: { type: 'string' },
      twice: { type: 'string' },
      brief: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      fleet: { type: 'boolean', default: false },
    },
  },
  HELP,
);

const DEFAULT_EVENTS = 200_000;

function numberOf(name: 'events' | 'seeds' | 'incidents' | 'twice'): number | undefined {
  const text = values[name];
  return text === undefined ? undefined : wholeNumber(`--${name}`, text, 1);
}

const firstSeed = wholeNumber('--seed', values.seed, 0);
const incidents = numberOf('incidents');
const twice = numberOf('twice');
/** Events that were played a second time. */
const counted = { events: 0 };

/** What is wrong with a play, if anything is; else its outcome is counted. */
async function played(play: Play): Promise<{ outcome: Outcome; trouble?: string }> {
  const outcome = await simulate(play);
  if (outcome.violation) {
    const { invariant, found } = outcome.violation;
    const verdict = `seed ${play.seed} breaks ${invariant}: ${found}`;
    return {
      outcome,
      trouble: values.brief ? verdict : `${verdict}\n${await told(play, outcome)}`,
    };
  }
  if (twice === undefined || play.seed % twice !== 0) return { outcome };
  counted.events += outcome.events;
  const { hash } = await simulate(play);
  if (hash === outcome.hash) return { outcome };
  return {
    outcome,
    trouble: `seed ${play.seed} is played in two ways: ${outcome.hash}, then ${hash}`,
  };
}

/** The shortest course of events that breaks the same, and how to see it again. */
async function told(play: Play, outcome: Outcome): Promise<string> {
  const least = await shrink(play, outcome);
  const numbers = numbersIn(least);
  const length = play.incidents === undefined ? '' : ` --incidents ${play.incidents}`;
  return [
    `${numbers.length} of its ${outcome.incidents.length} incidents are enough. To see it again:`,
    `    npm run simulate -- --seed ${play.seed}${length} --only ${numbers.join(',') || 'none'}`,
    ...least.lines.filter((line) => INCIDENT.test(line)),
    `                what it does in the end:`,
    ...least.lines.slice(-TOLD_LINES),
    ...least.decisions.map((text) => `the machine says of ${text}`),
  ].join('\n');
}

async function replay(text: string): Promise<boolean> {
  const only = text === 'none' ? [] : text.split(',').map((one) => wholeNumber('--only', one, 0));
  const outcome = await simulate({ seed: firstSeed, incidents, only, keepsLines: true });
  console.log(outcome.lines.join('\n'));
  const unknown = only.filter((number) => number >= outcome.incidents.length);
  if (unknown.length > 0) {
    console.log(
      `it has ${outcome.incidents.length} incidents, and no number ${unknown.join(', ')}`,
    );
    return false;
  }
  const { violation } = outcome;
  console.log(
    violation ? `breaks ${violation.invariant}: ${violation.found}` : 'nothing is broken',
  );
  return !violation;
}

interface Figures {
  readonly seeds: number;
  readonly events: number;
  /** In the life of machines. */
  readonly days: number;
  readonly crashes: number;
  /** Places where a process can be killed, and those of them where none was. */
  readonly points: number;
  readonly missed: readonly string[];
  /** Of the processor. */
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
    const play = await played({ seed, incidents });
    // What is forgotten is tidied up in a turn of its own.
    await scheduler.yield();
    trouble = play.trouble;
    const before = events;
    events += play.outcome.events;
    elapsed += play.outcome.elapsed;
    for (const point of play.outcome.crashes) crashes.set(point, (crashes.get(point) ?? 0) + 1);
    const isTold = Math.floor(before / TOLD_EVENTS) < Math.floor(events / TOLD_EVENTS);
    if (isTold && !values.json) console.log(`${events} events, seeds ${first} to ${seed}`);
  }
  if (trouble !== undefined) console.log(trouble);
  const { user, system } = process.cpuUsage(began);
  const seconds = (user + system) / 1_000_000;
  const figures: Figures = {
    seeds: seed - first,
    events,
    days: Math.round(elapsed / 86_400_000),
    crashes: [...crashes.values()].reduce((sum, count) => sum + count, 0),
    points: CRASH_POINTS.length,
    missed: CRASH_POINTS.filter((point) => !crashes.has(point)),
    seconds: Math.round(seconds * 10) / 10,
    eventsPerSecond: Math.round((events + counted.events) / seconds),
  };
  console.log(values.json ? JSON.stringify(figures) : linesOf(figures));
  return trouble === undefined;
}

function linesOf(figures: Figures): string {
  const { seeds, events, days, crashes, points, missed, seconds, eventsPerSecond } = figures;
  const never = missed.length > 0 ? `; never: ${missed.join(', ')}` : '';
  return [
    `${seeds} seeds, ${events} events in ${days} days of machines, ${seconds} s of CPU: ${eventsPerSecond} a second`,
    `killed ${crashes} times, at ${points - missed.length} of ${points} points${never}`,
  ].join('\n');
}

function playFleets(): boolean {
  const rows = fleetRows(firstSeed);
  for (const row of rows) console.log(JSON.stringify(row));
  return rows.every(({ mostPerSecond, allowed }) => mostPerSecond <= allowed);
}

async function run(): Promise<boolean> {
  if (values.fleet) return playFleets();
  return await (values.only === undefined ? playAll() : replay(values.only));
}

process.exitCode = (await run()) ? 0 : 1;
