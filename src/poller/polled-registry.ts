import { describeDuration } from '../core/text/duration.ts';
import type { ModuleId, ModuleList } from '../core/index.ts';
import type { CachedRegistry, Clock, ListResult } from '../registry/index.ts';
import { moduleListsOf } from '../registry/module-list.ts';
import { readAll, type PollableRegistry } from '../registry/pollable-registry.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { unlessAborted } from '../registry/unless-aborted.ts';
import { during } from './during.ts';
import type { PollingEvent } from './event.ts';
import { FEED_REST_MS, untilRoundAfter } from './schedule.ts';

/** What a registry is polled with. */
export interface Polling {
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly intervalMs: number;
  readonly onEvent: (event: PollingEvent) => void;
}

interface Outage {
  readonly since: number;
}

/** Whoever answers within its own limits, and be there many lists, has answered by then. */
const LONGEST_ROUND_MS = 10 * 60_000;

/** One registry, the lists that it gave last, and when it is asked next. */
export class PolledRegistry {
  readonly #registry: PollableRegistry;
  readonly #polling: Polling;
  readonly #readings = new Map<ModuleId, ListResult>();
  #lists: ReadonlyMap<ModuleId, ModuleList> = new Map();
  readonly #lostLists = new Set<ModuleId>();
  #isAsked = false;
  #failures = 0;
  #outage: Outage | undefined;
  #polledAt: number;
  /** On the monotonic clock. */
  #dueAt: number;
  /** When it would be due, where its feed has it asked sooner. */
  #plannedAt: number | undefined;

  /** It is due at once. */
  constructor(registry: PollableRegistry, polling: Polling) {
    this.#registry = registry;
    this.#polling = polling;
    this.#dueAt = polling.clock.monotonic();
    this.#polledAt = this.#dueAt;
  }

  /** How long until it is asked again, in whole milliseconds; 0 when it is due. */
  get untilDue(): number {
    return Math.max(0, Math.floor(this.#dueAt - this.#polling.clock.monotonic()));
  }

  /** The list of a module, as it was last said to be; undefined where it was not asked for yet. */
  list(moduleId: ModuleId): ModuleList | undefined {
    return this.#lists.get(moduleId);
  }

  /** What kept lists from being the registry's own word when it was asked last. */
  get errors(): readonly RegistryError[] {
    return Array.from(this.#readings.values(), errorOf).filter((error) => error !== undefined);
  }

  reading(moduleId: ModuleId): ListResult | undefined {
    return this.#readings.get(moduleId);
  }

  /** Whether it was asked, and has not answered yet. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /**
   * Asks for the lists of `moduleIds`, and forgets those of others. Rejects with the reason of `signal`, and with what
   * is no RegistryError; either way it is due again after its interval.
   */
  async poll(moduleIds: readonly ModuleId[], signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#polling;
    this.#isAsked = true;
    try {
      const readings = await this.#ask(moduleIds, signal);
      const lists = await unlessAborted(signal, moduleListsOf(readings));
      this.#take(readings, lists);
    } catch (error) {
      this.#dueAt = clock.monotonic() + intervalMs;
      throw error;
    } finally {
      this.#isAsked = false;
      this.#plannedAt = undefined;
    }
  }

  #take(
    readings: ReadonlyMap<ModuleId, ListResult>,
    lists: ReadonlyMap<ModuleId, ModuleList>,
  ): void {
    const { clock, random, intervalMs } = this.#polling;
    this.#lists = lists;
    for (const moduleId of this.#readings.keys()) {
      if (readings.has(moduleId)) continue;
      this.#readings.delete(moduleId);
      this.#lostLists.delete(moduleId);
    }
    for (const [moduleId, reading] of readings) this.#readings.set(moduleId, reading);
    const { errors } = this;
    const failure = failureIn(errors, readings.size);
    this.#failures = failure ? this.#failures + 1 : 0;
    this.#polledAt = clock.monotonic();
    const round = {
      failures: this.#failures,
      retryAfterMs: errors.reduce((most, { retryAfterMs: ms = 0 }) => Math.max(most, ms), 0),
      earlyMs: this.#plannedAt === undefined ? undefined : this.#plannedAt - this.#polledAt,
    };
    const wait = untilRoundAfter(round, intervalMs, random());
    this.#dueAt = this.#polledAt + wait;
    this.#tell(failure, wait);
    this.#tellOfLists(failure !== undefined);
  }

  /** An answer that comes later than this is nobody's any more, whether or not the registry heeds a signal. (T60) */
  async #ask(
    moduleIds: readonly ModuleId[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<ModuleId, ListResult>> {
    return await during(signal, async (asking) => {
      const answer = unlessAborted(asking, readAll(this.#registry, moduleIds, asking));
      const late = this.#polling.clock.sleep(LONGEST_ROUND_MS, asking);
      return await Promise.race([answer, late.then(() => this.#standIns(moduleIds))]);
    });
  }

  /** What is known stands in for an answer that did not come. */
  #standIns(moduleIds: readonly ModuleId[]): ReadonlyMap<ModuleId, ListResult> {
    const limit = describeDuration(LONGEST_ROUND_MS);
    const message = `a registry did not answer within ${limit}`;
    const error = new RegistryError('registry-timeout', message);
    return new Map(
      moduleIds.map((moduleId): [ModuleId, ListResult] => {
        const known = this.#readings.get(moduleId);
        if (!known?.ok) return [moduleId, { ok: false, error }];
        return [moduleId, { ok: true, value: { ...known.value, stale: error } }];
      }),
    );
  }

  /** Makes it due once one of its lists changed, where the registry tells. Rejects with the reason of `signal`. */
  async heed(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#polling;
    if (this.#failures > 0) return;
    const change = await this.#change([...this.#readings.keys()], signal);
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

  /** While the registry itself is lost, that is said of it and not of each list. */
  #tellOfLists(isLost: boolean): void {
    if (isLost) return;
    const { onEvent } = this.#polling;
    for (const [moduleId, reading] of this.#readings) {
      const error = errorOf(reading);
      if (error && !this.#lostLists.has(moduleId))
        onEvent({ kind: 'list-unavailable', moduleId, error });
      if (!error && this.#lostLists.has(moduleId)) onEvent({ kind: 'list-available', moduleId });
      if (error) this.#lostLists.add(moduleId);
      else this.#lostLists.delete(moduleId);
    }
  }

  #tell(failure: RegistryError | undefined, retryMs: number): void {
    const { clock, onEvent } = this.#polling;
    if (failure) {
      if (!this.#outage) onEvent({ kind: 'registry-unavailable', error: failure, retryMs });
      this.#outage ??= { since: clock.monotonic() };
    } else if (this.#outage) {
      onEvent({ kind: 'registry-available', afterMs: clock.monotonic() - this.#outage.since });
      this.#outage = undefined;
    }
  }
}

/** What kept the registry's own word from being had. */
function errorOf(reading: ListResult): RegistryError | undefined {
  return reading.ok ? reading.value.stale : reading.error;
}

/** Why nothing was had at all, if that is so; that a module is not there is an answer. */
function failureIn(errors: readonly RegistryError[], asked: number): RegistryError | undefined {
  if (errors.length < asked) return undefined;
  return errors.find(({ kind }) => kind !== 'unknown-module');
}
