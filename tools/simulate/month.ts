/* Plays months of a rover that follows its site: `npm run simulate -- month --help`. */
import { DEFAULT_HAPPENINGS } from '../../test/simulation/month/course.ts';
import { playMonth, type Outcome } from '../../test/simulation/month/play.ts';
import { shortest } from '../../test/simulation/shrink.ts';
import { optionsOf, wholeNumber } from '../options.ts';

const HELP = `Plays months of a rover that follows its site, and prints the first broken invariant.
  --seeds N        number of months to play (default 2: without a pin and with one)
  --seed S         first seed (default 0); an odd one has a pin
  --happenings N   what happens in each month (default ${DEFAULT_HAPPENINGS})
  --only 0,3       play one seed with these happenings only, and print all of it
  --brief          print no events, and look for no shorter play`;

const { values } = optionsOf(
  {
    options: {
      seeds: { type: 'string', default: '2' },
      seed: { type: 'string', default: '0' },
      happenings: { type: 'string', default: `${DEFAULT_HAPPENINGS}` },
      only: { type: 'string' },
      brief: { type: 'boolean', default: false },
    },
  },
  HELP,
);

const LAST_LINES = 40;
const MOST_REPLAYS = 30;
const PERCENT = 100;

const first = wholeNumber('--seed', values.seed, 0);
const seeds = wholeNumber('--seeds', values.seeds, 1);
const happenings = wholeNumber('--happenings', values.happenings, 1);

function verdictOn(seed: number, { violation }: Outcome): string | undefined {
  return violation && `seed ${seed} breaks ${violation.invariant}: ${violation.found}`;
}

async function replay(text: string): Promise<boolean> {
  const only = text.split(',').map((one) => wholeNumber('--only', one, 0));
  const outcome = await playMonth({ seed: first, happenings, only });
  console.log(outcome.lines.join('\n'));
  const verdict = verdictOn(first, outcome);
  console.log(verdict ?? 'breaks no invariant');
  return verdict === undefined;
}

/** The shortest play that was found to break the same invariant, as lines. */
async function shortestOf(seed: number, { violation }: Outcome): Promise<string[]> {
  const all = Array.from({ length: happenings }, (_, place) => place);
  let least: Outcome | undefined;
  const only = await shortest(all, MOST_REPLAYS, async (rest) => {
    const outcome = await playMonth({ seed, happenings, only: rest });
    const isAlike = outcome.violation?.invariant === violation?.invariant;
    if (isAlike) least = outcome;
    return isAlike;
  });
  const again = `    npm run simulate -- month --seed ${seed} --happenings ${happenings} --only ${only.join()}`;
  return [again, ...(least?.lines ?? []).slice(-LAST_LINES)];
}

/** The trouble with a seed, if there is any. */
async function troubleWith(seed: number, outcome: Outcome): Promise<string | undefined> {
  const verdict = verdictOn(seed, outcome);
  if (verdict === undefined) return undefined;
  const more = values.brief ? [] : await shortestOf(seed, outcome);
  return [verdict, ...more].join('\n');
}

async function playAll(): Promise<boolean> {
  const kills = new Map<string, number>();
  const began = process.cpuUsage();
  let [events, trouble, seed] = [0, undefined as string | undefined, first];
  for (; seed < first + seeds && trouble === undefined; seed++) {
    const outcome = await playMonth({ seed, happenings });
    events += outcome.events;
    for (const point of outcome.kills) kills.set(point, (kills.get(point) ?? 0) + 1);
    trouble = await troubleWith(seed, outcome);
  }
  const { user, system } = process.cpuUsage(began);
  if (trouble !== undefined) console.log(trouble);
  const seconds = Math.round((user + system) / (1_000_000 / PERCENT)) / PERCENT;
  console.log(`${seed - first} seeds, ${events} events in ${seconds} s of CPU time`);
  for (const [point, count] of kills) console.log(`killed ${point}: ${count}`);
  return trouble === undefined;
}

const isWell = await (values.only === undefined ? playAll() : replay(values.only));
// What dead processes of the machine wait for never comes.
process.exit(isWell ? 0 : 1);
