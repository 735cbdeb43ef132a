import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects garbage now, and returns the memory to the system: 30 to 60 ms for 30 MB. Undefined where bin/modreg.mjs did not set V8 to a small
 * heap, as for other commands and in tests that share a process.
 */
export function garbageCollector(): (() => void) | undefined {
  // Only a new context has it, because the flag is set while the program runs.
  const gc = runInNewContext('globalThis.gc') as NodeJS.GCFunction | undefined;
  if (!gc) return undefined;
  return () => {
    gc({ type: 'major', flavor: 'last-resort', execution: 'sync' });
  };
}

const LOOK_MS = 10_000;
/** What an agent or a poller allocates while nothing happens is a tenth of it in a minute. */
const GROWTH_BYTES = 4_000_000;

/** Collects after the start and whenever the heap grew: V8 itself would wait until it is twice as large, which may take hours. */
export function collectAfterGrowth(): void {
  const collect = garbageCollector();
  if (!collect) return;
  let known = 0;
  const look = (): void => {
    if (process.memoryUsage().heapUsed < known + GROWTH_BYTES) return;
    collect();
    known = process.memoryUsage().heapUsed;
  };
  setInterval(look, LOOK_MS).unref();
}

/** Of the time. */
const BUSY = 0.5;

/**
 * Lets V8 compile what it runs, once the process was busy for half of the time between two looks, of which the first is after the start (D479).
 * bin/modreg.mjs starts an agent without compilers: they and their code take 12 MB.
 */
function compileOnceBusy(): void {
  let before: ReturnType<typeof performance.eventLoopUtilization> | undefined;
  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const isBusy = before && performance.eventLoopUtilization(now, before).utilization > BUSY;
    before = now;
    if (!isBusy) return;
    clearInterval(timer);
    for (const flag of ['--opt', '--sparkplug']) setFlagsFromString(flag);
  };
  const timer = setInterval(look, LOOK_MS).unref();
}

/** What an agent does for its memory, for as long as it runs. Nothing where bin/modreg.mjs did not set V8 to a small heap. */
export function keepAgentSmall(): void {
  if (!garbageCollector()) return;
  collectAfterGrowth();
  compileOnceBusy();
}
