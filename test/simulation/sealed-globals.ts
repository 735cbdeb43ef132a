import { scheduler } from 'node:timers/promises';
import { PlainAbortController, PlainAbortSignal } from './plain-abort.ts';

/** Globals that a simulated machine must not use. */
const SEALED = ['setTimeout', 'setInterval', 'setImmediate', 'fetch'] as const;

function refuse(name: string): never {
  throw new Error(`${name} was used: the play would not depend on its seed alone`);
}

/**
 * Makes the real clock, timers, random numbers and fetch throw, until the returned function is called. A given time
 * can still be read: `new Date(0)`.
 */
export function sealGlobals(elapsed: () => number): () => void {
  // A cast: globals have no index signature, and are replaced by name.
  const world = globalThis as unknown as Record<string, unknown>;
  const originals = SEALED.map((name) => [name, world[name]] as const);
  const { Date: RealDate, AbortController: RealController, AbortSignal: RealSignal } = globalThis;
  const { random } = Math;
  const now = Object.getOwnPropertyDescriptor(performance, 'now');
  const turn = Object.getOwnPropertyDescriptor(scheduler, 'yield');
  for (const name of SEALED) world[name] = () => refuse(name);
  Math.random = () => refuse('Math.random');
  performance.now = elapsed;
  const SealedDate = function date(...given: readonly number[]): Date {
    // croner calls `new Date()` without using its value; any use would see NaN.
    return new RealDate(...((given.length === 0 ? [Number.NaN] : given) as [number]));
  };
  const { parse, UTC } = RealDate;
  Object.assign(SealedDate, { parse, UTC, now: () => refuse('Date.now') });
  SealedDate.prototype = RealDate.prototype;
  world['Date'] = SealedDate;
  world['AbortController'] = PlainAbortController;
  world['AbortSignal'] = PlainAbortSignal;
  // Yielding to the event loop must not take real time.
  Object.assign(scheduler, { yield: async () => await Promise.resolve() });
  return () => {
    for (const [name, original] of originals) world[name] = original;
    Math.random = random;
    if (now) Object.defineProperty(performance, 'now', now);
    else Reflect.deleteProperty(performance, 'now');
    world['Date'] = RealDate;
    world['AbortController'] = RealController;
    world['AbortSignal'] = RealSignal;
    if (turn) Object.defineProperty(scheduler, 'yield', turn);
    else Reflect.deleteProperty(scheduler, 'yield');
  };
}
