import type { Clock } from '../registry/clock.ts';
import type {
  CatalogueChange,
  ChangeKind,
  ChangeResults,
} from '../server/catalogue/catalogue-change.ts';
import type { ChangeLog, LoggedEvent } from '../server/catalogue/change-log.ts';
import { decodeEvent } from './event.ts';
import type { EventStream } from './event-stream.ts';
import { refill } from './refill.ts';

/** Applies the events of a stream to a catalogue, in order. */
export interface Follower {
  /** Resolves with true once the event with this number is applied, or with false after `ms` milliseconds. */
  readonly reaches: (sequence: number, ms: number) => Promise<boolean>;
  /** What the change of the event with this id resulted in, if it was applied since this program began. */
  readonly resultOf: (id: string) => ChangeResults[ChangeKind] | undefined;
  /** Why it stopped; undefined while it follows. */
  readonly trouble: () => string | undefined;
  /** Ends it. */
  readonly stop: () => Promise<void>;
}

export interface FollowerOptions {
  readonly clock: Pick<Clock, 'sleep'>;
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
/** How many results to keep: of the changes that are being written. */
const KEPT_RESULTS = 10_000;

/**
 * Follows the stream until it is stopped, or until an event cannot be applied. It reads by number, and needs no consumer, which would
 * need a leader.
 */
export function follower(
  log: ChangeLog,
  stream: EventStream,
  { clock, onEvent }: FollowerOptions,
): Follower {
  const stopping = new AbortController();
  const results = new Map<string, ChangeResults[ChangeKind]>();
  const waiting = new Set<() => void>();
  let trouble: string | undefined;
  let isReachable = true;
  let news = Promise.withResolvers<void>();
  const stopNews = stream.onNews(() => news.resolve());

  const stopBecause = (message: string): void => {
    trouble = message;
    onEvent({ kind: 'stopped', message });
    stopping.abort();
  };
  const apply = (event: LoggedEvent): void => {
    const decoded = decodeEvent(event.body);
    if (!decoded.ok) {
      return stopBecause(`event ${event.sequence} cannot be applied: ${decoded.error.message}`);
    }
    if (decoded.value.kind === 'begin') log.begin(event, decoded.value.history);
    else keep(event.id, applied(log, event, decoded.value));
    for (const look of waiting) look();
  };
  const keep = (id: string, result: ChangeResults[ChangeKind]): void => {
    results.set(id, result);
    const [oldest] = results.keys();
    if (results.size > KEPT_RESULTS && oldest !== undefined) results.delete(oldest);
  };
  const unreachable = (error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    if (isReachable) onEvent({ kind: 'unreachable', message });
    isReachable = false;
  };
  const reached = (): void => {
    if (!isReachable) onEvent({ kind: 'following', sequence: log.last() });
    isReachable = true;
  };

  /** Applies what is there; whether there was anything. */
  const advance = async (isBehind: boolean): Promise<boolean> => {
    const next = log.last() + 1;
    const numbers = Array.from({ length: isBehind ? AT_ONCE : 1 }, (_none, place) => next + place);
    const events = await Promise.all(numbers.map(async (one) => await stream.read(one)));
    for (const event of events) {
      if (!event || stopping.signal.aborted) break;
      apply(event);
    }
    return events[0] !== undefined;
  };
  const check = async (): Promise<void> => {
    const { message, refilled } = await refill(log, stream);
    if (refilled > 0) onEvent({ kind: 'refilled', sequence: log.last() });
    if (message !== undefined) stopBecause(message);
  };

  const follow = async (): Promise<void> => {
    let pause = LONGEST_PAUSE_MS;
    let isBehind = true;
    while (!stopping.signal.aborted) {
      try {
        // A stream that was lost, or is another one, has other events under the same numbers.
        if (pause >= LONGEST_PAUSE_MS) await check();
        isBehind = await advance(isBehind);
        reached();
      } catch (error) {
        if (stopping.signal.aborted) return;
        unreachable(error);
        isBehind = false;
      }
      if (isBehind) {
        pause = SHORTEST_PAUSE_MS;
        continue;
      }
      const woken = await pausedFor(pause);
      pause = woken ? SHORTEST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, 2 * pause);
    }
  };
  /** Whether news ended the pause. */
  const pausedFor = async (ms: number): Promise<boolean> => {
    const over = new AbortController();
    const ended = AbortSignal.any([over.signal, stopping.signal]);
    const slept = clock.sleep(ms, ended).then(
      () => false,
      () => false,
    );
    const woken = await Promise.race([news.promise.then(() => true), slept]);
    over.abort();
    if (woken) news = Promise.withResolvers<void>();
    return woken;
  };

  const ended = follow();
  return {
    async reaches(sequence, ms) {
      if (log.last() >= sequence) return true;
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (log.last() >= sequence) resolve();
      };
      waiting.add(look);
      news.resolve();
      const over = new AbortController();
      await Promise.race([
        promise,
        clock.sleep(ms, AbortSignal.any([over.signal, stopping.signal])).catch(() => undefined),
      ]);
      over.abort();
      waiting.delete(look);
      return log.last() >= sequence;
    },
    resultOf: (id) => results.get(id),
    trouble: () => trouble,
    async stop() {
      stopNews();
      stopping.abort();
      await ended;
    },
  };
}

function applied<K extends ChangeKind>(
  log: ChangeLog,
  event: LoggedEvent,
  change: CatalogueChange<K>,
): ChangeResults[K] {
  return log.apply(event, change);
}
