import { excerpt } from '../core/text/quote.ts';
import type { Clock } from '../registry/clock.ts';
import type { ChangeLog, LoggedEvent } from '../server/catalogue/change-log.ts';
import type { Replica } from '../server/registry-options.ts';
import { DatabaseError, foundTwice } from '../sqlite/database-error.ts';
import { appliedEvents, type AppliedEvents } from './applied-events.ts';
import type { EventStream } from './event-stream.ts';
import { followStream, type Applying } from './follow-stream.ts';
import { heldEvents, nameOf, type HeldEvents } from './held-events.ts';
import { refill } from './refill.ts';

/** Applies the events of a stream to a catalogue, in order. */
export interface Follower
  extends Pick<AppliedEvents, 'resultOf'>, Pick<Replica, 'withheld' | 'isConfirmed'> {
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

/** With the 20 s after which a leader without a majority is none any more, a minute (D168). */
const CONFIRMED_MS = 40_000;

/** How many events to read at once while the catalogue is behind. */
const AT_ONCE = 32;

/**
 * Follows the stream until it is stopped. From an event on that cannot be applied, it only looks which modules events concern, until the
 * program is started again (T259).
 */
export function follower(log: ChangeLog, stream: EventStream, options: FollowerOptions): Follower {
  const { clock, onEvent } = options;
  const [stopping, over] = [new AbortController(), new AbortController()];
  const events = appliedEvents(log, (event, message) => {
    onEvent({ kind: 'mended', sequence: event.sequence, message: `${nameOf(event)}: ${message}` });
  });
  let trouble: string | undefined;
  let confirmedAt = -Infinity;
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
  const { signal } = stopping;
  const confirm = (): void => void (confirmedAt = clock.monotonic());
  const parts = { events, onEvent, stopBecause, hold, confirm, held: () => held, signal };
  const { wake, ended } = followStream(stream, applyingTo(log, stream, parts), { clock, signal });
  const ends = AbortSignal.any([signal, over.signal]);
  return {
    reaches: async (sequence, ms) =>
      await reached({ log, events, clock, wake, ends }, sequence, ms),
    resultOf: events.resultOf,
    trouble: () => trouble ?? held?.withheld().message,
    withheld: () => held?.withheld(),
    isConfirmed: (since) =>
      since === undefined ? clock.monotonic() - confirmedAt < CONFIRMED_MS : confirmedAt >= since,
    async stop() {
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

interface ApplyingParts {
  readonly events: AppliedEvents;
  readonly onEvent: FollowerOptions['onEvent'];
  readonly stopBecause: (message: string) => void;
  /** Holds back an event that cannot be applied, and all later ones. */
  readonly hold: (event: LoggedEvent, why: string) => void;
  /** The leader has answered, and this front has applied what it has. */
  readonly confirm: () => void;
  readonly held: () => HeldEvents | undefined;
  readonly signal: AbortSignal;
}

function applyingTo(
  log: ChangeLog,
  stream: EventStream,
  { events, onEvent, stopBecause, hold, confirm, held, signal }: ApplyingParts,
): Applying<LoggedEvent> {
  let isReachable = true;
  let mended: string | undefined;
  return {
    atOnce: AT_ONCE,
    newest: async () => await stream.last(),
    async next(isQuiet) {
      // What this front knows may be missing from a stream that is new, and other events may have its numbers.
      if (isQuiet || !isReachable || stream.created() !== mended) {
        const message = await mend(log, stream, onEvent);
        if (message !== undefined) stopBecause(message);
        if (stream.created() !== mended) held()?.lookAgain();
        mended = stream.created();
      }
      return held()?.next() ?? log.last() + 1;
    },
    apply(event) {
      const holding = held();
      const why = holding ? holding.add(event) : applied(events, event);
      if (why !== undefined) hold(event, why);
    },
    onRound(error) {
      const was = isReachable;
      isReachable = error === undefined;
      if (isReachable) confirm();
      if (signal.aborted || was === isReachable) return;
      if (isReachable) onEvent({ kind: 'following', sequence: log.last() });
      else onEvent({ kind: 'unreachable', message: messageOf(error) });
    },
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
  return excerpt(messageOf(error));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
