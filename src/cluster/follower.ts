import { excerpt } from '../core/text/quote.ts';
import type { Clock } from '../registry/clock.ts';
import type { ChangeLog, LoggedEvent } from '../server/catalogue/change-log.ts';
import type { Replica } from '../server/registry-options.ts';
import { DatabaseError, foundTwice } from '../sqlite/database-error.ts';
import { appliedEvents, type AppliedEvents } from './applied-events.ts';
import type { EventStream } from './event-stream.ts';
import { heldEvents, nameOf, type HeldEvents } from './held-events.ts';
import { pauseWith } from './pause.ts';
import { refill } from './refill.ts';

/** Applies the events of a stream to a catalogue, in order. */
export interface Follower extends Pick<AppliedEvents, 'resultOf'>, Pick<Replica, 'withheld'> {
  /** Resolves with true once the event with this number is applied, or with false after `ms` milliseconds. */
  readonly reaches: (sequence: number, ms: number) => Promise<boolean>;
  /** Why it stopped, or holds events back; undefined while it follows. */
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
  | { readonly kind: 'held' | 'mended'; readonly sequence: number; readonly message: string }
  | { readonly kind: 'following' | 'refilled'; readonly sequence: number };

/** How long to wait for news; a lost message delays an event by as much. */
const LONGEST_PAUSE_MS = 500;
const SHORTEST_PAUSE_MS = 2;
/** How many events to read at once while the catalogue is behind. */
const AT_ONCE = 32;

/**
 * Follows the stream until it is stopped. From an event on that cannot be applied, it only looks which modules events concern, until the
 * program is started again (T259). It reads by number, and needs no consumer, which would need a leader.
 */
export function follower(log: ChangeLog, stream: EventStream, options: FollowerOptions): Follower {
  const { clock, onEvent } = options;
  const [stopping, over] = [new AbortController(), new AbortController()];
  const events = appliedEvents(log, (event, message) => {
    onEvent({ kind: 'mended', sequence: event.sequence, message: `${nameOf(event)}: ${message}` });
  });
  const pause = pauseWith(clock);
  const stopNews = stream.onNews(pause.wake);
  let trouble: string | undefined;
  let held: HeldEvents | undefined;
  const stopBecause = (message: string): void => {
    trouble = message;
    onEvent({ kind: 'stopped', message });
    stopping.abort();
  };
  const hold = (event: LoggedEvent, why: string): void => {
    held = heldEvents(event, why);
    onEvent({ kind: 'held', sequence: event.sequence, message: held.withheld().message });
    over.abort();
  };
  const parts = { clock, events, onEvent, stopBecause, hold, held: () => held };
  const ended = repeated(roundsOf(log, stream, parts), pause, stopping.signal);
  const ends = AbortSignal.any([stopping.signal, over.signal]);
  return {
    reaches: async (sequence, ms) =>
      await reached({ log, events, clock, wake: pause.wake, ends }, sequence, ms),
    resultOf: events.resultOf,
    trouble: () => trouble ?? held?.withheld().message,
    withheld: () => held?.withheld(),
    async stop() {
      stopNews();
      stopping.abort();
      await ended;
    },
  };
}

interface Waiting extends Pick<FollowerOptions, 'clock'> {
  readonly log: ChangeLog;
  readonly events: AppliedEvents;
  readonly wake: () => void;
  /** Aborts when no further event is applied. */
  readonly ends: AbortSignal;
}

/** Whether the event with this number is applied within `ms` milliseconds. */
async function reached(
  { log, events, clock, wake, ends }: Waiting,
  sequence: number,
  ms: number,
): Promise<boolean> {
  const found = new AbortController();
  const leave = events.onEach(() => {
    if (log.last() >= sequence) found.abort();
  });
  wake();
  const signal = AbortSignal.any([found.signal, ends]);
  if (log.last() < sequence) await clock.sleep(ms, signal).catch(() => undefined);
  leave();
  return log.last() >= sequence;
}

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

interface RoundParts extends FollowerOptions {
  readonly events: AppliedEvents;
  readonly stopBecause: (message: string) => void;
  /** Holds back an event that cannot be applied, and all later ones. */
  readonly hold: (event: LoggedEvent, why: string) => void;
  readonly held: () => HeldEvents | undefined;
}

function roundsOf(log: ChangeLog, stream: EventStream, parts: RoundParts): Round {
  const { events, clock, onEvent, stopBecause, hold, held } = parts;
  let isReachable = true;
  let isBehind = true;
  let mended: string | undefined;
  const reader = readerOf(stream, clock);
  /** Applies what is there. Whether there was anything. */
  const advance = async (signal: AbortSignal): Promise<boolean> => {
    const next = held()?.next() ?? log.last() + 1;
    const found = await reader.readFrom(next, isBehind ? AT_ONCE : 1);
    for (const event of found) {
      if (!event || signal.aborted) break;
      const holding = held();
      const why = holding ? holding.add(event) : applied(events, event);
      if (why !== undefined) hold(event, why);
    }
    return found[0] !== undefined;
  };
  return async (isQuiet, signal) => {
    try {
      await reader.look();
      // What this front knows may be missing from a stream that is new, and other events may have its numbers.
      if (isQuiet || !isReachable || stream.created() !== mended) {
        const message = await mend(log, stream, onEvent);
        if (message !== undefined) stopBecause(message);
        if (stream.created() !== mended) held()?.lookAgain();
        mended = stream.created();
      }
      isBehind = await advance(signal);
      if (!isReachable && !signal.aborted) onEvent({ kind: 'following', sequence: log.last() });
      isReachable = true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (isReachable && !signal.aborted) onEvent({ kind: 'unreachable', message });
      [isReachable, isBehind] = [false, false];
    }
    return isBehind;
  };
}

/**
 * Applies an event; why it cannot be, or undefined. Throws a DatabaseError, which may pass: the disk is full, or too many files are open.
 * What looks like damage, and again, is an event that the file does not take.
 */
function applied(events: AppliedEvents, event: LoggedEvent): string | undefined {
  try {
    return foundTwice(() => events.apply(event));
  } catch (error) {
    if (!(error instanceof DatabaseError)) return describe(error);
    if (error.kind !== 'damaged') throw error;
    // Without the path: clients read it.
    return describe(error.cause);
  }
}

function describe(error: unknown): string {
  return excerpt(error instanceof Error ? error.message : String(error));
}

interface Reader {
  /** Asks the leader for the number of the newest event, if that is due. */
  readonly look: () => Promise<void>;
  /** The events with `count` numbers from `first`; undefined for those that the stream does not have. */
  readonly readFrom: (first: number, count: number) => Promise<(LoggedEvent | undefined)[]>;
}

/** The node that answers may be behind the leader for long: what it lacks is read from the leader. */
function readerOf(stream: EventStream, clock: FollowerOptions['clock']): Reader {
  let newest = 0;
  let checkedAt = -Infinity;
  return {
    async look() {
      if (clock.monotonic() - checkedAt < LONGEST_PAUSE_MS) return;
      newest = await stream.last();
      checkedAt = clock.monotonic();
    },
    async readFrom(first, count) {
      const numbers = Array.from({ length: count }, (_none, place) => first + place);
      const found = await Promise.all(numbers.map(async (one) => await stream.read(one)));
      if (!found[0] && newest >= first) return [await stream.readAtLeader(first)];
      return found;
    },
  };
}

/** Appends what the stream has lost. Why this front must not follow it, or undefined. */
async function mend(
  log: ChangeLog,
  stream: EventStream,
  onEvent: FollowerOptions['onEvent'],
): Promise<string | undefined> {
  const { message, refilled } = await refill(log, stream);
  if (refilled > 0) onEvent({ kind: 'refilled', sequence: log.last() });
  return message;
}
