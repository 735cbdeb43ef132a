import type { ModuleId } from '../core/index.ts';
import { DEFAULT_TERMS } from '../core/update-policy.ts';
import { systemClock, type Clock } from './clock.ts';
import { refresh, type Memory, type Refreshed } from './refresh.ts';
import { RegistryError } from './registry-error.ts';
import type { Reading, Registry } from './registry.ts';
import { RememberedLists } from './remembered-lists.ts';
import type { RemoteRegistry } from './remote-registry.ts';
import { retryBudget } from './retry.ts';
import { refreshAll } from './round.ts';
import type { SavedList, SavedLists, SavedListsError } from './saved-lists.ts';
import { answerOf, standIn } from './stand-in.ts';

export interface CacheOptions {
  /** Where lists outlive the process. Without it they are kept in memory only. */
  readonly saved?: SavedLists | undefined;
  readonly clock?: Clock;
  /** A list that was confirmed so lately is taken without asking; 0 unless given. */
  readonly maxAgeMs?: number;
  /** How long ago a list was confirmed at most that stands in for the registry's; seven days unless given. */
  readonly maxIndexAgeMs?: number;
  /** Answers from the lists that are known, and asks nobody. */
  readonly isOffline?: boolean;
  /** Told where saved lists cannot be read or written. Answers go on without them. */
  readonly onTrouble?: (error: SavedListsError) => void;
}

export interface CachedRegistry extends Registry {
  /**
   * The lists of many modules in one round: where the registry has a feed of its changes, one request
   * tells which of them are still what they were. Rejects only with the reason of `signal`.
   */
  readAll(
    moduleIds: readonly ModuleId[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<ModuleId, Reading>>;
}

/**
 * `remote` with a memory: a list is asked for on the condition that it changed, by one request at a time,
 * and a known one stands in where it cannot be had. (D21, D22)
 */
export function cachedRegistry(remote: RemoteRegistry, options: CacheOptions = {}): CachedRegistry {
  const { saved, clock = systemClock, maxAgeMs = 0, isOffline = false } = options;
  const { maxIndexAgeMs = DEFAULT_TERMS.maxIndexAgeMs, onTrouble = () => undefined } = options;
  const { from } = remote;
  const lists = new RememberedLists(remote.address, saved, onTrouble);
  const memory: Memory = { remote, lists, clock };
  const refreshOnce = joined(async (moduleId: ModuleId, signal: AbortSignal | undefined) => {
    return await refresh(moduleId, memory, { budget: retryBudget(), signal });
  });
  const answer = (moduleId: ModuleId, refreshed: Refreshed): Reading => {
    if (!(refreshed instanceof RegistryError)) {
      return { ok: true, value: answerOf(refreshed, from, 'network') };
    }
    const list = lists.get(moduleId);
    return standIn(refreshed, { list, from, now: clock.now(), maxIndexAgeMs });
  };
  return {
    async read(moduleId, signal) {
      const known = lists.get(moduleId);
      if (known && isYoung(known, clock.now(), maxAgeMs)) return answerOf(known, from, 'saved');
      const refreshed = isOffline
        ? offline(moduleId, from, known)
        : await refreshOnce(moduleId, signal);
      const reading = answer(moduleId, refreshed);
      if (!reading.ok) throw reading.error;
      return reading.value;
    },
    async readAll(moduleIds, signal) {
      const refreshed = isOffline
        ? new Map(moduleIds.map((id) => [id, offline(id, from, lists.get(id))]))
        : await refreshAll(moduleIds, memory, { budget: retryBudget(), signal });
      return new Map(Array.from(refreshed, ([id, list]) => [id, answer(id, list)]));
    },
  };
}

function isYoung({ confirmedAt }: SavedList, now: number, maxAgeMs: number): boolean {
  return now >= confirmedAt && now - confirmedAt < maxAgeMs;
}

function offline(moduleId: ModuleId, from: string, known: SavedList | undefined): RegistryError {
  const and = known ? '' : `, and no list of ${moduleId} is saved`;
  const message = `offline, the registry ${from} is not asked${and}`;
  return new RegistryError('registry-unreachable', message);
}

/** `work`, which those who ask for the same while it is under way share. */
function joined<K, A, T>(work: (key: K, argument: A) => Promise<T>): typeof work {
  const underWay = new Map<K, Promise<T>>();
  return async (key, argument) => {
    const flight = underWay.get(key) ?? work(key, argument).finally(() => underWay.delete(key));
    underWay.set(key, flight);
    return await flight;
  };
}
