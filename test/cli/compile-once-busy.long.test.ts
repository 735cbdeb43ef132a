import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** A process without compilers, as bin/modreg.mjs starts an agent, whose thread is busy for `busyMs` of each second. What its code is after the second look. */
async function codeOf(busyMs: number): Promise<string> {
  const script = `
    const { keepAgentSmall } = await import(${JSON.stringify(import.meta.resolve('../../src/cli/small-heap.ts'))});
    const { setFlagsFromString } = await import('node:v8');
    for (const flag of ['--no-maglev', '--no-opt', '--no-sparkplug']) setFlagsFromString(flag);
    keepAgentSmall();
    let sum = 0;
    function work(n) { for (let i = 0; i < n; i++) sum += i % 7; return sum; }
    const end = performance.now() + 22_000;
    while (performance.now() < end) {
      const until = performance.now() + ${busyMs};
      do work(1000); while (performance.now() < until);
      await new Promise((resolve) => setTimeout(resolve, 1000 - ${busyMs}));
    }
    console.log(%ActiveTierIsIgnition(work) ? 'interpreted' : 'compiled');
  `;
  const options = ['--allow-natives-syntax', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return stdout.trim();
}

it.concurrent.each([
  ['is busy', 950, 'compiled'],
  ['is at rest', 10, 'interpreted'],
])('[D479] an agent that %s', async (_, busyMs, expected) => {
  expect(await codeOf(busyMs)).toBe(expected);
});
