import { scheduler } from 'node:timers/promises';

/** What of the world a simulated machine must not touch. */
const SEALED = ['setTimeout', 'setInterval', 'setImmediate', 'fetch'] as const;

/** A part of the world was touched that a simulated machine is not given. */
function seal(name: string): never {
  throw new Error(`${name} was used: what a seed decides would depend on the world`);
}

/**
 * Takes time and chance away from everything but what is given them, until what is returned is called. A
 * time that is told may still be read: `new Date(0)`.
 */
export function sealGlobals(elapsed: () => number): () => void {
  // A cast, because TypeScript gives globals no index, and they are replaced by name.
  const world = globalThis as unknown as Record<string, unknown>;
  const originals = SEALED.map((name) => [name, world[name]] as const);
  const { Date: RealDate } = globalThis;
  const { random } = Math;
  const now = Object.getOwnPropertyDescriptor(performance, 'now');
  const turn = Object.getOwnPropertyDescriptor(scheduler, 'yield');
  for (const name of SEALED) world[name] = () => seal(name);
  Math.random = () => seal('Math.random');
  performance.now = elapsed;
  const SealedDate = function date(...given: readonly number[]): Date {
    // croner makes one that nothing comes of. Whatever did would be no time.
    return new RealDate(...((given.length === 0 ? [Number.NaN] : given) as [number]));
  };
  const { parse, UTC } = RealDate;
  Object.assign(SealedDate, { parse, UTC, now: () => seal('Date.now') });
  SealedDate.prototype = RealDate.prototype;
  world['Date'] = SealedDate;
  // To let others have a turn takes no time.
  Object.assign(scheduler, { yield: async () => await Promise.resolve() });
  return () => {
    for (const [name, original] of originals) world[name] = original;
    Math.random = random;
    if (now) Object.defineProperty(performance, 'now', now);
    else Reflect.deleteProperty(performance, 'now');
    world['Date'] = RealDate;
    if (turn) Object.defineProperty(scheduler, 'yield', turn);
    else Reflect.deleteProperty(scheduler, 'yield');
  };
}
