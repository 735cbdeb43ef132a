import { DatabaseError } from '../sqlite/database-error.ts';
import type { Catalogue, Changes } from './catalogue.ts';

/** Those who wait for a change of the catalogue, and what wakes them. */
export interface ChangeFeed {
  /**
   * The changes after `sequence`: at once where there are some, or where the catalogue is behind it;
   * else when the next one comes, after `ms` without any, or when `signal` says that nobody waits any more.
   */
  wait(sequence: number, ms: number, signal: AbortSignal): Promise<Changes>;
  /** Looks for changes now, as somebody does who made one. */
  look(): void;
  /** Lets all go that wait, with what there is. Nobody waits afterwards. */
  close(): void;
}

/** How often changes of other processes are looked for. */
const LOOK_MS = 200;

export function changeFeed(catalogue: Catalogue): ChangeFeed {
  const waiting = new Set<() => void>();
  let seen = catalogue.sequence();
  let isOpen = true;

  const wakeAll = (): void => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const look = (): void => {
    const sequence = sequenceOf(catalogue);
    if (sequence === undefined || sequence === seen) return;
    seen = sequence;
    wakeAll();
  };
  const timer = setInterval(look, LOOK_MS);

  return {
    look,
    async wait(sequence, ms, signal) {
      const changes = catalogue.changes(sequence);
      const isNews = changes.modules.length > 0 || changes.sequence < sequence;
      if (isNews || ms <= 0 || !isOpen || signal.aborted) return changes;
      // Others may wait for what this one knows already.
      look();
      await sleepUntil(waiting, ms, signal);
      return catalogue.changes(sequence);
    },
    close() {
      isOpen = false;
      clearInterval(timer);
      wakeAll();
    },
  };
}

/** Until somebody calls what this adds to `waiting`, `ms` are over, or `signal` is aborted. */
async function sleepUntil(
  waiting: Set<() => void>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timeout = setTimeout(resolve, ms);
  waiting.add(resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timeout);
  waiting.delete(resolve);
}

/** Undefined while the file cannot be read: the next look may see more. */
function sequenceOf(catalogue: Catalogue): number | undefined {
  try {
    return catalogue.sequence();
  } catch (error) {
    if (error instanceof DatabaseError) return undefined;
    throw error;
  }
}
