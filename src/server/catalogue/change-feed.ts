import { realpathSync, watch } from 'node:fs';
import { systemClock, type Clock } from '../../registry/clock.ts';
import { IN_MEMORY } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import type { Changes } from './catalogue-results.ts';
import type { Catalogue } from './catalogue.ts';

/** Long polling over a catalogue: callers wait for its next change. */
export interface ChangeFeed {
  /**
   * Resolves with the changes after the number `sequence`: immediately if there are any, or if the catalogue's
   * own number is lower, which means that it is a different catalogue; else at the next change, after `ms`
   * milliseconds, or when `signal` aborts. Rejects with a DatabaseError.
   */
  wait(sequence: number, ms: number, signal: AbortSignal): Promise<Changes>;
  /**
   * Resolves all waits with the changes so far, and stops the timer. Later waits resolve immediately. The catalogue may be
   * closed right after this call.
   */
  close(): void;
}

/** How often to check for changes by others if no write to the log is noticed. */
const LOOK_MS = 200;

/**
 * Watches `catalogue` until the feed is closed; a timer keeps the process alive until then, unless the catalogue is in
 * memory. `clock` ends waits. Throws a DatabaseError if the catalogue cannot be read.
 */
export function changeFeed(catalogue: Catalogue, clock: Clock = systemClock): ChangeFeed {
  const waiting = new Set<() => void>();
  /** One for each wait, also for one that was woken and has not gone on yet: it reads the changes while the catalogue is open. */
  const endings = new Set<() => void>();
  let seen = catalogue.sequence();
  let isOpen = true;

  const wakeAll = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const look = (): boolean => {
    const sequence = readable(() => catalogue.sequence());
    if (sequence === undefined || sequence === seen) return false;
    seen = sequence;
    wakeAll();
    return true;
  };
  catalogue.watchers.add(look);
  const stopWatchingOthers = watchOthers(catalogue.path, look);

  return {
    async wait(sequence, ms, signal) {
      const changes = catalogue.changes(sequence);
      const isNews = changes.modules.length > 0 || changes.sequence < sequence;
      if (isNews || ms <= 0 || !isOpen || signal.aborted) return changes;
      // This caller may know a change that earlier callers still wait for.
      look();
      return await readAfter(
        sleepUntil(waiting, ms, { clock, signal }),
        () => catalogue.changes(sequence),
        endings,
      );
    },
    close() {
      isOpen = false;
      for (const end of endings) end();
      catalogue.watchers.delete(look);
      stopWatchingOthers();
      wakeAll();
    },
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

/** The result of `read` after `sleep`, or when the function that this adds to `endings` is called. */
async function readAfter<T>(
  sleep: Promise<void>,
  read: () => T,
  endings: Set<() => void>,
): Promise<T> {
  let last: T | undefined;
  const end = (): void => void (last = readable(read));
  endings.add(end);
  try {
    await sleep;
    return last ?? read();
  } finally {
    endings.delete(end);
  }
}

/** Resolves when the function that this adds to `waiting` is called, after `ms`, or when `signal` aborts. */
async function sleepUntil(
  waiting: Set<() => void>,
  ms: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const woken = new AbortController();
  const wake = (): void => woken.abort();
  waiting.add(wake);
  signal.addEventListener('abort', wake, { once: true });
  try {
    await clock.sleep(ms, woken.signal);
  } catch (error) {
    if (!woken.signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', wake);
    waiting.delete(wake);
  }
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
