/* Explores two models completely, to a bound: `npm run model -- --help`. What is explored is in `test/model`. */
import { actionLoop } from '../../test/model/action-loop.ts';
import { explore, type Explored, type Model } from '../../test/model/explore.ts';
import { LIFECYCLE } from '../../test/model/lifecycle.ts';
import { machineStore } from '../../test/model/machine-store.ts';
import { optionsOf, wholeNumber } from '../options.ts';

const HELP = `Plays every order of events of a module's lifecycle and of the action loop of a machine, breadth-first, and prints how many
states it met. If something is broken, it prints the shortest path to that.
  --seconds N  how long at most, half of it for each model (default 600)
  --mib N      how much memory at most (default 2048)
  --short      a part that takes half a minute, for CI`;

const { values } = optionsOf(
  {
    options: {
      seconds: { type: 'string', default: '600' },
      mib: { type: 'string', default: '2048' },
      short: { type: 'boolean', default: false },
    },
  },
  HELP,
);

/** Deeper than any path that a run of hours reaches. */
const ANY_DEPTH = 1000;
/** With this many surprises on a path the states are too many for any run. */
const MOST_SURPRISES = 5;
const SHORT = { lifecycle: 10, loop: 7, surprises: 1 } as const;

const halfMs = (wholeNumber('--seconds', values.seconds, 1) * 1000) / 2;
const mostBytes = wholeNumber('--mib', values.mib, 1) * 2 ** 20;

function over(): () => boolean {
  const end = performance.now() + halfMs;
  return () => performance.now() > end || process.memoryUsage.rss() > mostBytes;
}

/** Prints what was explored. Returns whether nothing is broken. */
async function printed<S>(
  name: string,
  model: Model<S>,
  bounds: Parameters<typeof explore>[1],
): Promise<Explored> {
  const begun = performance.now();
  const explored = await explore(model, bounds);
  const { states, moves, depth, isWhole, violation } = explored;
  const seconds = Math.round((performance.now() - begun) / 1000);
  const reach = isWhole
    ? 'there are no others'
    : `among them all that ${depth} moves reach from the first`;
  if (violation) {
    const { broken, path } = violation;
    console.log(`${name} breaks after ${path.length} moves: ${broken}`);
  }
  console.log(`${name}: ${states} states, ${moves} moves in ${seconds} s; ${reach}`);
  for (const move of violation?.path ?? []) console.log(`    ${move}`);
  if (violation) process.exitCode = 1;
  return explored;
}

async function loopWith(
  surprises: number,
  bounds: Parameters<typeof explore>[1],
): Promise<Explored> {
  const name = `the action loop with ${surprises} surprise${surprises === 1 ? '' : 's'}`;
  return await printed(name, actionLoop(machineStore(), surprises), bounds);
}

if (values.short) {
  const { violation } = await printed('the lifecycle', LIFECYCLE, { depth: SHORT.lifecycle });
  if (!violation) await loopWith(SHORT.surprises, { depth: SHORT.loop });
} else {
  let { violation } = await printed('the lifecycle', LIFECYCLE, {
    depth: ANY_DEPTH,
    isOver: over(),
  });
  const isOver = over();
  for (let surprises = 0; surprises <= MOST_SURPRISES && !violation && !isOver(); surprises++) {
    ({ violation } = await loopWith(surprises, { depth: ANY_DEPTH, isOver }));
  }
}
