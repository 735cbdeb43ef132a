import {
  planMachine,
  type Decision,
  type DecideInput,
  type Hold,
  type Plan,
  type Platform,
} from '../core/index.ts';
import type { MaintenanceAnswer } from '../core/decision/timing-policies.ts';
import { termsFor } from '../core/machine/update-policy.ts';
import { blockingDependency } from '../core/plan/blocking-dependency.ts';
import type { CommittedAction, OpenAction } from '../core/plan/committed-action.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import type { PlanInput } from '../core/plan/plan.ts';
import {
  asksForMaintenance,
  planInputFor,
  stoppedBy,
  type TargetFacts,
} from '../core/plan/plan-input.ts';
import { keyOf, moduleOf } from '../core/plan/target.ts';
import type { ClockReading } from '../core/decision/operator-hold.ts';
import { satisfiesRange } from '../registry/npm-range.ts';
import { callback, maintenanceAnswer, type CallbackResult } from './callback.ts';
import type { PollerOptions } from './poller-options.ts';
import { byModule, checkedVetoes } from './vetoes.ts';
import type { ConfigurationSource } from './configuration-source.ts';
import { isHeldStill, noteHeld } from './held-replacements.ts';
import { HoldCounts } from './hold-counts.ts';
import type { Lists } from './lists.ts';
import type { Polling } from './polling.ts';
import type { StateAccess } from './state-access.ts';

/** How often the agent is asked again while nothing else holds a replacement (D72). */
const ASK_EVERY_MS = 5000;

export interface PlannerOptions {
  readonly configuration: Pick<ConfigurationSource, 'current'>;
  readonly lists: Pick<Lists, 'list' | 'isInformed' | 'clockFault'>;
  /** Returns the current facts, without the restarts that `action` caused. Called once for each plan. */
  readonly facts: (action?: CommittedAction) => TargetFacts;
  readonly platform: Platform;
  /** Determines the place of the machine in rollouts; absent if it has no id (D49). */
  readonly machineId?: string | undefined;
  /** Its group; by default that of the policy (D108). */
  readonly group?: string | undefined;
  /** Whether the server is processing changes of its config. Nothing is restarted while it is. */
  readonly isServerBusy?: (() => boolean) | undefined;
  /** Whether maintenance is allowed now. Called only if something would be replaced; only true allows it (D29). */
  readonly isMaintenanceAllowed?: (() => unknown) | undefined;
  /** Which of these entries must not be stopped now (D77). */
  readonly vetoes?: PollerOptions['vetoes'];
  readonly systemTags?: PollerOptions['systemTags'];
  readonly polling: Pick<Polling, 'clock' | 'intervalMs' | 'onEvent'>;
}

/** What the agent answered when it was asked about a plan; a part is absent if it was not asked. */
export interface Answers {
  readonly maintenance?: MaintenanceAnswer | undefined;
  readonly vetoes?: PlanInput['vetoes'];
}

/**
 * Plans a machine, or the target of one action, from the current configuration, facts and lists.
 *
 * A plan is made synchronously, and its caller commits, delivers or discards it before it awaits anything; otherwise the
 * plan may be out of date. A plan that needs the agent to allow maintenance is therefore `ask-first`, and `asking` makes
 * another one with the answer.
 */
export class Planner {
  readonly #options: PlannerOptions;
  readonly #holds: HoldCounts;

  constructor(options: PlannerOptions) {
    this.#options = options;
    this.#holds = new HoldCounts(options.polling.clock);
  }

  /** Writes how long operators have held something, and ends their holds that are over (D75). */
  countHolds(state: StateAccess): void {
    this.#holds.write(state, this.#reading());
  }

  /** Records since when the replacements of a plan of the machine are held (D79). */
  noteHeld(plan: Plan, memory: MachineMemory, state: StateAccess): void {
    noteHeld(plan, { memory, state, counts: this.#holds, reading: this.#reading() });
  }

  #reading(): ClockReading {
    const { lists, polling } = this.#options;
    return { now: polling.clock.now(), clock: lists.clockFault };
  }

  /**
   * The plan of the machine, or of the target of `only`, an open action. `ask-first` if the agent has to allow
   * maintenance before something is replaced (D29). Undefined until a configuration and lists are available.
   */
  plan(only?: CommittedAction): Plan | 'ask-first' | undefined {
    const plan = this.planWith({}, only);
    // The agent is not asked to allow maintenance if none is due.
    const { isMaintenanceAllowed, vetoes } = this.#options;
    const asks = plan && (isMaintenanceAllowed ?? vetoes) && asksForMaintenance(plan);
    return asks ? 'ask-first' : plan;
  }

  /** Asks the agent whether maintenance is allowed, and reports its error. Rejects only with the reason of `signal`. */
  async askMaintenance(signal: AbortSignal): Promise<MaintenanceAnswer> {
    const { isMaintenanceAllowed } = this.#options;
    return maintenanceAnswer(await this.#called(() => isMaintenanceAllowed?.(), signal));
  }

  /** Asks what would stop for `plan` whether it may. Rejects only with the reason of `signal`. */
  async #askModules(
    plan: Plan | undefined,
    signal: AbortSignal,
  ): Promise<CallbackResult<PlanInput['vetoes']>> {
    const { vetoes, configuration } = this.#options;
    const machine = configuration.current?.machine;
    if (!vetoes || !machine || !plan) return { kind: 'returned', value: undefined };
    const names = stoppedBy(plan, machine);
    if (names.length === 0) return { kind: 'returned', value: undefined };
    // Who passes a veto named its reason (D76).
    const isExact = [...plan.modules, ...plan.subsystems].some(
      ({ decision }) => decision.input.upgradeRequest !== undefined,
    );
    return await this.#called(
      async () => byModule(checkedVetoes(await vetoes(names, { isExact })), machine),
      signal,
    );
  }

  async #called<T>(call: () => T | Promise<T>, signal: AbortSignal): Promise<CallbackResult<T>> {
    const { polling } = this.#options;
    const answer = await callback(call, polling.clock, signal);
    if (answer.kind === 'failed') polling.onEvent({ kind: 'callback-error', error: answer.error });
    return answer;
  }

  /** The same as `plan`, with the agent's answers. */
  planWith(answers: Answers, only?: CommittedAction): Plan | undefined {
    const { configuration, lists, platform, machineId, group, isServerBusy } = this.#options;
    const { current } = configuration;
    if (!current || !lists.isInformed) return undefined;
    const facts = this.#options.facts(only);
    const reading = this.#reading();
    const input = planInputFor(
      current,
      {
        platform,
        machineId,
        group,
        answer: answers.maintenance,
        vetoes: answers.vetoes,
        ...reading,
        requirements: { satisfies: satisfiesRange, systemTags: this.#options.systemTags ?? noTags },
        isServerBusy: isServerBusy?.() ?? false,
        knownOf: (target) => {
          const terms = termsFor(current.policy, target.name);
          const known = facts(target);
          const holds = known.holds?.map((hold) => this.#holds.counted(hold, reading));
          // It may be of the version that was deployed before (D79).
          const isHeld = known.held && isHeldStill(known.held, known.deployed);
          const held = isHeld ? this.#holds.countedHeld(target, known.held, reading) : undefined;
          return { ...known, holds, held, list: lists.list(terms, moduleOf(target)) };
        },
      },
      only?.target,
    );
    return planMachine(input);
  }

  /** Calls `use` with a plan, for which the agent was asked if that is necessary. Rejects with the reason of `signal`. */
  async asking<T>(
    use: (plan: Plan | undefined) => T,
    signal: AbortSignal,
    only?: CommittedAction,
  ): Promise<T> {
    let plan = this.plan(only);
    if (plan === 'ask-first') {
      const [maintenance, vetoes] = await Promise.all([
        this.#options.isMaintenanceAllowed && this.askMaintenance(signal),
        this.#askModules(this.planWith({}, only), signal),
      ]);
      signal.throwIfAborted();
      plan = this.planWith(answersOf(maintenance, vetoes), only);
    }
    return use(plan);
  }

  /** The name of the module entry that `open` has to wait for; undefined if there is none (T62). */
  blockingDependency(open: OpenAction, memory: MachineMemory | undefined): string | undefined {
    const { configuration, lists, platform, polling } = this.#options;
    const { current } = configuration;
    if (!current || !memory) return undefined;
    const { machine, policy } = current;
    return blockingDependency(open, {
      machine,
      memory,
      platform,
      now: polling.clock.now(),
      listOf: ({ name, moduleId }) => lists.list(termsFor(policy, name), moduleId),
    });
  }

  /** How long `plan` stays valid in milliseconds if no input changes; at most an interval, since the clock may be set. */
  untilNextChange(plan: Plan | undefined): number {
    const { clock, intervalMs } = this.#options.polling;
    const now = clock.now();
    return [...(plan?.modules ?? []), ...(plan?.subsystems ?? [])].reduce(
      (least, { decision, nextChange }) =>
        Math.min(
          least,
          nextChange ? Math.max(nextChange.at - now, 0) : intervalMs,
          waitsForAnswer(decision) ? ASK_EVERY_MS : intervalMs,
        ),
      intervalMs,
    );
  }
}

/** An agent that cannot say what must not be stopped does not allow maintenance. */
function answersOf(
  maintenance: MaintenanceAnswer | undefined,
  vetoes: CallbackResult<PlanInput['vetoes']>,
): Answers {
  if (vetoes.kind === 'returned') return { maintenance, vetoes: vetoes.value };
  const isAllowed = (maintenance ?? 'allowed') === 'allowed';
  return { maintenance: isAllowed ? vetoes.kind : maintenance };
}

/** Whether nothing but the agent's `false`, or what a module says, holds it. */
function waitsForAnswer(decision: Decision): boolean {
  return decision.kind === 'hold' && decision.because.every(isAnswer);
}

function isAnswer(hold: Hold): boolean {
  return (
    hold.reason === 'veto' ||
    (hold.reason === 'maintenance-not-allowed' &&
      (hold.answer === 'not-allowed' || hold.answer === 'forbidden'))
  );
}

function noTags(): readonly string[] {
  return [];
}

/** The input of each decision, by target key. */
export function inputsOf({ modules, subsystems }: Plan): ReadonlyMap<string, DecideInput> {
  return new Map([
    ...modules.map(
      ({ name, decision }) => [keyOf({ kind: 'module', name }), decision.input] as const,
    ),
    ...subsystems.map(
      ({ target, decision }) =>
        [keyOf({ kind: 'subsystem', name: target.name }), decision.input] as const,
    ),
  ]);
}
