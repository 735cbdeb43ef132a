/*
 * Runs one kernel under callgrind: `node run-kernel.ts <name>`. Nothing is counted while it is prepared and warmed up. Then
 * callgrind writes a file at each call of `umask`: one before and one after each slice.
 */
import { execFileSync } from 'node:child_process';
import { KERNELS } from './kernels.ts';

/** Slices before the first one that counts: V8 has then compiled what runs often. */
const WARM_UP = 30;

const [, , name] = process.argv;
const kernel = KERNELS.find((one) => one.name === name);
if (!kernel) throw new Error(`there is no kernel ${name}`);
/**
 * V8 collects garbage or compiles in some slices. Of five slices of `next-change`, it depended on the name of the folder whether
 * one had neither: 5.41 or 5.23 million instructions. Requests over a socket allocate so much that it collects in most slices.
 */
const slices = kernel.name.startsWith('served-') ? 25 : 15;
const run = await kernel.prepare();

async function slice(runs: number): Promise<void> {
  for (let at = 0; at < runs; at++) await run();
}

for (let at = 0; at < WARM_UP; at++) await slice(kernel.runs);
execFileSync('vgdb', [`--pid=${process.pid}`, 'instrumentation', 'on'], { stdio: 'ignore' });
await slice(kernel.runs);
for (let at = 0; at < slices; at++) {
  process.umask(0o22);
  await slice(kernel.runs);
  process.umask(0o22);
}
process.exit();
