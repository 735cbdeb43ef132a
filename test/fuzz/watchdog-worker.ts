/*
 * Looks once a second whether the inputs of the thread that started it go on, and ends the process when one took
 * half a minute. It has a thread of its own because that one may never be idle.
 */
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const beats = workerData as Int32Array;
const LOOK_MS = 1000;
const LONGEST_MS = 30_000;
const STDERR = 2;

let warning: string | undefined;
let last = 0;
let stillMs = 0;

parentPort?.on('message', (said: string) => {
  warning = said;
  stillMs = 0;
});
setInterval(() => {
  const now = Atomics.load(beats, 0);
  stillMs = now === last || warning === undefined ? stillMs + LOOK_MS : 0;
  last = now;
  if (warning === undefined || stillMs < LONGEST_MS) return;
  writeSync(STDERR, `${warning} ${now - 1}\n`);
  process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
