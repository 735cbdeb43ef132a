// Gives mutated documents a verdict each: `npm run fuzz -- [count] [seed]`.
import { fuzz } from '../../test/support/fuzz.ts';

const [count = 200_000, seed = Math.floor(Math.random() * 2 ** 31)] = process.argv
  .slice(2)
  .map(Number);

process.stdout.write(`${count} documents, seed ${seed}\n`);
const start = performance.now();
const failures = fuzz(count, seed);
const seconds = ((performance.now() - start) / 1000).toFixed(1);
process.stdout.write(
  failures.length === 0
    ? `each got a verdict, in ${seconds} s\n`
    : `${failures.join('\n\n')}\nat least ${failures.length} failed\n`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
