/* Feeds mutated and random input to every reader: `npm run fuzz -- --help`. */
import { removeFolders } from '../../test/fuzz/scratch.ts';
import { fuzz, shares, TARGETS } from '../../test/fuzz/targets.ts';
import { startWatchdog } from '../../test/fuzz/watchdog.ts';
import { oneOf, optionsOf, wholeNumber } from '../options.ts';

const HELP = `Feeds mutated and random input to every reader.
  --count N       number of inputs (default 200000)
  --seed S        seed (default random)
  --target list   run this target only
  --path 12:3     with a target and a seed: run only the input at this path`;

const { values } = optionsOf(
  {
    options: {
      target: { type: 'string' },
      count: { type: 'string', default: '200000' },
      seed: { type: 'string' },
      path: { type: 'string' },
    },
  },
  HELP,
);
const count = wholeNumber('--count', values.count, 1);
const random = Math.floor(Math.random() * 2 ** 31);
const seed = wholeNumber('--seed', values.seed ?? `${random}`, 0);
const trials =
  values.target === undefined
    ? [...shares(count)]
    : [[oneOf('--target', values.target, TARGETS), count] as const];

const watchdog = startWatchdog();
process.on('uncaughtExceptionMonitor', () => say(watchdog.warning().replace('hangs', 'crashes')));
process.on('exit', removeFolders);

say(`seed ${seed}`);
const began = performance.now();
for (const [target, inputs] of trials) {
  const start = performance.now();
  const failure = await fuzz(target, { seed, count: inputs, path: values.path }, watchdog);
  const tried = values.path === undefined ? `${inputs} inputs` : `the input at ${values.path}`;
  say(`${target.name.padEnd(16)} ${tried}, ${secondsSince(start)} s`);
  if (failure === undefined) continue;
  say(`\n${failure}\n`);
  process.exitCode = 1;
}
say(
  `${process.exitCode === 1 ? 'some targets failed' : 'all targets passed'}, ${secondsSince(began)} s`,
);
await watchdog.stop();

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1);
}
