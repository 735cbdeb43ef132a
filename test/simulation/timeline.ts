import type { Clock } from '../../src/registry/index.ts';
import type { Chance } from './chance.ts';

/** Something that happens at a moment. */
interface Moment {
  readonly at: number;
  /** Decides between moments of one time. */
  readonly order: number;
  readonly happen: () => void;
  isOff: boolean;
}

/** All that is going to happen, and what the clocks say meanwhile. */
export interface Timeline {
  /** Milliseconds that passed, beginning above 0. */
  readonly elapsed: () => number;
  /** What the wall clock says, in milliseconds since the epoch. */
  readonly wall: () => number;
  /** Has `happen` called once `ms` have passed. What is returned calls that off. */
  readonly after: (ms: number, happen: () => void) => () => void;
  /** Lets the next thing happen; false where nothing is going to. */
  readonly step: () => boolean;
  readonly setWall: (now: number) => void;
  /** Lets the wall clock run faster from now on, by this share. */
  readonly drift: (rate: number) => void;
  /** How many things are going to happen. */
  readonly size: () => number;
}

const BEGINNING = 1000;
const EPOCH: number = Date.parse('2026-03-01T00:00:00Z');

export function timeline(chance: Chance): Timeline {
  const heap: Moment[] = [];
  let elapsed = BEGINNING;
  let anchor = { elapsed, wall: EPOCH, rate: 0 };
  const wall = (): number =>
    Math.floor(anchor.wall + (elapsed - anchor.elapsed) * (1 + anchor.rate));
  return {
    wall,
    elapsed: () => elapsed,
    size: () => heap.length,
    after(ms, happen) {
      if (Number.isNaN(ms)) throw new RangeError('asked to wait for no number of milliseconds');
      const moment = { at: elapsed + Math.max(0, ms), order: chance.next(), happen, isOff: false };
      push(heap, moment);
      return () => {
        moment.isOff = true;
      };
    },
    step() {
      for (;;) {
        const moment = pop(heap);
        if (!moment) return false;
        if (moment.isOff) continue;
        elapsed = moment.at;
        moment.happen();
        return true;
      }
    },
    setWall: (now) => {
      anchor = { ...anchor, elapsed, wall: now };
    },
    drift: (rate) => {
      anchor = { elapsed, wall: wall(), rate };
    },
  };
}

/** The clock of a process. Once it is dead, nothing wakes it. */
export function clockOf(line: Timeline, isAlive: () => boolean): Clock {
  return {
    now: line.wall,
    monotonic: line.elapsed,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      if (!isAlive()) return await promise;
      const callOff = line.after(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        if (isAlive()) resolve();
      });
      const onAbort = (): void => {
        callOff();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      return await promise;
    },
  };
}

function isSooner(a: Moment, b: Moment): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Moment[], moment: Moment): void {
  let place = heap.length;
  heap.push(moment);
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above] as Moment;
    if (!isSooner(moment, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = moment;
}

function pop(heap: Moment[]): Moment | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (!first || !last || heap.length === 0) return first;
  let place = 0;
  for (;;) {
    const child = soonerChild(heap, place);
    if (child === undefined || !isSooner(heap[child] as Moment, last)) break;
    heap[place] = heap[child] as Moment;
    place = child;
  }
  heap[place] = last;
  return first;
}

function soonerChild(heap: readonly Moment[], place: number): number | undefined {
  const left = 2 * place + 1;
  const [a, b] = [heap[left], heap[left + 1]];
  if (!a) return undefined;
  return b && isSooner(b, a) ? left + 1 : left;
}
