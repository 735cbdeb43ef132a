import type { ClientTimers } from './client-timers.ts';

const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, fetch } = globalThis;
const { AbortController, AbortSignal, Date: RealDate, Math: RealMath } = globalThis;
const { now } = RealDate;
const { random } = RealMath;

/** The globals of real time. */
export const REAL: Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'> = {
  setTimeout,
  clearTimeout,
};

/** The file that sets the time limits of a request. */
const DEADLINES = '/src/registry/http/deadline.ts:';

/**
 * Lets real HTTP through the sealed globals, until the returned function is called. Node's own code gets the real
 * timers and clock; the time limits of modreg's client are `timers`, and everything else stays sealed.
 */
export function letHttpThrough(timers: ClientTimers): () => void {
  // A cast: globals have no index signature, and are replaced by name.
  const world = globalThis as unknown as Record<string, unknown>;
  const original = { setTimeout, setInterval, setImmediate };
  const open = (name: keyof typeof original): void => {
    const sealed = world[name] as () => unknown;
    const real = original[name] as (...given: unknown[]) => unknown;
    const opened = (...given: [() => void, number, ...unknown[]]): unknown => {
      const caller = callerOf(opened);
      if (caller.includes(DEADLINES)) return timers.set(given[1], given[0]);
      return isNode(caller) ? real(...given) : sealed();
    };
    world[name] = opened;
  };
  for (const name of ['setTimeout', 'setInterval', 'setImmediate'] as const) open(name);
  const sealedNow = Date.now;
  const sealedRandom = Math.random;
  const openNow = (): number => (isNode(callerOf(openNow)) ? now() : sealedNow());
  const openRandom = (): number => (isNode(callerOf(openRandom)) ? random() : sealedRandom());
  Object.assign(Date, { now: openNow });
  Math.random = openRandom;
  Object.assign(world, {
    fetch,
    AbortController,
    AbortSignal,
    clearTimeout: (timer: unknown) => timers.clear(timer) || clearTimeout(timer as number),
    clearInterval: (timer: unknown) => timers.clear(timer) || clearInterval(timer as number),
  });
  return () => {
    Object.assign(world, { clearTimeout, clearInterval });
  };
}

/** The line of the stack trace that called `callee`. */
function callerOf(callee: (...given: never[]) => unknown): string {
  const { stackTraceLimit } = Error;
  const holder = { stack: '' };
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(holder, callee);
  Error.stackTraceLimit = stackTraceLimit;
  return holder.stack;
}

function isNode(caller: string): boolean {
  return caller.includes('node:');
}
