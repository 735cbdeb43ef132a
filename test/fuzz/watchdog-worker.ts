/*
 * Kills the process when one input has taken half a minute; checks once a second. It runs in its own thread, because a
 * hanging input blocks the main thread.
 */
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const beats = workerData as Int32Array;
const CHECK_MS = 1000;
const LONGEST_MS = 30_000;
const STDERR = 2;

let warning: string | undefined;
let last = 0;
let stalledMs = 0;

parentPort?.on('message', (text: string) => {
  warning = text;
  stalledMs = 0;
});
setInterval(() => {
  const now = Atomics.load(beats, 0);
  stalledMs = now === last || warning === undefined ? stalledMs + CHECK_MS : 0;
  last = now;
  if (warning === undefined || stalledMs < LONGEST_MS) return;
  writeSync(STDERR, `${warning} ${now - 1}\n`);
  process.kill(process.pid, 'SIGKILL');
}, CHECK_MS);
