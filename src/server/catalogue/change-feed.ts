import { realpathSync, watch } from 'node:fs';
import { systemClock, type Clock } from '../../registry/clock.ts';
import { IN_MEMORY } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import type { OtherNews } from '../configs/config-wait.ts';
import { alarms, type Alarms } from './alarms.ts';
import { waiters, type Waiters } from './waiters.ts';
import type { Changes } from './catalogue-results.ts';
import type { Catalogue } from './catalogue.ts';

/** Long polling over a catalogue: callers wait for its next change. */
export interface ChangeFeed {
  /**
   * Resolves with the changes after the number `sequence`: immediately if there are any, or if the catalogue's
   * own number is lower, which means that it is a different catalogue; else at the next change, after `ms`
   * milliseconds, or when `signal` aborts. Rejects with a DatabaseError.
   */
  wait(sequence: number, ms: number, signal: AbortSignal, about?: WaitedFor): Promise<Changes>;
  /** Resolves once the catalogue has the number `sequence`, with true, or after `ms` milliseconds, with false. */
  reaches(sequence: number, ms: number, signal: AbortSignal): Promise<boolean>;
  /**
   * Resolves all waits with the changes so far, and stops the timer. Later waits resolve immediately. The catalogue may be
   * closed right after this call.
   */
  close(): void;
}

/** What one wait is about, beside the changes of all modules. */
interface WaitedFor {
  /** Only their changes count. */
  readonly modules?: ReadonlySet<string> | undefined;
  /** What ends the wait as well. */
  readonly other?: OtherNews | undefined;
}

/** How often to check for changes by others if no write to the log is noticed. */
const LOOK_MS = 200;

/**
 * Watches `catalogue` until the feed is closed; a timer keeps the process alive until then, unless the catalogue is in
 * memory. `clock` ends waits. Throws a DatabaseError if the catalogue cannot be read.
 */
export function changeFeed(catalogue: Catalogue, clock: Clock = systemClock): ChangeFeed {
  const waiting = waiters();
  const parts = { waiting, alarms: alarms(clock) };
  let isOpen = true;
  const look = lookAt(catalogue, (modules) => waiting.wake(modules));
  catalogue.watchers.add(look);
  const stopWatchingOthers = watchOthers(catalogue.path, look);

  return {
    async wait(sequence, ms, signal, about = {}) {
      const read = (): Changes => changesOf(catalogue.changes(sequence), about.modules);
      const changes = read();
      const isNews = changes.modules.length > 0 || changes.sequence < sequence;
      if (isNews || ms <= 0 || !isOpen || signal.aborted) return changes;
      // This caller may know a change that earlier callers still wait for.
      look();
      if (about.other?.isThere()) return read();
      return nextRead(read, parts, { ...about, ms, signal });
    },
    async reaches(sequence, ms, signal) {
      const ends = clock.monotonic() + ms;
      for (let left = ms; catalogue.sequence() < sequence; left = ends - clock.monotonic()) {
        if (left <= 0 || !isOpen || signal.aborted) return false;
        await nextRead(() => undefined, parts, { ms: left, signal });
      }
      return true;
    },
    close() {
      isOpen = false;
      catalogue.watchers.delete(look);
      stopWatchingOthers();
      waiting.wake(undefined);
    },
  };
}

/**
 * The result of `read` at the next change, after `ms`, or when `signal` aborts. It is read at once, while the catalogue is certainly open. Ten
 * thousand machines may wait: a wait holds no AbortSignal, no timer and no function in progress, which took 6 kB.
 */
function nextRead<T>(
  read: () => T,
  parts: { readonly waiting: Waiters; readonly alarms: Alarms },
  { modules, other, ms, signal }: WaitedFor & { readonly ms: number; readonly signal: AbortSignal },
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const wake = (): void => {
    for (const leave of leaves) leave();
    signal.removeEventListener('abort', wake);
    try {
      resolve(read());
    } catch (error) {
      reject(error);
    }
  };
  const leaves = [parts.waiting.add(wake, modules), parts.alarms.add(ms, wake)];
  if (other) leaves.push(other.watch(wake));
  signal.addEventListener('abort', wake, { once: true });
  return promise;
}

/**
 * Looks whether the catalogue has changed since the last time. Then it calls `wake` with the changed modules, or with undefined if it
 * is another catalogue, whose numbers tell nothing about that.
 */
function lookAt(
  catalogue: Catalogue,
  wake: (modules: readonly string[] | undefined) => void,
): () => boolean {
  let seen = catalogue.sequence();
  let history = catalogue.history();
  catalogue.configs.look();
  return () => {
    const sequence = readable(() => catalogue.sequence());
    const isServed = readable(() => catalogue.configs.look()) ?? false;
    if (sequence === undefined || sequence === seen) return isServed;
    const changes = readable(() => catalogue.changes(seen));
    const isSame = changes?.history === history && sequence > seen;
    wake(isSame ? changes.modules : undefined);
    seen = sequence;
    history = changes?.history ?? history;
    return true;
  };
}

/** Calls `look` when another process, or another object of this one, may have changed the file. The result stops that. */
function watchOthers(path: string, look: () => boolean): () => void {
  if (path === IN_MEMORY) return () => undefined;
  const timer = setInterval(look, LOOK_MS);
  const stopWatching = watchLog(path, look);
  return () => {
    stopWatching();
    clearInterval(timer);
  };
}

/** Calls `look` after each write to the write-ahead log, until it finds a change. The result stops that. */
function watchLog(path: string, look: () => boolean): () => void {
  let next: NodeJS.Timeout | undefined;
  // A transaction is visible only some time after it was written, when the disk has it.
  const lookUntilNews = (delayMs: number): void => {
    clearTimeout(next);
    if (!look() && delayMs < LOOK_MS) next = setTimeout(lookUntilNews, delayMs, 2 * delayMs);
  };
  try {
    const log = `${realpathSync(path)}-wal`;
    const watcher = watch(log, { persistent: false }, () => lookUntilNews(1));
    watcher.on('error', () => watcher.close());
    return () => {
      watcher.close();
      clearTimeout(next);
    };
  } catch {
    // There is no log, or the system has no watches left: the timer finds changes.
    return () => undefined;
  }
}

function changesOf(changes: Changes, modules: ReadonlySet<string> | undefined): Changes {
  if (!modules) return changes;
  return { ...changes, modules: changes.modules.filter((id) => modules.has(id)) };
}

/** Undefined while the file cannot be read: the next check may succeed. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DatabaseError) return undefined;
    throw error;
  }
}
