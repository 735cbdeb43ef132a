import type { Plan, Platform } from '../core/index.ts';
import type { UpdateTerms } from '../core/machine/update-policy.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import type { TargetFacts } from '../core/plan/plan-input.ts';
import type { PollableRegistry } from '../registry/pollable-registry.ts';
import { ConfigurationSource } from './configuration-source.ts';
import { Lists } from './lists.ts';
import { Planner } from './planner.ts';
import { keepRunning, pollingWith, type PollingOptions } from './polling.ts';
import { Wakeup } from './wakeup.ts';

/** A machine to watch, and how often its registries are contacted. */
export interface WatchedMachine extends PollingOptions {
  /** Read before each round, and while no round is due. */
  readonly configuration: () => Promise<Configuration>;
  readonly registryFor: (terms: UpdateTerms) => PollableRegistry;
  /** Returns the current facts. Called once for each plan. */
  readonly facts: () => TargetFacts;
  readonly platform: Platform;
  /** What the machine's system is tagged with. */
  readonly systemTags?: (() => readonly string[]) | undefined;
}

/**
 * Makes the plans that a poller of the machine would make, and passes each to `show`. Nothing is committed, and the
 * agent is not asked to allow maintenance. Resolves with the number of rounds once `signal` is aborted.
 */
export async function watchPlans(
  machine: WatchedMachine,
  show: (plan: Plan) => void,
  signal: AbortSignal,
): Promise<number> {
  const polling = pollingWith(machine);
  const configuration = new ConfigurationSource(machine.configuration, polling);
  const changes = new Wakeup(polling.clock);
  const lists = new Lists({ ...machine, configuration, polling, changes });
  const planner = new Planner({ ...machine, configuration, polling, lists });
  const showPlans = async (): Promise<void> => {
    while (!signal.aborted) {
      const seen = changes.count;
      const plan = planner.planWith({});
      if (plan) show(plan);
      await changes.wait(seen, planner.untilNextChange(plan), signal);
    }
  };
  await Promise.all([
    keepRunning(() => lists.run(signal), polling, signal),
    keepRunning(showPlans, polling, signal),
  ]);
  return lists.rounds;
}
