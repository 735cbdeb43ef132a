import { startUpOf, type ActionTarget, type Plan } from '../core/index.ts';
import { DEFAULT_TERMS, termsFor, type UpdateTerms } from '../core/machine/update-policy.ts';
import type { MachineMemory, MachineState, OpenAction, ActionOutcome } from '../store/index.ts';
import { keyOf } from '../core/plan/target.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { askAgent } from './ask-agent.ts';
import { Wakeup } from './wakeup.ts';
import { targetsOf, type Configuration } from '../core/plan/configuration.ts';
import { loggedDecisions } from '../core/plan/logged-decisions.ts';
import { DeliveryTimes } from './delivery-times.ts';
import { checkedFailure, type Delivery } from './delivery.ts';
import { isolated, type PollerEvent } from './event.ts';
import { Observer, type ObserverOptions } from './observer.ts';
import { factsOf, type TargetFacts } from '../core/plan/plan-input.ts';
import { reconcile } from '../core/plan/reconcile.ts';
import { ActionGate } from './action-gate.ts';
import { firstPhase } from './schedule.ts';
import { StateAccess } from './state-access.ts';
import { revalidate } from '../core/plan/revalidate.ts';
import { blockingDependency } from '../core/plan/blocking-dependency.ts';

export interface PollerOptions extends Omit<ObserverOptions, 'facts' | 'onEvent'> {
  /** The machine's memory, of the file that this process claimed. */
  readonly state: MachineState;
  /**
   * What runs, asked where the machine does not remember it: a version, `null` where nothing does, undefined where
   * the agent does not know either. (D14)
   */
  readonly whatRuns?: (target: ActionTarget) => unknown;
  /** For `PLATFORM_AGENT_FAST_START`. (D28) */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How long a consumer may take before an action is delivered again: half an hour unless given, a second at least. (T61) */
  readonly acknowledgeWithinMs?: number;
  readonly onEvent?: (event: PollerEvent) => void;
}

const ACKNOWLEDGE_WITHIN_MS = 30 * 60_000;
const LEAST_ACKNOWLEDGE_MS = 1000;
const UNKNOWN = { kind: 'unknown' } as const;
/** A later time was noted by a clock that was wrong. */
const LONGEST_RETRY_MS = 15 * 60_000;

/**
 * Decides for one machine, again and again, and hands out its actions. An action is on the disk before it is
 * delivered, and is delivered until it is acknowledged, always with one id; another takes its place only as long as
 * nobody has it. (design, Storage)
 */
export class Poller {
  readonly #options: PollerOptions;
  readonly #state: StateAccess;
  readonly #observer: Observer;
  readonly #onEvent: (event: PollerEvent) => void;
  readonly #acknowledgements: Acknowledgements;
  readonly #gate: ActionGate;
  /** Rung when there may be something to deliver. */
  readonly #offers: Wakeup;
  readonly #stopping = new AbortController();
  readonly #times: DeliveryTimes;
  #running: Promise<void> | undefined;

  /** Throws a RangeError where the interval, or the time to acknowledge, is none. */
  constructor(options: PollerOptions) {
    const { acknowledgeWithinMs = ACKNOWLEDGE_WITHIN_MS } = options;
    if (!(acknowledgeWithinMs >= LEAST_ACKNOWLEDGE_MS)) {
      const expected = `expected ${LEAST_ACKNOWLEDGE_MS} or more`;
      throw new RangeError(`acknowledgeWithinMs is ${acknowledgeWithinMs}, ${expected}`);
    }
    this.#options = options;
    this.#observer = new Observer({ ...options, facts: () => this.#facts() });
    const { polling } = this.#observer;
    const onEvent = isolated<PollerEvent>(options.onEvent);
    this.#onEvent = onEvent;
    this.#state = new StateAccess(options.state, onEvent);
    this.#acknowledgements = new Acknowledgements(this.#state, polling, onEvent);
    this.#gate = new ActionGate(polling.clock, onEvent);
    this.#offers = new Wakeup(polling.clock);
    this.#times = new DeliveryTimes(polling.clock);
  }

  /** Begins to poll. Throws where it was begun before. */
  start(): void {
    if (this.#running) throw new Error('this poller was started before, and polls once');
    const { clock } = this.#observer.polling;
    this.#gate.begin(this.#state.read());
    this.#state.write((state) => state.start(clock.now()));
    const sight = {
      prepare: async (configuration: Configuration) => {
        await this.#askWhatRuns(configuration);
        this.#acknowledgements.note();
      },
      untilFirstRound: (configuration?: Configuration) => this.#untilFirstRound(configuration),
      onPlan: (plan: Plan) => this.#onPlan(plan),
    };
    this.#running = this.#observer.run(sight, this.#stopping.signal);
  }

  /** Ends all iterators and whatever is under way. What was delivered may still be acknowledged. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the poller was stopped'));
    await this.#running;
  }

  /** Has the machine planned at once, as when what it depends on was changed. */
  look(): void {
    this.#observer.look();
  }

  /**
   * The actions as they are due, each to one consumer. The next comes without an acknowledgement of the last. Ends when
   * `signal` is aborted or the poller stops.
   */
  async *deliveries(signal?: AbortSignal): AsyncGenerator<Delivery, void, undefined> {
    const ending = AbortSignal.any([this.#stopping.signal, ...(signal ? [signal] : [])]);
    try {
      while (!ending.aborted) {
        const heard = this.#offers.rung;
        const delivery = await this.#next(ending);
        if (delivery) yield delivery;
        else await this.#offers.wait(heard, this.#untilDue(), ending);
      }
    } catch (error) {
      if (!ending.aborted) throw error;
    }
  }

  /** Where the memory cannot be read nothing is known, and nothing is done. A restart for `action` is left out. */
  #facts(action?: string): TargetFacts {
    const memory = this.#state.read();
    return (target) =>
      memory ? factsOf(this.#times.corrected(memory.of(target), action)) : { deployed: UNKNOWN };
  }

  /** Fast start skips the first check, and with it the wait before it. (D28) */
  #untilFirstRound(configuration: Configuration | undefined): number {
    const { intervalMs, random } = this.#observer.polling;
    const { environment = {} } = this.#options;
    const isChecked =
      !configuration || startUpOf(configuration.machine.agent, environment).checksForUpdates;
    return firstPhase(intervalMs, random()) + (isChecked ? 0 : intervalMs);
  }

  async #askWhatRuns(configuration: Configuration): Promise<void> {
    const { whatRuns } = this.#options;
    const memory = this.#state.read();
    if (!whatRuns || !memory) return;
    const { clock } = this.#observer.polling;
    const unknown = targetsOf(configuration).filter(
      (target) => memory.of(target).deployed.kind === 'unknown',
    );
    // All at once: an agent that does not answer is waited for once.
    const asked = unknown.map(async (target) => {
      const answer = await askAgent(() => whatRuns(target), clock, this.#stopping.signal);
      if (answer.kind === 'failed') this.#onEvent({ kind: 'callback-error', error: answer.error });
      const running = answer.kind === 'answered' ? answer.value : undefined;
      if (typeof running !== 'string' && running !== null) return;
      this.#state.write((state) => state.report(target, running, clock.now()));
    });
    await Promise.all(asked);
  }

  #onPlan(plan: Plan): void {
    const memory = this.#state.read();
    if (!memory) return;
    if (this.#gate.mayCommit(memory, this.#observer.rounds.count)) this.#commit(plan, memory);
    const due = (this.#state.read()?.open ?? []).filter((open) => this.#untilDueOf(open) === 0);
    const needs = new Map(
      due.map((open) => [keyOf(open.action.target), this.#blockingDependency(open)]),
    );
    const decisions = loggedDecisions(plan, needs);
    this.#state.write((state) => state.log(decisions, this.#observer.rounds.last));
    this.#state.settle();
    this.#offers.ring();
  }

  #commit(plan: Plan, { open }: MachineMemory): void {
    const { clock } = this.#observer.polling;
    const { actions, superseded } = reconcile(plan, open);
    if (actions.length === 0 && superseded.length === 0) return;
    const committed = this.#state.write((state) => state.commit(actions, superseded, clock.now()));
    if (!committed) return;
    for (const { action } of superseded) this.#onEvent({ kind: 'superseded', action });
    for (const action of committed.value) this.#onEvent({ kind: 'committed', action });
  }

  /** The first open action that may be carried out now. */
  async #next(signal: AbortSignal): Promise<Delivery | undefined> {
    const memory = this.#state.read();
    if (!memory || !this.#gate.mayAct(memory, this.#observer.rounds.count)) return undefined;
    for (const open of memory.open) {
      if (this.#untilDueOf(open) > 0) continue;
      signal.throwIfAborted();
      const delivery = await this.#revalidate(open, signal);
      if (delivery) return delivery;
    }
    return undefined;
  }

  /** The window is looked at again, and so is everything else. (T51) */
  async #revalidate(open: OpenAction, signal: AbortSignal): Promise<Delivery | undefined> {
    const { target, id } = open.action;
    let delivery: Delivery | undefined;
    const use = (plan: Plan): void => {
      const verdict = revalidate(open, plan);
      // Somebody else may have been faster meanwhile.
      if (verdict === 'wait' || !this.#isStill(open)) return;
      if (verdict === 'withdraw') this.#withdraw(open);
      else if (this.#blockingDependency(open) === undefined) delivery = this.#deliver(open);
    };
    try {
      // What waits anyway takes none of the agent's time.
      if (open.state === 'waiting' && this.#blockingDependency(open) !== undefined)
        return undefined;
      // What it is part of itself is no reason not to finish it.
      await this.#observer.planNow(signal, use, { target, known: () => this.#facts(id)(target) });
    } catch (error) {
      signal.throwIfAborted();
      this.#onEvent({ kind: 'callback-error', error });
    }
    return delivery;
  }

  #isStill({ action, state, deliveries }: OpenAction): boolean {
    return (this.#state.read()?.open ?? []).some(
      (now) => now.action.id === action.id && now.state === state && now.deliveries === deliveries,
    );
  }

  /** On the disk first, in the hands of a consumer then. (I9) */
  #deliver({ action, deliveries, failures }: OpenAction): Delivery | undefined {
    const { clock } = this.#observer.polling;
    const { id, target } = action;
    const isOpen = this.#state.write((state) => state.deliver(id, clock.now()))?.value;
    if (isOpen !== true) return undefined;
    const times = deliveries + 1;
    this.#times.note(id);
    this.#onEvent({ kind: 'delivered', action, times });
    const acknowledge = async (outcome: ActionOutcome): Promise<void> => {
      this.#acknowledgements.add({ id, outcome, failures, terms: this.#termsOf(target) });
      this.#observer.look();
      await Promise.resolve();
    };
    return {
      ...{ action, times },
      done: async () => await acknowledge({ kind: 'done' }),
      failed: async (failure) => await acknowledge({ kind: 'failed', ...checkedFailure(failure) }),
    };
  }

  #withdraw({ action }: OpenAction): void {
    const { clock } = this.#observer.polling;
    if (!this.#state.write((state) => state.withdraw(action, clock.now()))) return;
    this.#onEvent({ kind: 'withdrawn', action });
    this.#observer.look();
  }

  /** What `open` waits for, by what is known at this very moment. (T62) */
  #blockingDependency(open: OpenAction): string | undefined {
    const { configuration, rounds, polling } = this.#observer;
    const memory = this.#state.read();
    if (!configuration || !memory) return undefined;
    const { platform, registryFor } = this.#options;
    return blockingDependency(open, {
      ...{ machine: configuration.machine, memory, platform, now: polling.clock.now() },
      listOf: ({ name, moduleId }) =>
        rounds.list(registryFor(termsFor(configuration.policy, name)), moduleId),
    });
  }

  #termsOf({ name }: ActionTarget): UpdateTerms {
    const { configuration } = this.#observer;
    return configuration ? termsFor(configuration.policy, name) : DEFAULT_TERMS;
  }

  /** Until one of the open actions is due, in milliseconds; the next plan may be sooner. */
  #untilDue(): number {
    const { intervalMs } = this.#observer.polling;
    const waits = (this.#state.read()?.open ?? []).map((open) => this.#untilDueOf(open));
    // What is due and was not taken up waits for the next plan.
    return waits.filter((ms) => ms > 0).reduce((least, ms) => Math.min(least, ms), intervalMs);
  }

  #untilDueOf({ action: { id }, state, notBefore }: OpenAction): number {
    const { clock } = this.#observer.polling;
    if (this.#acknowledgements.has(id)) return Infinity;
    if (state === 'waiting') {
      const wait = notBefore - clock.now();
      return wait > LONGEST_RETRY_MS ? 0 : Math.max(0, wait);
    }
    const since = this.#times.since(id);
    // Another process had it.
    if (since === undefined) return 0;
    const { acknowledgeWithinMs = ACKNOWLEDGE_WITHIN_MS } = this.#options;
    // A part of a millisecond may be too small to be slept.
    return Math.max(0, Math.floor(acknowledgeWithinMs - since));
  }
}
