import type { Clock } from '../registry/clock.ts';
import type { ChangeLog, LoggedEvent } from '../server/catalogue/change-log.ts';
import { appliedEvents, type AppliedEvents } from './applied-events.ts';
import type { EventStream } from './event-stream.ts';
import { pauseWith } from './pause.ts';
import { refill } from './refill.ts';

/** Applies the events of a stream to a catalogue, in order. */
export interface Follower extends Pick<AppliedEvents, 'resultOf'> {
  /** Resolves with true once the event with this number is applied, or with false after `ms` milliseconds. */
  readonly reaches: (sequence: number, ms: number) => Promise<boolean>;
  /** Whether this front fills a stream that was lost, or has just done so: others may have more to fill in. */
  readonly isFilling: () => boolean;
  /** Why it stopped; undefined while it follows. */
  readonly trouble: () => string | undefined;
  /** Ends it. */
  readonly stop: () => Promise<void>;
}

export interface FollowerOptions {
  readonly clock: Pick<Clock, 'sleep' | 'monotonic'>;
  /** Called when it stops by itself, when the stream cannot be reached, and when it can be again. */
  readonly onEvent: (event: FollowerEvent) => void;
}

export type FollowerEvent =
  | { readonly kind: 'stopped' | 'unreachable'; readonly message: string }
  | { readonly kind: 'following' | 'refilled'; readonly sequence: number };

/** How long to wait for news; a lost message delays an event by as much. */
const LONGEST_PAUSE_MS = 500;
const SHORTEST_PAUSE_MS = 2;
/** How many events to read at once while the catalogue is behind. */
const AT_ONCE = 32;
/** So long after the nodes are back, each front has reached them and filled in what it knows. */
const FILLING_MS = 10_000;

/**
 * Follows the stream until it is stopped, or until an event cannot be applied. It reads by number, and needs no consumer, which would
 * need a leader.
 */
export function follower(log: ChangeLog, stream: EventStream, options: FollowerOptions): Follower {
  const { clock, onEvent } = options;
  const stopping = new AbortController();
  const events = appliedEvents(log);
  const pause = pauseWith(clock);
  const stopNews = stream.onNews(pause.wake);
  let trouble: string | undefined;
  const stopBecause = (message: string): void => {
    trouble = message;
    onEvent({ kind: 'stopped', message });
    stopping.abort();
  };
  const { mend, isFilling } = menderOf(log, stream, options);
  const readFrom = readerOf(stream, clock);
  const round = roundsOf(log, { events, readFrom, mend, onEvent, stopBecause });
  const ended = repeated(round, pause, stopping.signal);
  return {
    async reaches(sequence, ms) {
      const over = new AbortController();
      const leave = events.onEach(() => {
        if (log.last() >= sequence) over.abort();
      });
      pause.wake();
      const signal = AbortSignal.any([over.signal, stopping.signal]);
      if (log.last() < sequence) await clock.sleep(ms, signal).catch(() => undefined);
      leave();
      return log.last() >= sequence;
    },
    resultOf: events.resultOf,
    isFilling,
    trouble: () => trouble,
    async stop() {
      stopNews();
      stopping.abort();
      await ended;
    },
  };
}

/** Appends what the stream has lost. Why this front must not follow it, or undefined. */
type Mend = () => Promise<string | undefined>;

/** Reads once, after a check if that is due. Whether there was an event. */
type Round = (isQuiet: boolean, signal: AbortSignal) => Promise<boolean>;

async function repeated(
  round: Round,
  pause: ReturnType<typeof pauseWith>,
  signal: AbortSignal,
): Promise<void> {
  let ms = LONGEST_PAUSE_MS;
  while (!signal.aborted) {
    const isBehind = await round(ms >= LONGEST_PAUSE_MS, signal);
    const isWoken = isBehind || (await pause.sleep(ms, signal));
    ms = isWoken ? SHORTEST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, 2 * ms);
  }
}

interface RoundParts extends Pick<FollowerOptions, 'onEvent'> {
  readonly events: AppliedEvents;
  readonly readFrom: ReadFrom;
  readonly mend: Mend;
  readonly stopBecause: (message: string) => void;
}

function roundsOf(
  log: ChangeLog,
  { events, readFrom, mend, onEvent, stopBecause }: RoundParts,
): Round {
  let isReachable = true;
  let isBehind = true;
  /** Applies what is there. Whether there was anything. */
  const advance = async (signal: AbortSignal): Promise<boolean> => {
    const found = await readFrom(log.last() + 1, isBehind ? AT_ONCE : 1);
    for (const event of found) {
      if (!event || signal.aborted) break;
      const message = events.apply(event);
      if (message !== undefined) stopBecause(message);
    }
    return found[0] !== undefined;
  };
  return async (isQuiet, signal) => {
    try {
      const message = isQuiet ? await mend() : undefined;
      if (message !== undefined) stopBecause(message);
      isBehind = await advance(signal);
      if (!isReachable) onEvent({ kind: 'following', sequence: log.last() });
      isReachable = true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (isReachable && !signal.aborted) onEvent({ kind: 'unreachable', message });
      [isReachable, isBehind] = [false, false];
    }
    return isBehind;
  };
}

/** The events with `count` numbers from `first`; undefined for those that the stream does not have. */
type ReadFrom = (first: number, count: number) => Promise<(LoggedEvent | undefined)[]>;

/** The node that answers may be behind the leader for long: what it lacks is read from the leader. */
function readerOf(stream: EventStream, clock: FollowerOptions['clock']): ReadFrom {
  let newest = 0;
  let checkedAt = -Infinity;
  return async (first, count) => {
    if (clock.monotonic() - checkedAt >= LONGEST_PAUSE_MS) {
      newest = await stream.last();
      checkedAt = clock.monotonic();
    }
    const numbers = Array.from({ length: count }, (_none, place) => first + place);
    const found = await Promise.all(numbers.map(async (one) => await stream.read(one)));
    if (!found[0] && newest >= first) return [await stream.readAtLeader(first)];
    return found;
  };
}

/** What fills a stream that was lost, and whether it did so a moment ago. */
function menderOf(
  log: ChangeLog,
  stream: EventStream,
  { clock, onEvent }: FollowerOptions,
): Pick<Follower, 'isFilling'> & { readonly mend: Mend } {
  let filledAt = -Infinity;
  const onFill = (): void => {
    filledAt = clock.monotonic();
  };
  return {
    isFilling: () => clock.monotonic() - filledAt < FILLING_MS,
    async mend() {
      const { message, refilled } = await refill(log, stream, onFill);
      if (refilled > 0) onEvent({ kind: 'refilled', sequence: log.last() });
      return message;
    },
  };
}
