import type { Clock } from '../../src/registries/index.ts';
import type { Chance } from './chance.ts';

/** A time by both clocks, and what became of the wall clock. */
export interface Moment {
  readonly elapsed: number;
  readonly wall: number;
  /** How much it has gained on the monotonic clock, in all. */
  readonly gainedMs: number;
  /** How often it was set, or its rate changed, and when last. */
  readonly settings: number;
  readonly setAt: number;
  readonly isDrifting: boolean;
}

/** A scheduled event. */
interface Scheduled {
  readonly at: number;
  /** The tie-break between events of the same time. */
  readonly order: number;
  readonly happen: () => void;
  isOff: boolean;
}

/** The scheduled events, and the virtual clocks. */
export interface Timeline {
  /** The monotonic clock, in milliseconds; it starts above 0. */
  readonly elapsed: () => number;
  /** The wall clock, in milliseconds since the epoch. */
  readonly wall: () => number;
  /** Calls `happen` after `ms` milliseconds. The returned function cancels that. */
  readonly after: (ms: number, happen: () => void) => () => void;
  /** Plays the next event; false when none is scheduled. */
  readonly step: () => boolean;
  readonly setWall: (now: number) => void;
  /** Makes the wall clock run faster by this share of real time. */
  readonly drift: (rate: number) => void;
  readonly moment: () => Moment;
}

const BEGINNING = 1000;
const EPOCH: number = Date.parse('2026-03-01T00:00:00Z');

export function timeline(chance: Chance): Timeline {
  const heap: Scheduled[] = [];
  let elapsed = BEGINNING;
  let anchor = { elapsed, wall: EPOCH, rate: 0 };
  let [gainedMs, settings] = [0, 0];
  const wall = (): number =>
    Math.floor(anchor.wall + (elapsed - anchor.elapsed) * (1 + anchor.rate));
  const drifted = (): number => gainedMs + Math.max(0, anchor.rate) * (elapsed - anchor.elapsed);
  return {
    wall,
    elapsed: () => elapsed,
    after(ms, happen) {
      if (Number.isNaN(ms)) throw new RangeError('a wait of NaN milliseconds was requested');
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
    moment: () => ({
      elapsed,
      wall: wall(),
      gainedMs: drifted(),
      settings,
      setAt: settings === 0 ? 0 : anchor.elapsed,
      isDrifting: anchor.rate !== 0,
    }),
    setWall: (now) => {
      gainedMs = drifted() + Math.max(0, now - wall());
      settings++;
      anchor = { ...anchor, elapsed, wall: now };
    },
    drift: (rate) => {
      gainedMs = drifted();
      if (rate !== anchor.rate) settings++;
      anchor = { elapsed, wall: wall(), rate };
    },
  };
}

/** The clock of a process. After the process dies, its sleeps never end. */
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

function isSooner(a: Scheduled, b: Scheduled): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Scheduled[], moment: Scheduled): void {
  let place = heap.length;
  heap.push(moment);
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above] as Scheduled;
    if (!isSooner(moment, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = moment;
}

function pop(heap: Scheduled[]): Scheduled | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (!first || !last || heap.length === 0) return first;
  let place = 0;
  for (;;) {
    const child = soonerChild(heap, place);
    if (child === undefined || !isSooner(heap[child] as Scheduled, last)) break;
    heap[place] = heap[child] as Scheduled;
    place = child;
  }
  heap[place] = last;
  return first;
}

function soonerChild(heap: readonly Scheduled[], place: number): number | undefined {
  const left = 2 * place + 1;
  const [a, b] = [heap[left], heap[left + 1]];
  if (!a) return undefined;
  return b && isSooner(b, a) ? left + 1 : left;
}
