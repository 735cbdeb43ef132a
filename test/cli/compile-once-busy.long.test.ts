import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** A process without compilers, as bin/modreg.mjs starts an agent, whose thread is busy for `busyMs` of each second. What its code is after `forMs`, or once it is compiled. */
async function codeOf(busyMs: number, forMs: number): Promise<string> {
  const script = `
    const { keepAgentSmall } = await import(${JSON.stringify(import.meta.resolve('../../src/cli/small-heap.ts'))});
    const { setFlagsFromString } = await import('node:v8');
    for (const flag of ['--no-maglev', '--no-opt', '--no-sparkplug']) setFlagsFromString(flag);
    keepAgentSmall();
    let sum = 0;
    function work(n) { for (let i = 0; i < n; i++) sum += i % 7; return sum; }
    const end = performance.now() + ${forMs};
    do {
      const until = performance.now() + ${busyMs};
      do work(1000); while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 1000 - ${busyMs}));
    } while (performance.now() < end && %ActiveTierIsIgnition(work));
    console.log(%ActiveTierIsIgnition(work) ? 'interpreted' : 'compiled');
  `;
  const options = [
    '--allow-natives-syntax',
    '--expose-gc',
    '--input-type=module',
    '--eval',
    script,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return stdout.trim();
}

it.concurrent.each([
  ['is busy', 950, 90_000, 'compiled'],
  // Two looks.
  ['is at rest', 10, 22_000, 'interpreted'],
])('[D479] an agent that %s', async (_, busyMs, forMs, expected) => {
  expect(await codeOf(busyMs, forMs)).toBe(expected);
});
