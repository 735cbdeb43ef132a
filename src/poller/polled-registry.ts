import { describeDuration } from '../core/text/duration.ts';
import type { ModuleId, ModuleList } from '../core/index.ts';
import type { CachedRegistry, ListResult } from '../registry/registry.ts';
import { moduleListsOf } from '../registry/module-list.ts';
import { readAll, type PollableRegistry } from '../registry/pollable-registry.ts';
import { RegistryError } from '../registry/registry-error.ts';
import type { Wanted } from '../registry/wanted-release.ts';
import { unlessAborted } from '../registry/unless-aborted.ts';
import { Availability, errorsIn, registryFailure, type ListResults } from './availability.ts';
import { during } from './during.ts';
import type { Polling } from './polling.ts';
import { FEED_REST_MS, untilRoundAfter } from './schedule.ts';

/** A registry that keeps its own deadlines has answered by then, even for many lists. */
const LONGEST_ROUND_MS = 10 * 60_000;

/** A registry, the last lists that it returned, and when it is polled next. */
export class PolledRegistry {
  readonly #registry: PollableRegistry;
  readonly #polling: Polling;
  readonly #availability: Availability;
  #results: ListResults = new Map();
  #lists: ReadonlyMap<ModuleId, ModuleList> = new Map();
  #isAsked = false;
  /** How many polls have ended. */
  #polls = 0;
  /** The number of the poll that each release waits for whose file was not known. */
  readonly #awaited = new Map<string, number>();
  /** Whether it is polled once more after the poll that is in progress. */
  #isRefreshed = false;
  #failures = 0;
  #polledAt: number;
  /** On the monotonic clock. */
  #dueAt: number;
  /** When it was due before its change feed, or the start of a new machine, made it due earlier. */
  #plannedAt: number | undefined;
  /** Whether this is the start of a new machine, and the registry has not answered yet. */
  #isAwaited: boolean;

  /** It is due at once. `plannedAt`, on the monotonic clock, is when it would have been due later (D73). */
  constructor(registry: PollableRegistry, polling: Polling, plannedAt?: number) {
    this.#registry = registry;
    this.#polling = polling;
    this.#availability = new Availability(polling);
    this.#dueAt = polling.clock.monotonic();
    this.#polledAt = this.#dueAt;
    this.#plannedAt = plannedAt;
    this.#isAwaited = plannedAt !== undefined;
  }

  /** The time until the next poll, in whole milliseconds; 0 when it is due. */
  get untilDue(): number {
    return Math.max(0, Math.floor(this.#dueAt - this.#polling.clock.monotonic()));
  }

  /** The last list of a module; undefined if it was never requested. */
  list(moduleId: ModuleId): ModuleList | undefined {
    return this.#lists.get(moduleId);
  }

  /** Why lists were not current at the last poll. */
  get errors(): readonly RegistryError[] {
    return errorsIn(this.#results);
  }

  result(moduleId: ModuleId): ListResult | undefined {
    return this.#results.get(moduleId);
  }

  /** Whether a poll is in progress. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /**
   * Reads the lists of `moduleIds`, and discards those of other modules. Rejects with the reason of `signal`, or with an
   * error that is not a RegistryError; the registry is then due after an interval.
   */
  async poll(moduleIds: readonly ModuleId[], signal: AbortSignal, wanted?: Wanted): Promise<void> {
    const { clock, intervalMs } = this.#polling;
    this.#isAsked = true;
    try {
      const results = await this.#ask(moduleIds, signal, wanted);
      const lists = await unlessAborted(signal, moduleListsOf(results));
      this.#take(results, lists);
    } catch (error) {
      this.#dueAt = clock.monotonic() + intervalMs;
      throw error;
    } finally {
      this.#isAsked = false;
      this.#polls++;
      this.#plannedAt = undefined;
      if (this.#isRefreshed) this.refresh();
    }
  }

  #take(results: ListResults, lists: ReadonlyMap<ModuleId, ModuleList>): void {
    const { clock, random, intervalMs } = this.#polling;
    this.#lists = lists;
    this.#results = results;
    this.#failures = registryFailure(results) ? this.#failures + 1 : 0;
    this.#isAwaited &&= this.#failures > 0;
    this.#polledAt = clock.monotonic();
    const round = {
      failures: this.#failures,
      retryAfterMs: this.errors.reduce((most, { retryAfterMs: ms = 0 }) => Math.max(most, ms), 0),
      earlyMs: this.#plannedAt === undefined ? undefined : this.#plannedAt - this.#polledAt,
      isAwaited: this.#isAwaited,
    };
    const wait = untilRoundAfter(round, intervalMs, random());
    this.#dueAt = this.#polledAt + wait;
    this.#availability.report(results, wait);
  }

  /** Reads the lists. An answer after the deadline is discarded, even if the registry ignores its signal (T60). */
  async #ask(
    moduleIds: readonly ModuleId[],
    signal: AbortSignal,
    wanted: Wanted | undefined,
  ): Promise<ListResults> {
    return await during(signal, async (asking) => {
      const answer = unlessAborted(asking, readAll(this.#registry, moduleIds, asking, wanted));
      const late = this.#polling.clock.sleep(LONGEST_ROUND_MS, asking);
      return await Promise.race([answer, late.then(() => this.#staleResults(moduleIds))]);
    });
  }

  /** Used instead of a missing answer: the last lists, marked as stale. */
  #staleResults(moduleIds: readonly ModuleId[]): ListResults {
    const limit = describeDuration(LONGEST_ROUND_MS);
    const message = `a registry did not answer within ${limit}`;
    const error = new RegistryError('registry-timeout', message);
    return new Map(
      moduleIds.map((moduleId): [ModuleId, ListResult] => {
        const known = this.#results.get(moduleId);
        if (!known?.ok) return [moduleId, { ok: false, error }];
        return [moduleId, { ok: true, value: { ...known.value, stale: error } }];
      }),
    );
  }

  /** Makes the registry due, although by its interval it is polled later (D76). */
  refresh(): void {
    // An answer that is awaited may be older than what is asked for.
    this.#isRefreshed = this.#isAsked;
    this.#plannedAt ??= this.#dueAt;
    this.#dueAt = Math.max(this.#polledAt + FEED_REST_MS, this.#polling.clock.monotonic());
  }

  /** Whether the next poll, which is then due, may say more of `release`; false once it has ended. */
  awaits(release: string): boolean {
    const after = this.#awaited.get(release);
    if (after !== undefined) return this.#polls < after;
    // The answer of a poll in progress was not asked for it.
    this.#awaited.set(release, this.#polls + (this.#isAsked ? 2 : 1));
    this.refresh();
    return true;
  }

  /** Makes the registry due once its change feed reports a change of a list. Rejects with the reason of `signal`. */
  async followFeed(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#polling;
    if (this.#failures > 0) return;
    const change = await this.#change([...this.#results.keys()], signal);
    if (!change?.hasChanged) return;
    const rest = this.#polledAt + FEED_REST_MS - clock.monotonic();
    await clock.sleep(Math.max(rest, random() * change.spreadMs), signal);
    this.#plannedAt ??= this.#dueAt;
    this.#dueAt = clock.monotonic();
  }

  async #change(
    moduleIds: readonly ModuleId[],
    signal: AbortSignal,
  ): ReturnType<CachedRegistry['awaitChange']> {
    try {
      const change = this.#registry.awaitChange?.(moduleIds, this.untilDue, signal);
      return change && (await unlessAborted(signal, change));
    } catch (error) {
      // The next round reports the error.
      if (error instanceof RegistryError) return undefined;
      throw error;
    }
  }
}
