/* Plays staged rollouts over a simulated fleet, and prints how many machines they expose: `npm run simulate -- rollout --help`. */
import { rollOut, type SimulatedRelease } from '../../test/simulation/rollout-fleet.ts';
import { fleetOf, inGroups } from '../../test/simulation/rollout-machines.ts';
import { optionsOf, wholeNumber } from '../options.ts';

const HELP = `Plays rollouts with the default policy, and fails if they expose or halt too much.
  --machines N   machines of the fleet (default 100000)
  --rollouts N   rollouts of good releases (default 1000)
  --failing N    rollouts of each kind of failing release (default 100)
  --first a,b    groups of machines that get each release first
  --group-size N machines of each group (default 50)
  --seed S       seed of the fleet and the first rollout (default 1)`;

const { values } = optionsOf(
  {
    options: {
      machines: { type: 'string', default: '100000' },
      rollouts: { type: 'string', default: '1000' },
      failing: { type: 'string', default: '100' },
      first: { type: 'string' },
      'group-size': { type: 'string', default: '50' },
      seed: { type: 'string', default: '1' },
    },
  },
  HELP,
);

/** The limits of what a rollout may do to a fleet. */
const MOST_EXPOSED = 0.001;
const MOST_HALTED = 0.01;

interface Kind extends Omit<SimulatedRelease, 'salt'> {
  readonly name: string;
  readonly count: number;
  readonly limit: 'exposed' | 'halted' | undefined;
}

const seed = wholeNumber('--seed', values.seed, 0);
const failing = wholeNumber('--failing', values.failing, 1);
const good = wholeNumber('--rollouts', values.rollouts, 1);
const size = wholeNumber('--group-size', values['group-size'], 1);
const first = values.first?.split(',').map((name) => name.trim());
const machines = fleetOf(wholeNumber('--machines', values.machines, 1), seed);
const fleet = first ? inGroups(machines, { groups: first, size }, seed) : machines;
/** The only machine of a first step may be one whose window never opens while it is online: then the rollout waits. */
const isSmall = fleet.length < 10_000;
/** Of a release that fails on all: a part of the fleet, three machines of a small one, and those of the first group. */
const mostExposed = Math.max(MOST_EXPOSED, 3 / fleet.length, first ? size / fleet.length : 0);

const KINDS: readonly Kind[] = [
  { name: 'always fails', count: failing, failureRate: 1, limit: 'exposed' },
  { name: 'always silent', count: failing, failureRate: 1, deadly: 1, limit: 'exposed' },
  { name: 'fails at 5 %', count: failing, failureRate: 0.05, limit: undefined },
  { name: 'silent at 5 %', count: failing, failureRate: 0.05, deadly: 1, limit: undefined },
  { name: 'good, 0.5 % fail', count: good, failureRate: 0.005, limit: 'halted' },
  { name: 'at the limit, 1 %', count: failing, failureRate: 0.01, limit: undefined },
];

const text = (share: number): string => `${(share * 100).toFixed(3)} %`;

for (const { name, count, limit, ...release } of KINDS) {
  const rollouts = Array.from({ length: count }, (_, number) =>
    rollOut(
      fleet,
      { ...release, salt: `${name} ${number}`, ...(first && { first }) },
      seed + number,
    ),
  );
  const halted = rollouts.filter(({ ending }) => ending === 'halted');
  const completed = rollouts.filter(({ ending }) => ending === 'completed');
  const exposed = rollouts
    .filter(({ ending }) => ending !== 'completed')
    .map(({ installed }) => installed / fleet.length);
  const most = Math.max(0, ...exposed);
  const mean = exposed.reduce((sum, share) => sum + share, 0) / Math.max(1, exposed.length);
  const hours = rollouts.map((one) => one.hours).toSorted((a, b) => a - b);
  const median = hours[Math.trunc(hours.length / 2)] ?? 0;
  console.log(
    `${name.padEnd(18)} halted ${halted.length} of ${count}; ended after ${median.toFixed(1)} h (median); exposed without completion: ${text(mean)}, at most ${text(most)}`,
  );
  const isTooMuch =
    (limit === 'exposed' && (completed.length > 0 || most > mostExposed)) ||
    (limit === 'exposed' && !isSmall && halted.length < count) ||
    (limit === 'halted' && halted.length > count * MOST_HALTED);
  if (isTooMuch) {
    console.error(
      `${name}: expected every rollout to halt with at most ${text(mostExposed)} exposed, and at most ${text(MOST_HALTED)} of the good ones to halt`,
    );
    process.exitCode = 1;
  }
}
