import type { Clock } from '../registry/clock.ts';
import { Pause } from '../registry/pause.ts';

/** Messages that are numbered without gaps. Methods reject if the stream cannot be reached now. */
interface NumberedStream<M> {
  /** The message with this number; undefined if the node that answers does not have it, or not yet. */
  readonly read: (sequence: number) => Promise<M | undefined>;
  readonly readAtLeader: (sequence: number) => Promise<M | undefined>;
  readonly onNews: (wake: () => void) => () => void;
}

/** What a front does with the messages of a stream. */
export interface Applying<M> {
  /** How many messages are read at once while the front is behind. */
  readonly atOnce: number;
  /** Whether it takes none now. */
  readonly isWaiting?: () => boolean;
  /** Asks the leader for the number of the newest message. */
  readonly newest: () => Promise<number>;
  /** The number of the message to read next. `isQuiet`: there was no news for a while. */
  readonly next: (isQuiet: boolean) => number | Promise<number>;
  readonly apply: (message: M, sequence: number) => void;
  /** Called after each round, with the error that ended it if one did. The message is then read again. */
  readonly onRound: (error: unknown) => void;
}

interface FollowOptions {
  readonly clock: Pick<Clock, 'sleep' | 'monotonic'>;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** How long to wait for news; a lost message delays an event by as much. */
const LONGEST_PAUSE_MS = 500;
/** The news of a message arrives before the message can be read. */
const SHORTEST_PAUSE_MS = 2;

/** Applies the messages of `stream` in order. It reads by number, and needs no consumer, which would need a leader. */
export function followStream<M>(
  stream: NumberedStream<M>,
  applying: Applying<M>,
  { clock, signal }: FollowOptions,
): { readonly wake: () => void; readonly ended: Promise<void> } {
  const pause = new Pause(clock);
  const wake = (): void => pause.end();
  const stopNews = stream.onNews(wake);
  signal.addEventListener('abort', wake);
  const round = roundsOf(stream, applying, { clock, signal });
  const follow = async (): Promise<void> => {
    let ms = LONGEST_PAUSE_MS;
    while (!signal.aborted) {
      const isWoken = (await round(ms >= LONGEST_PAUSE_MS)) || (await pause.sleep(ms));
      ms = isWoken ? SHORTEST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, 2 * ms);
    }
    stopNews();
  };
  return { wake, ended: follow() };
}

/** Reads and applies once. The result of a call is whether there was a message. */
function roundsOf<M>(
  stream: NumberedStream<M>,
  { atOnce, isWaiting = () => false, newest, next, apply, onRound }: Applying<M>,
  { clock, signal }: FollowOptions,
): (isQuiet: boolean) => Promise<boolean> {
  let isBehind = true;
  let last = 0;
  let checkedAt = -Infinity;
  const look = async (): Promise<void> => {
    if (clock.monotonic() - checkedAt < LONGEST_PAUSE_MS) return;
    last = await newest();
    checkedAt = clock.monotonic();
  };
  const readFrom = async (first: number): Promise<(M | undefined)[]> => {
    const numbers = Array.from({ length: isBehind ? atOnce : 1 }, (_none, place) => first + place);
    const found = await Promise.all(numbers.map(async (one) => await stream.read(one)));
    // The node that answers may be behind the leader for long: what it lacks is read from the leader.
    return !found[0] && last >= first ? [await stream.readAtLeader(first)] : found;
  };
  const advance = async (isQuiet: boolean): Promise<boolean> => {
    if (isWaiting()) return false;
    await look();
    const first = await next(isQuiet);
    const found = await readFrom(first);
    for (const [place, message] of found.entries()) {
      if (!message || signal.aborted) break;
      apply(message, first + place);
    }
    return found[0] !== undefined;
  };
  return async (isQuiet) => {
    let failure: unknown;
    isBehind = await advance(isQuiet).catch((error: unknown) => {
      failure = error;
      return false;
    });
    onRound(failure);
    return isBehind;
  };
}
