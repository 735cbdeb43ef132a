import type { ModuleId } from '../core/index.ts';
import { DEFAULT_TERMS } from '../core/machine/update-policy.ts';
import { awaitChange } from './await-change.ts';
import { systemClock, type Clock } from './clock.ts';
import { singleFlight } from './single-flight.ts';
import { refresh, type Memory, type Refreshed } from './refresh.ts';
import { RegistryError } from './registry-error.ts';
import type { CachedRegistry, ListResult } from './registry.ts';
import { RememberedLists } from './remembered-lists.ts';
import type { RemoteRegistry } from './remote-registry.ts';
import { noRetries, retryBudget, type RetryBudget } from './retry-budget.ts';
import { refreshAll } from './refresh-all.ts';
import type { SavedList, SavedLists, SavedListsError } from './saved-lists.ts';
import { answerOf, staleOnError } from './stale-on-error.ts';

/** How a cached registry works: `OpenRegistriesOptions` says what each option does. Nothing is required. */
export interface CacheOptions {
  readonly saved?: SavedLists | undefined;
  readonly clock?: Clock;
  readonly maxAgeMs?: number;
  /** The age in milliseconds up to which a list is used when the registry cannot be reached: seven days by default. */
  readonly maxIndexAgeMs?: number;
  readonly isOffline?: boolean;
  readonly onTrouble?: (error: SavedListsError) => void;
}

/**
 * Caches the lists of `remote`. A known list is fetched again only if it has changed, concurrent reads of a module
 * share one request, and where the registry cannot be reached the known list is used, marked `stale`. A list that is
 * older than, or contradicts, the known one is refused with `registry-regressed`.
 */
export function cachedRegistry(remote: RemoteRegistry, options: CacheOptions = {}): CachedRegistry {
  const { saved, clock = systemClock, onTrouble = () => undefined, isOffline } = options;
  const lists = new RememberedLists(remote.address, saved, onTrouble);
  const memory: Memory = { remote, lists, clock };
  const { answer, unasked } = answersFrom(memory, options);
  const ask = singleFlight(async (moduleId: ModuleId, { budget, sequence }: Asking, signal) => {
    return await refresh(moduleId, memory, { budget, signal }, sequence);
  });
  return {
    async read(moduleId, signal) {
      const one = { budget: retryBudget(), sequence: undefined };
      const reading = unasked(moduleId) ?? answer(moduleId, await ask(moduleId, one, signal));
      if (!reading.ok) throw reading.error;
      return reading.value;
    },
    async readAll(moduleIds, signal) {
      const budget = retryBudget();
      const readings = new Map<ModuleId, ListResult>();
      for (const moduleId of moduleIds) {
        const reading = unasked(moduleId);
        if (reading) readings.set(moduleId, reading);
      }
      const rest = [...new Set(moduleIds)].filter((moduleId) => !readings.has(moduleId));
      const refreshed = await refreshAll(rest, memory, { budget, signal }, async (id, sequence) => {
        return await ask(id, { budget, sequence }, signal);
      });
      for (const [moduleId, list] of refreshed) readings.set(moduleId, answer(moduleId, list));
      return readings;
    },
    async awaitChange(moduleIds, waitMs, signal) {
      if (isOffline === true) return undefined;
      // All who wait are cut off together, and the next round of each finds out.
      return await awaitChange(moduleIds, memory, waitMs, { budget: noRetries(), signal });
    },
  };
}

interface Answers {
  /** What came of asking for the list of a module. */
  readonly answer: (moduleId: ModuleId, refreshed: Refreshed) => ListResult;
  /** What is answered without asking; undefined where the registry has to be asked. */
  readonly unasked: (moduleId: ModuleId) => ListResult | undefined;
}

function answersFrom({ remote, lists, clock }: Memory, options: CacheOptions): Answers {
  const { maxAgeMs = 0, maxIndexAgeMs = DEFAULT_TERMS.maxIndexAgeMs, isOffline } = options;
  const { from } = remote;
  const answer = (moduleId: ModuleId, refreshed: Refreshed): ListResult => {
    if (!(refreshed instanceof RegistryError)) {
      return { ok: true, value: answerOf(refreshed, from, 'network') };
    }
    const list = lists.get(moduleId);
    return staleOnError(refreshed, { list, from, now: clock.now(), maxIndexAgeMs });
  };
  return {
    answer,
    unasked(moduleId) {
      if (maxAgeMs <= 0 && isOffline !== true) return undefined;
      const known = lists.get(moduleId);
      if (known && isWithin(known, clock.now(), Math.min(maxAgeMs, maxIndexAgeMs))) {
        return { ok: true, value: answerOf(known, from, 'saved') };
      }
      return isOffline === true ? answer(moduleId, offline(moduleId, from, known)) : undefined;
    },
  };
}

/** What one request for a module is part of. */
interface Asking {
  readonly budget: RetryBudget;
  readonly sequence: number | undefined;
}

function isWithin({ confirmedAt }: SavedList, now: number, ageMs: number): boolean {
  return now >= confirmedAt && now - confirmedAt < ageMs;
}

function offline(moduleId: ModuleId, from: string, known: SavedList | undefined): RegistryError {
  const and = known ? '' : `, and no list of ${moduleId} is saved`;
  const message = `offline, the registry ${from} is not asked${and}`;
  return new RegistryError('registry-unreachable', message);
}
