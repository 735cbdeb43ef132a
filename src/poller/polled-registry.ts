import { describeDuration } from '../core/text/duration.ts';
import type { ModuleId, ModuleList } from '../core/index.ts';
import type { CachedRegistry, ListResult } from '../registry/index.ts';
import { moduleListsOf } from '../registry/module-list.ts';
import { readAll, type PollableRegistry } from '../registry/pollable-registry.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { unlessAborted } from '../registry/unless-aborted.ts';
import { Availability, errorsIn, registryFailure, type ListResults } from './availability.ts';
import { during } from './during.ts';
import type { Polling } from './polling.ts';
import { FEED_REST_MS, untilRoundAfter } from './schedule.ts';

/** A registry that keeps to its own time limits has answered by then, even for many lists. */
const LONGEST_ROUND_MS = 10 * 60_000;

/** One registry, the lists that it gave last, and when it is asked next. */
export class PolledRegistry {
  readonly #registry: PollableRegistry;
  readonly #polling: Polling;
  readonly #availability: Availability;
  #results: ListResults = new Map();
  #lists: ReadonlyMap<ModuleId, ModuleList> = new Map();
  #isAsked = false;
  #failures = 0;
  #polledAt: number;
  /** On the monotonic clock. */
  #dueAt: number;
  /** When it would be due if its feed did not have it asked sooner. */
  #plannedAt: number | undefined;

  /** It is due at once. */
  constructor(registry: PollableRegistry, polling: Polling) {
    this.#registry = registry;
    this.#polling = polling;
    this.#availability = new Availability(polling);
    this.#dueAt = polling.clock.monotonic();
    this.#polledAt = this.#dueAt;
  }

  /** How long until it is asked again, in whole milliseconds; 0 when it is due. */
  get untilDue(): number {
    return Math.max(0, Math.floor(this.#dueAt - this.#polling.clock.monotonic()));
  }

  /** The last list of a module; undefined if it was never asked for. */
  list(moduleId: ModuleId): ModuleList | undefined {
    return this.#lists.get(moduleId);
  }

  /** Why lists were not the registry's current ones when it was last asked. */
  get errors(): readonly RegistryError[] {
    return errorsIn(this.#results);
  }

  result(moduleId: ModuleId): ListResult | undefined {
    return this.#results.get(moduleId);
  }

  /** Whether it was asked and has not answered yet. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /**
   * Asks for the lists of `moduleIds`, and discards those of other modules. Rejects with the reason of `signal` and
   * with errors that are no RegistryError; it is then due again after an interval.
   */
  async poll(moduleIds: readonly ModuleId[], signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#polling;
    this.#isAsked = true;
    try {
      const results = await this.#ask(moduleIds, signal);
      const lists = await unlessAborted(signal, moduleListsOf(results));
      this.#take(results, lists);
    } catch (error) {
      this.#dueAt = clock.monotonic() + intervalMs;
      throw error;
    } finally {
      this.#isAsked = false;
      this.#plannedAt = undefined;
    }
  }

  #take(results: ListResults, lists: ReadonlyMap<ModuleId, ModuleList>): void {
    const { clock, random, intervalMs } = this.#polling;
    this.#lists = lists;
    this.#results = results;
    this.#failures = registryFailure(results) ? this.#failures + 1 : 0;
    this.#polledAt = clock.monotonic();
    const round = {
      failures: this.#failures,
      retryAfterMs: this.errors.reduce((most, { retryAfterMs: ms = 0 }) => Math.max(most, ms), 0),
      earlyMs: this.#plannedAt === undefined ? undefined : this.#plannedAt - this.#polledAt,
    };
    const wait = untilRoundAfter(round, intervalMs, random());
    this.#dueAt = this.#polledAt + wait;
    this.#availability.report(results, wait);
  }

  /** Discards an answer that comes after the time limit, whether or not the registry heeds its signal. (T60) */
  async #ask(moduleIds: readonly ModuleId[], signal: AbortSignal): Promise<ListResults> {
    return await during(signal, async (asking) => {
      const answer = unlessAborted(asking, readAll(this.#registry, moduleIds, asking));
      const late = this.#polling.clock.sleep(LONGEST_ROUND_MS, asking);
      return await Promise.race([answer, late.then(() => this.#staleResults(moduleIds))]);
    });
  }

  /** What replaces an answer that did not come: the last lists, marked as stale. */
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

  /** Makes the registry due once its feed reports a change of one of the lists. Rejects with the reason of `signal`. */
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
      const asked = this.#registry.awaitChange?.(moduleIds, this.untilDue, signal);
      return asked && (await unlessAborted(signal, asked));
    } catch (error) {
      // The next round finds out what is wrong.
      if (error instanceof RegistryError) return undefined;
      throw error;
    }
  }
}
