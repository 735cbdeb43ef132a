/* Plays attacks on the registry of a machine with a pin: `npm run simulate -- attacks --help`. */
import { createHash } from 'node:crypto';
import { NAMES } from '../../test/simulation/attacks/attack.ts';
import { ATTACKS } from '../../test/simulation/attacks/attacks.ts';
import { DEFAULT_ATTACKS, playAttacks, type Outcome } from '../../test/simulation/attacks/play.ts';
import { optionsOf, wholeNumber } from '../options.ts';

const HELP = `Plays machines with a pin whose registry or network turns hostile, and prints the first broken invariant.
  --seeds N      number of seeds to play (by default as many as have each attack once)
  --seed S       first seed (default 0)
  --attacks N    attacks of each seed (default ${DEFAULT_ATTACKS})
  --twice N      play every Nth seed twice, and compare the two plays
  --only 0,3     play one seed with these attacks only, and print what happens
  --brief        print no events`;

const { values } = optionsOf(
  {
    options: {
      seeds: { type: 'string' },
      seed: { type: 'string', default: '0' },
      attacks: { type: 'string', default: `${DEFAULT_ATTACKS}` },
      twice: { type: 'string' },
      only: { type: 'string' },
      brief: { type: 'boolean', default: false },
    },
  },
  HELP,
);

const LAST_LINES = 40;
const PERCENT = 100;

const attacks = wholeNumber('--attacks', values.attacks, 1);
const first = wholeNumber('--seed', values.seed, 0);
const enough = Math.ceil(ATTACKS.length / attacks);
const seeds = values.seeds === undefined ? enough : wholeNumber('--seeds', values.seeds, 1);
const twice = values.twice === undefined ? undefined : wholeNumber('--twice', values.twice, 1);

function verdictOn(seed: number, { violation }: Outcome): string | undefined {
  return violation && `seed ${seed} breaks ${violation.invariant}: ${violation.found}`;
}

function hashOf({ lines }: Outcome): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

async function replay(text: string): Promise<boolean> {
  const only = text.split(',').map((one) => wholeNumber('--only', one, 0));
  const outcome = await playAttacks({ seed: first, attacks, only });
  console.log(outcome.lines.join('\n'));
  const verdict = verdictOn(first, outcome);
  console.log(verdict ?? 'breaks no invariant');
  return verdict === undefined;
}

/** The trouble with a seed, if there is any. */
async function troubleWith(seed: number, outcome: Outcome): Promise<string | undefined> {
  const verdict = verdictOn(seed, outcome);
  if (verdict !== undefined) {
    const again = `    npm run simulate -- attacks --seed ${seed} --attacks ${attacks} --only N`;
    const last = values.brief ? [] : [again, ...outcome.lines.slice(-LAST_LINES)];
    return [verdict, ...last].join('\n');
  }
  if (twice === undefined || seed % twice !== 0) return undefined;
  const other = await playAttacks({ seed, attacks });
  return hashOf(other) === hashOf(outcome) ? undefined : `seed ${seed}, played twice, differs`;
}

async function playAll(): Promise<boolean> {
  const counts = new Map<string, number>();
  const began = process.cpuUsage();
  let [events, trouble, seed] = [0, undefined as string | undefined, first];
  for (; seed < first + seeds && trouble === undefined; seed++) {
    const outcome = await playAttacks({ seed, attacks });
    events += outcome.events;
    for (const { of } of outcome.happened) counts.set(of, (counts.get(of) ?? 0) + 1);
    trouble = await troubleWith(seed, outcome);
  }
  const { user, system } = process.cpuUsage(began);
  if (trouble !== undefined) console.log(trouble);
  const seconds = Math.round((user + system) / (1_000_000 / PERCENT)) / PERCENT;
  console.log(`${seed - first} seeds, ${events} events in ${seconds} s of CPU time`);
  for (const name of NAMES) console.log(`${name.padEnd(26)} ${counts.get(name) ?? 0}`);
  const missed = NAMES.filter((name) => !counts.has(name));
  // A run that ended early has not played them all.
  const isMissing = trouble === undefined && seeds >= enough && missed.length > 0;
  if (isMissing) console.error(`never happened: ${missed.join(', ')}`);
  return trouble === undefined && !isMissing;
}

process.exitCode = (await (values.only === undefined ? playAll() : replay(values.only))) ? 0 : 1;
