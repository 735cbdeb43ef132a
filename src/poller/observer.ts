import {
  planMachine,
  type ActionTarget,
  type ModuleState,
  type MaintenanceAnswer,
  type ModuleId,
  type Plan,
  type Platform,
  type Window,
} from '../core/index.ts';
import {
  termsFor,
  type MaintenanceWindow,
  type UpdateTerms,
} from '../core/machine/update-policy.ts';
import { systemClock, systemRandom, type Clock } from '../registry/clock.ts';
import { moduleOf } from '../core/plan/target.ts';
import type { PollableRegistry } from '../registry/pollable-registry.ts';
import { askAgent, maintenanceAnswer } from './ask-agent.ts';
import { Wakeup } from './wakeup.ts';
import { neededLists, type Configuration } from '../core/plan/configuration.ts';
import { isolated, type PollingEvent } from './event.ts';
import type { Polling } from './polled-registry.ts';
import {
  asksForMaintenance,
  planInputFor,
  type Circumstances,
  type TargetFacts,
} from '../core/plan/plan-input.ts';
import { Rounds } from './rounds.ts';
import { DEFAULT_INTERVAL_MS, LEAST_INTERVAL_MS, LONGEST_INTERVAL_MS } from './schedule.ts';

export interface ObserverOptions {
  /** What the machine is asked to run, read before each round. Where it throws, what it gave last goes on. */
  readonly configuration: () => Configuration | Promise<Configuration>;
  /** Where the lists of modules with these terms are. The same registry is the same object each time. */
  readonly registryFor: (terms: UpdateTerms) => PollableRegistry;
  /** What is known now of each module and subsystem, but for its list. Asked once for each plan. */
  readonly facts: () => TargetFacts;
  readonly platform: Platform;
  /** `windowOf` of modreg/config. */
  readonly windowOf: (maintenance: readonly MaintenanceWindow[]) => Window | undefined;
  /** Whether the server processes changes of its config: nothing restarts meanwhile. */
  readonly isServerBusy?: (() => boolean) | undefined;
  /** Whether maintenance is allowed now, asked where something would be replaced; anything but true is a no. (D29) */
  readonly isMaintenanceAllowed?: (() => unknown) | undefined;
  /** Between two rounds, 10 % more or less: a minute unless given, and five seconds at least. */
  readonly intervalMs?: number;
  readonly clock?: Clock;
  /** From 0 to 1. */
  readonly random?: () => number;
  readonly onEvent?: (event: PollingEvent) => void;
}

/** A target that is planned by itself, and what is known of it. */
export interface OneTarget {
  readonly target: ActionTarget;
  readonly known: () => Omit<ModuleState, 'list'>;
}

/** Sees each plan, and has some time for itself before it is made. */
export interface Sight {
  readonly prepare?: (configuration: Configuration) => Promise<void>;
  /** How long the first round waits, in milliseconds; it comes at once without it. */
  readonly untilFirstRound?: (configuration: Configuration | undefined) => number;
  readonly onPlan: (plan: Plan) => void;
}

/**
 * Asks for release lists in rounds, each registry one question at a time, and plans whenever something may be otherwise: a list came,
 * something ends that a decision hangs on, or somebody says so. (T59)
 */
export class Observer {
  readonly #options: ObserverOptions;
  readonly #polling: Polling;
  readonly #bell: Wakeup;
  readonly #rounds: Rounds;
  #configuration: Configuration | undefined;
  #isConfigurationLost = false;

  /** Throws a RangeError where the interval is shorter than five seconds, or longer than a day. */
  constructor(options: ObserverOptions) {
    const { intervalMs = DEFAULT_INTERVAL_MS, clock = systemClock } = options;
    if (!(intervalMs >= LEAST_INTERVAL_MS && intervalMs <= LONGEST_INTERVAL_MS)) {
      throw new RangeError(
        `the interval is ${intervalMs} ms, expected ${LEAST_INTERVAL_MS} to ${LONGEST_INTERVAL_MS}`,
      );
    }
    const { random = systemRandom } = options;
    const onEvent = isolated<PollingEvent>(options.onEvent);
    this.#options = options;
    this.#polling = { clock, random, intervalMs, onEvent };
    this.#bell = new Wakeup(clock);
    this.#rounds = new Rounds(this.#polling, () => this.look());
  }

  get polling(): Polling {
    return this.#polling;
  }

  /** What was read last. */
  get configuration(): Configuration | undefined {
    return this.#configuration;
  }

  get rounds(): Rounds {
    return this.#rounds;
  }

  /** Has the machine planned anew, without asking anybody for lists. */
  look(): void {
    this.#bell.ring();
  }

  /** Goes on until `signal` is aborted, and then resolves at once. */
  async run(sight: Sight, signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#repeat(() => this.#poll(sight, signal), signal),
      this.#repeat(() => this.#plan(sight, signal), signal),
    ]);
  }

  /** Does `work` again if that ends with a mistake: the machine goes on. */
  async #repeat(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, onEvent } = this.#polling;
    while (!signal.aborted) {
      try {
        await work();
      } catch (error) {
        const { reason } = signal as { readonly reason: unknown };
        if (reason !== undefined && error === reason) return;
        onEvent({ kind: 'callback-error', error });
        await clock.sleep(intervalMs, signal).catch(() => undefined);
      }
    }
  }

  async #poll(sight: Sight, signal: AbortSignal): Promise<void> {
    await this.#readConfiguration(signal);
    if (this.#rounds.count === 0) {
      const wait = sight.untilFirstRound?.(this.#configuration) ?? 0;
      await this.#polling.clock.sleep(wait, signal);
    }
    while (!signal.aborted) {
      if (this.#rounds.isDue) {
        await this.#readConfiguration(signal);
        if (this.#configuration) this.#rounds.begin(this.#needed(this.#configuration), signal);
      }
      await this.#rounds.untilNext(signal);
    }
  }

  async #readConfiguration(signal: AbortSignal): Promise<void> {
    const { onEvent } = this.#polling;
    const answer = await askAgent(this.#options.configuration, this.#polling.clock, signal);
    if (answer.kind !== 'answered') {
      const late = new Error('the configuration was not there in ten seconds');
      const error = answer.kind === 'failed' ? answer.error : late;
      if (!this.#isConfigurationLost) onEvent({ kind: 'configuration-unreadable', error });
      this.#isConfigurationLost = true;
      return;
    }
    this.#configuration = answer.value;
    if (this.#isConfigurationLost) onEvent({ kind: 'configuration-readable' });
    this.#isConfigurationLost = false;
  }

  /** The modules whose lists are needed, by the registry that has them. */
  #needed(configuration: Configuration): ReadonlyMap<PollableRegistry, readonly ModuleId[]> {
    const { registryFor } = this.#options;
    const needed = neededLists(configuration, this.#options.facts());
    const groups = new Map<PollableRegistry, Set<ModuleId>>();
    for (const { terms, moduleId } of needed) {
      const registry = registryFor(terms);
      groups.set(registry, (groups.get(registry) ?? new Set()).add(moduleId));
    }
    return new Map(Array.from(groups, ([registry, ids]) => [registry, [...ids]] as const));
  }

  async #plan(sight: Sight, signal: AbortSignal): Promise<void> {
    const { intervalMs } = this.#polling;
    let wait = intervalMs;
    while (!signal.aborted) {
      const heard = this.#bell.rung;
      if (heard > 0 && this.#configuration) {
        await sight.prepare?.(this.#configuration);
        wait = intervalMs;
        await this.planNow(signal, (plan) => {
          sight.onPlan(plan);
          wait = this.#untilNextChange(plan);
        });
      }
      await this.#bell.wait(heard, wait, signal);
    }
  }

  /** Whoever goes on sleeping through a change, as of a clock that is set, sees it with the next interval. */
  #untilNextChange({ modules, subsystems }: Plan): number {
    const { clock, intervalMs } = this.#polling;
    const now = clock.now();
    return [...modules, ...subsystems].reduce((least, { nextChange }) => {
      return nextChange ? Math.min(least, Math.max(nextChange.at - now, 0)) : least;
    }, intervalMs);
  }

  /**
   * Has `use` see what the machine should do, or one of its targets, by what is known at that very moment; never
   * while nothing is known. Rejects with the reason of `signal`.
   */
  async planNow(signal: AbortSignal, use: (plan: Plan) => void, only?: OneTarget): Promise<void> {
    const { isMaintenanceAllowed } = this.#options;
    const plan = this.#planWith(undefined, only);
    if (!plan) return;
    // Nobody is asked to allow what is not due.
    if (!isMaintenanceAllowed || !asksForMaintenance(plan)) {
      use(plan);
      return;
    }
    const answer = await askAgent(isMaintenanceAllowed, this.#polling.clock, signal);
    signal.throwIfAborted();
    const allowed = this.#planWith(maintenanceAnswer(answer), only);
    if (allowed) use(allowed);
  }

  #planWith(answer: MaintenanceAnswer | undefined, only?: OneTarget): Plan | undefined {
    if (!this.#configuration || !this.#rounds.isInformed) return undefined;
    const { platform, windowOf, isServerBusy } = this.#options;
    const circumstances: Circumstances = {
      ...{ platform, windowOf, answer },
      now: this.#polling.clock.now(),
      isServerBusy: isServerBusy?.() ?? false,
      knownOf: this.#knownOf(this.#configuration, only),
    };
    return planMachine(planInputFor(this.#configuration, circumstances, only?.target));
  }

  #knownOf({ policy }: Configuration, only?: OneTarget): (target: ActionTarget) => ModuleState {
    const { registryFor } = this.#options;
    const facts = only ? only.known : this.#options.facts();
    return (target) => {
      const registry = registryFor(termsFor(policy, target.name));
      return { ...facts(target), list: this.#rounds.list(registry, moduleOf(target)) };
    };
  }
}
