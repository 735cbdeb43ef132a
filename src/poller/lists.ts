import type { ModuleId, ModuleList, PlanInput, Platform } from '../core/index.ts';
import { NOT_ASKED } from '../core/plan/plan.ts';
import { hasMinimumAge, type UpdateTerms } from '../core/machine/update-policy.ts';
import { neededLists, type Configuration, type NeededList } from '../core/plan/configuration.ts';
import type { TargetFacts } from '../core/plan/plan-input.ts';
import { parseVersion } from '../core/version/version.ts';
import type { PollableRegistry } from '../registry/pollable-registry.ts';
import { wantedBy } from '../registry/wanted.ts';
import { isDescribed } from '../registry/wanted-documents.ts';
import type { LoggedRound } from '../store/decision-log.ts';
import type { ConfigurationSource } from './configuration-source.ts';
import { during } from './during.ts';
import { PolledRegistry } from './polled-registry.ts';
import type { Polling } from './polling.ts';
import { longestInterval } from './schedule.ts';
import { Wakeup } from './wakeup.ts';

export interface ListsOptions {
  /** Read before each round, and while no round is due. */
  readonly configuration: ConfigurationSource;
  /** Returns the registry for these terms. The same registry must be the same object each time. */
  readonly registryFor: (terms: UpdateTerms) => PollableRegistry;
  /** Called once for each round: a subsystem needs its list only if its deployed version is known. */
  readonly facts: () => TargetFacts;
  readonly polling: Polling;
  /** That of the machine, for registries that describe only releases that may be selected; absent if files do not matter. */
  readonly platform?: Platform;
  /** Woken when a list may have changed. */
  readonly changes: Wakeup;
}

/**
 * The release lists that a machine needs, read in rounds. Each registry is polled separately, one poll at a time, so a
 * registry that does not answer delays no other (T59).
 */
export class Lists {
  readonly #options: ListsOptions;
  readonly #registries = new Map<PollableRegistry, PolledRegistry>();
  /** One promise for each poll in progress. It resolves once the registry has answered. */
  readonly #polls = new Set<Promise<void>>();
  readonly #refreshed: Wakeup;
  #rounds = 0;
  #roundAt = 0;
  /** When the configuration was last read, on the monotonic clock. */
  #readAt = -Infinity;
  /** Whether the configuration has changed since it was read last. */
  #isChanged = false;
  #isInformed = false;
  #plannedAt: number | undefined;

  constructor(options: ListsOptions) {
    this.#options = options;
    this.#refreshed = new Wakeup(options.polling.clock);
  }

  /** How many rounds have begun. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Whether a registry has answered, or none is needed. Nothing can be planned until then. */
  get isInformed(): boolean {
    return this.#isInformed;
  }

  /** When the next round begins by its interval, in milliseconds since the epoch. */
  get nextRoundAt(): number {
    return this.#options.polling.clock.now() + this.#untilDue;
  }

  /** When the last round began, and why the configuration or some lists are not current. */
  get lastRound(): LoggedRound {
    const { trouble: unreadable } = this.#options.configuration;
    const errors = [...this.#registries.values()].flatMap(({ errors: all }) => all);
    const messages = errors.map(({ message }) => message);
    const [first, ...rest] = unreadable === undefined ? messages : [unreadable, ...messages];
    const trouble = rest.length > 0 ? `${first}, and ${rest.length} more` : first;
    return { at: this.#roundAt, trouble, nextAt: this.#nextAttemptAt };
  }

  /** When what could not be read is read again (D419), in milliseconds since the epoch; undefined if everything was. */
  get #nextAttemptAt(): number | undefined {
    const { configuration, polling } = this.#options;
    const failing = [...this.#registries.values()].filter(({ errors }) => errors.length > 0);
    const waits = failing.map(({ untilDue }) => untilDue);
    if (configuration.trouble !== undefined) waits.push(this.#untilReading);
    return waits.length === 0 ? undefined : polling.clock.now() + Math.min(...waits);
  }

  /** Makes the configuration due: it has changed. */
  reread(): void {
    this.#isChanged = true;
    this.#refreshed.wake();
  }

  /** Makes the registry with these terms due, as an operator asked for (D76). */
  refresh(terms: UpdateTerms): void {
    const { registryFor } = this.#options;
    this.#registries.get(registryFor(terms))?.refresh();
    this.#refreshed.wake();
  }

  /**
   * Whether the file of a release will be known after the next answer of its registry, which describes each release apart and is
   * due now. Once for each release that is not described: a registry that cannot say what its file is holds nothing.
   */
  awaitsFile(terms: UpdateTerms, moduleId: ModuleId, to: string): boolean {
    const polled = this.#registries.get(this.#options.registryFor(terms));
    const list = polled?.list(moduleId);
    const version = parseVersion(to);
    if (!polled || !list || 'error' in list || !list.isDescribedApart || !version.ok) return false;
    const release = list.index.find(version.value);
    if (!release || isDescribed(release)) return false;
    const isAwaited = polled.awaits(`${moduleId} ${to}`);
    if (isAwaited) this.#refreshed.wake();
    return isAwaited;
  }

  /** What is wrong with the machine's clock, as far as a registry that is polled knows. */
  get clockFault(): PlanInput['clock'] {
    for (const registry of this.#registries.keys()) {
      const fault = registry.clockFault?.();
      if (fault) return fault;
    }
    return undefined;
  }

  /** The last list of a module with these terms; `NOT_ASKED` if it was not read yet. */
  list(terms: UpdateTerms, moduleId: ModuleId): ModuleList {
    const registry = this.#options.registryFor(terms);
    const list = this.#registries.get(registry)?.list(moduleId) ?? NOT_ASKED;
    if (!hasMinimumAge(terms.minimumAge) || !registry.clockFault || 'error' in list) return list;
    // The clock may have been set since the list was read (D57).
    const clock = registry.clockFault();
    return clock || list.clock ? { ...list, clock } : list;
  }

  /**
   * Runs rounds until `signal` is aborted. Rejects with the reason of `signal`, or with a callback error. `plannedAt`, on the
   * monotonic clock, is when the first round was due, if it begins earlier than that: the second one begins then (D73).
   */
  async run(signal: AbortSignal, plannedAt?: number): Promise<void> {
    this.#plannedAt = plannedAt;
    while (!signal.aborted) {
      if (this.#isDue()) {
        this.#isChanged = false;
        const configuration = await this.#options.configuration.read(signal);
        this.#readAt = this.#options.polling.clock.monotonic();
        if (configuration) this.#beginRound(this.#neededBy(configuration), signal);
      }
      await this.#untilNextRound(signal);
    }
  }

  #isDue(): boolean {
    return this.#untilReading === 0 || this.#idle().some(({ untilDue }) => untilDue === 0);
  }

  /** The configuration is read before each round, and also while no registry is due for longer (T22). */
  get #untilReading(): number {
    if (this.#isChanged) return 0;
    const { clock, intervalMs } = this.#options.polling;
    const wait = this.#registries.size === 0 ? intervalMs : longestInterval(intervalMs);
    return Math.max(0, Math.ceil(this.#readAt + wait - clock.monotonic()));
  }

  #neededBy(configuration: Configuration): ReadonlyMap<PollableRegistry, readonly NeededList[]> {
    const { registryFor, facts } = this.#options;
    return Map.groupBy(neededLists(configuration, facts()), ({ terms }) => registryFor(terms));
  }

  /** Polls the registries that are due, and discards the lists of registries that are no longer needed. */
  #beginRound(
    needed: ReadonlyMap<PollableRegistry, readonly NeededList[]>,
    signal: AbortSignal,
  ): void {
    const { polling } = this.#options;
    const plannedAt = this.#rounds === 0 ? this.#plannedAt : undefined;
    for (const [registry, { isAsked }] of this.#registries) {
      // A registry that is being polled stays: a configuration that needs it again must not poll it twice.
      if (!needed.has(registry) && !isAsked) this.#registries.delete(registry);
    }
    const due = Array.from(needed, ([registry, lists]) => {
      const polled =
        this.#registries.get(registry) ?? new PolledRegistry(registry, polling, plannedAt);
      this.#registries.set(registry, polled);
      return { polled, lists };
    }).filter(({ polled, lists }) => {
      const isNew = lists.some(({ moduleId }) => !polled.result(moduleId));
      return (polled.untilDue === 0 || isNew) && !polled.isAsked;
    });
    if (due.length > 0 || needed.size === 0) {
      this.#rounds++;
      this.#roundAt = polling.clock.now();
    }
    for (const { polled, lists } of due) this.#ask(polled, lists, signal);
    // No answer will cause a plan: neither one of a machine that needs no lists, nor one with another configuration.
    if (needed.size === 0 || (due.length === 0 && this.#isInformed)) this.#inform();
  }

  /** Waits until a registry has answered, one is due by its interval or its change feed, or the configuration is read again. */
  async #untilNextRound(signal: AbortSignal): Promise<void> {
    const idle = this.#idle();
    const wait = this.#untilDue;
    const seen = this.#refreshed.count;
    await during(signal, async (waiting) => {
      const due = this.#refreshed.wait(seen, wait, waiting);
      // Each resolves once its registry is due.
      const feeds = idle.map(async (polled) => {
        await polled.followFeed(waiting);
        if (polled.untilDue > 0) await due;
      });
      await Promise.race([due, ...feeds, ...this.#polls]);
    });
  }

  get #untilDue(): number {
    return Math.min(this.#untilReading, ...this.#idle().map(({ untilDue }) => untilDue));
  }

  #idle(): PolledRegistry[] {
    return [...this.#registries.values()].filter(({ isAsked }) => !isAsked);
  }

  #ask(polled: PolledRegistry, lists: readonly NeededList[], signal: AbortSignal): void {
    const { platform, polling: of, facts } = this.#options;
    const moduleIds = [...new Set(lists.map(({ moduleId }) => moduleId))];
    const wanted = platform && wantedBy(lists, { now: of.clock.now(), platform }, facts());
    const poll = async (): Promise<void> => {
      try {
        await polled.poll(moduleIds, signal, wanted);
      } catch (error) {
        if (!signal.aborted) this.#options.polling.onEvent({ kind: 'callback-error', error });
      }
      this.#polls.delete(polling);
      this.#inform();
    };
    const polling = poll();
    this.#polls.add(polling);
  }

  #inform(): void {
    this.#isInformed = true;
    this.#options.changes.wake();
  }
}
