import type { Clock } from '../registry/clock.ts';
import type { FakeBoard } from './fake-board.ts';

type Stream = ReturnType<FakeBoard['streamTicks']>;

/** One tick of a digital interrupt. */
type Tick = Stream extends AsyncIterable<infer T> ? T : never;

/** What makes ticks. */
export interface TickSource {
  readonly clock: Clock;
  /** When the board was opened, on the monotonic clock. */
  readonly openedAt: number;
  readonly intervalMs: number;
}

/** The number of ticks that an interrupt has had. */
export function ticksSoFar({ clock, openedAt, intervalMs }: TickSource): number {
  return Math.floor((clock.monotonic() - openedAt) / intervalMs);
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * The next ticks of the interrupts `names`, of which at most `capacity` wait to be read. They are computed when they are
 * read, so that no timer runs meanwhile (D46).
 */
export class TickStream implements Stream {
  readonly #source: TickSource;
  readonly #names: readonly string[];
  readonly #capacity: number;
  readonly #ending = new AbortController();
  readonly #ended: AbortSignal;
  /** The place of the next tick among those of all interrupts since the board was opened. */
  #next: number;
  #dropped = 0;

  constructor(
    source: TickSource,
    names: readonly string[],
    { capacity, signal }: { readonly capacity: number; readonly signal: AbortSignal | undefined },
  ) {
    const { signal: own } = this.#ending;
    this.#source = source;
    this.#names = names;
    this.#capacity = capacity;
    this.#ended = signal ? AbortSignal.any([signal, own]) : own;
    this.#next = ticksSoFar(source) * names.length;
  }

  get dropped(): number {
    if (!this.#ended.aborted) this.#drop();
    return this.#dropped;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Tick, undefined>> {
    if (this.#ended.aborted || this.#names.length === 0) return DONE;
    this.#drop();
    const place = this.#next++;
    const { clock, openedAt, intervalMs } = this.#source;
    const count = Math.floor(place / this.#names.length) + 1;
    const due = openedAt + count * intervalMs;
    if (!(await isReached(due, clock, this.#ended))) return DONE;
    const name = this.#names[place % this.#names.length] ?? '';
    const at = clock.now() - Math.round(clock.monotonic() - due);
    return { value: { name, count, high: isHigh(count), at } };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#ending.abort();
    return await Promise.resolve(DONE);
  }

  /** Drops the oldest ticks that have come and are more than `capacity`. */
  #drop(): void {
    const come = ticksSoFar(this.#source) * this.#names.length;
    const excess = Math.max(0, come - this.#capacity - this.#next);
    this.#dropped += excess;
    this.#next += excess;
  }
}

/** The level of a pin after `count` ticks: each one changes it. */
export function isHigh(count: number): boolean {
  return count % 2 === 1;
}

/** Waits until the monotonic clock shows `due`; false if `ended` aborts first. */
async function isReached(due: number, clock: Clock, ended: AbortSignal): Promise<boolean> {
  // A timer may end a little early.
  for (let left = due - clock.monotonic(); left > 0; left = due - clock.monotonic()) {
    try {
      await clock.sleep(left, ended);
    } catch (error) {
      if (ended.aborted) return false;
      throw error;
    }
  }
  return true;
}
