import type { ModuleId } from '../core/index.ts';
import { DEFAULT_TERMS } from '../core/machine/update-policy.ts';
import { awaitChange } from './await-change.ts';
import { systemClock, type Clock } from './clock.ts';
import { Feed, type FeedPosition } from './feed.ts';
import { singleFlight } from './single-flight.ts';
import { CertainClock, type KnownTime } from './certain-clock.ts';
import { refresh, settledList, type Memory, type Refreshed } from './refresh.ts';
import { RegistryError } from './registry-error.ts';
import type { CachedRegistry, ListResult, ReleaseList } from './registry.ts';
import { RememberedLists } from './remembered-lists.ts';
import type { RemoteRegistry } from './remote-registry.ts';
import { noRetries, retryBudget, type RetryBudget } from './retry-budget.ts';
import { refreshAll } from './refresh-all.ts';
import type { SavedList, SavedLists, SavedListsError } from './saved-lists.ts';
import type { Wanted } from './wanted-release.ts';
import { releaseListOf, staleOnError } from './stale-on-error.ts';
import { backingOff } from './unknown-back-off.ts';
import { withNeeded } from './wanted-documents.ts';

/** Options of `cachedRegistry`; `OpenRegistriesOptions` documents each. All are optional. */
export interface CacheOptions {
  readonly saved?: SavedLists | undefined;
  readonly clock?: Clock;
  readonly maxAgeMs?: number;
  /** The maximum age, in milliseconds, of a list that is used while the registry is unreachable. Seven days by default. */
  readonly maxIndexAgeMs?: number;
  readonly isOffline?: boolean;
  /** What is certain about the time; by default, nothing says that the clock is right or wrong. */
  readonly certain?: CertainClock;
  /** Whether the policy trusts the clock; undefined to find out. */
  readonly trustClock?: boolean | undefined;
  readonly onTrouble?: (error: SavedListsError) => void;
}

/**
 * Caches the lists of `remote`. A known list is fetched again only if it has changed. Concurrent reads of a module
 * share one request. While the registry is unreachable, the known list is used and marked `stale`. A list that is
 * older than the known one, or contradicts it, is refused with `registry-regressed`; one that is too far ahead, with
 * `registry-implausible`.
 */
export function cachedRegistry(remote: RemoteRegistry, options: CacheOptions = {}): CachedRegistry {
  const { clock = systemClock, isOffline, trustClock } = options;
  const { certain = new CertainClock(clock) } = options;
  const memory = memoryOf(remote, { ...options, clock, certain });
  const { resultOf, localResult } = resultsFrom(memory, { ...options, certain });
  const { request, unlessUnknown } = requestsFor(memory);
  const whole = remote.isDescribedApart ? wholeResults(request, resultOf) : resultOf;
  return {
    async read(moduleId, signal, wanted) {
      const one = { budget: retryBudget(), position: undefined, wanted };
      const first = localResult(moduleId) ?? (await request(moduleId, one, signal));
      const result = 'ok' in first ? first : await whole(moduleId, first, { ...one, signal });
      if (!result.ok) throw result.error;
      return result.value;
    },
    async readAll(moduleIds, signal, wanted) {
      const budget = retryBudget();
      const results = new Map<ModuleId, ListResult>();
      for (const moduleId of moduleIds) {
        const result = localResult(moduleId);
        if (result) results.set(moduleId, result);
      }
      const rest = [...new Set(moduleIds)].filter((moduleId) => !results.has(moduleId));
      const round = { budget, wanted };
      const ask = unlessUnknown(round, signal);
      const refreshed = await refreshAll(rest, memory, { budget, signal }, ask);
      for (const [moduleId, list] of refreshed) {
        results.set(moduleId, await whole(moduleId, list, { ...round, signal }));
      }
      return results;
    },
    clockFault: () => certain.fault(trustClock),
    async awaitChange(moduleIds, waitMs, signal) {
      if (isOffline === true) return undefined;
      // A restart cuts off every waiting client at once. None retries: each reads its lists again in its next round.
      return await awaitChange(moduleIds, memory, waitMs, { budget: noRetries(), signal });
    },
  };
}

/** The results of requests, with the documents that their readers want. */
function wholeResults(
  request: Requests['request'],
  resultOf: Results['resultOf'],
): (
  moduleId: ModuleId,
  first: Refreshed,
  round: Omit<RequestRound, 'position'> & { readonly signal: AbortSignal | undefined },
) => Promise<ListResult> {
  return async (moduleId, first, { budget, wanted, signal }) => {
    const result = resultOf(moduleId, first);
    if (!wanted) return result;
    return await withNeeded(result, moduleId, wanted, async (more) => {
      const again = { budget, position: undefined, wanted: more };
      return resultOf(moduleId, await request(moduleId, again, signal));
    });
  };
}

type Ask = Parameters<typeof refreshAll>[3];

interface Requests {
  readonly request: (
    moduleId: ModuleId,
    round: RequestRound,
    signal: AbortSignal | undefined,
  ) => Promise<Refreshed>;
  /** Requests a list unless the registry has just said that it does not know the module. */
  readonly unlessUnknown: (
    round: Omit<RequestRound, 'position'>,
    signal: AbortSignal | undefined,
  ) => Ask;
}

function requestsFor(memory: Memory): Requests {
  const request = singleFlight(
    async (moduleId: ModuleId, { position, ...round }: RequestRound, signal) => {
      return await refresh(moduleId, memory, { ...round, signal }, position);
    },
  );
  const backOff = backingOff(memory.clock);
  return {
    request,
    unlessUnknown: (round, signal) => async (id, position) =>
      await backOff(id, position, async () => await request(id, { ...round, position }, signal)),
  };
}

function memoryOf(
  remote: RemoteRegistry,
  options: CacheOptions & Required<Pick<CacheOptions, 'clock' | 'certain'>>,
): Memory {
  const { saved, clock, certain, trustClock, onTrouble = () => undefined } = options;
  const lists = new RememberedLists(remote.address, saved, onTrouble);
  const time = (): KnownTime => certain.read(trustClock);
  return { remote, lists, clock, feed: new Feed(remote), time };
}

interface Results {
  /** The result of a request for the list of a module. */
  readonly resultOf: (moduleId: ModuleId, refreshed: Refreshed) => ListResult;
  /** The result without a request; undefined if the registry must be contacted. */
  readonly localResult: (moduleId: ModuleId) => ListResult | undefined;
}

function resultsFrom(
  { remote, lists, clock, time }: Memory,
  options: CacheOptions & { readonly certain: CertainClock },
): Results {
  const { maxAgeMs = 0, maxIndexAgeMs = DEFAULT_TERMS.maxIndexAgeMs, isOffline } = options;
  const { from } = remote;
  /** The list with what is wrong with the clock that a plan will use. */
  const dated = (list: ReleaseList, { certainAt }: SavedList): ListResult => {
    options.certain.remember(certainAt);
    const fault = options.certain.fault(options.trustClock);
    const apart = remote.isDescribedApart && { isDescribedApart: true as const };
    return { ok: true, value: fault || apart ? { ...list, clock: fault, ...apart } : list };
  };
  /** The list in memory. Its first-seen times are settled although its registry does not confirm it. */
  const remembered = (moduleId: ModuleId): SavedList | undefined => {
    const known = lists.get(moduleId);
    const list = known && settledList(known, time());
    if (list && list !== known) lists.set(moduleId, list);
    return list;
  };
  const resultOf = (moduleId: ModuleId, refreshed: Refreshed): ListResult => {
    if (!(refreshed instanceof RegistryError)) {
      return dated(releaseListOf(refreshed, from, 'network'), refreshed);
    }
    const list = remembered(moduleId);
    const result = staleOnError(refreshed, { list, from, now: clock.now(), maxIndexAgeMs });
    return result.ok && list ? dated(result.value, list) : result;
  };
  return {
    resultOf,
    localResult(moduleId) {
      if (maxAgeMs <= 0 && isOffline !== true) return undefined;
      const known = remembered(moduleId);
      if (known && isWithin(known, clock.now(), Math.min(maxAgeMs, maxIndexAgeMs))) {
        return dated(releaseListOf(known, from, 'saved'), known);
      }
      return isOffline === true ? resultOf(moduleId, offline(moduleId, from, known)) : undefined;
    },
  };
}

/** The round that a request belongs to. */
interface RequestRound {
  readonly budget: RetryBudget;
  readonly position: FeedPosition | undefined;
  readonly wanted: Wanted | undefined;
}

function isWithin({ confirmedAt }: SavedList, now: number, ageMs: number): boolean {
  return now >= confirmedAt && now - confirmedAt < ageMs;
}

function offline(moduleId: ModuleId, from: string, known: SavedList | undefined): RegistryError {
  const missing = known ? '' : `, and no list of ${moduleId} is saved`;
  const message = `offline: the registry ${from} was not contacted${missing}`;
  return new RegistryError('registry-unreachable', message);
}
