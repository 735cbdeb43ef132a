import type { ActionTarget, Plan } from '../core/index.ts';
import { DEFAULT_TERMS, termsFor, type UpdateTerms } from '../core/machine/update-policy.ts';
import type {
  ActionOutcome,
  CommittedAction,
  NewAction,
  OpenAction,
} from '../core/plan/committed-action.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { factsOf, type TargetFacts } from '../core/plan/plan-input.ts';
import type { PermittedRollback } from '../core/plan/permitted-rollback.ts';
import { reconcile } from '../core/plan/reconcile.ts';
import { keyOf } from '../core/plan/target.ts';
import type { Working } from '../store/failed-entries.ts';
import type { ReleaseFailure } from '../store/release-failure.ts';
import { Acknowledgements, type Acknowledgement } from './acknowledgements.ts';
import { LEAST_ACKNOWLEDGE_MS, type Attempt } from './attempt.ts';
import { Attempts } from './attempts.ts';
import type { ConfigurationSource } from './configuration-source.ts';
import { DeliveryTimes } from './delivery-times.ts';
import { checkedFailure, type Delivery } from './delivery.ts';
import type { PollerEvent } from './event.ts';
import type { PollerOptions } from './poller-options.ts';
import type { moduleSetups } from './module-setup.ts';
import type { Polling } from './polling.ts';
import type { StateAccess } from './state-access.ts';
import type { Wakeup } from './wakeup.ts';

const DEFAULT_ACKNOWLEDGE_MS = 30 * 60_000;
const UNKNOWN = { kind: 'unknown' } as const;
/** A retry time further in the future was written while the clock was wrong. */
const LONGEST_RETRY_MS = 15 * 60_000;

export interface OutboxOptions {
  readonly state: StateAccess;
  /** Provides the terms of the acknowledged targets. */
  readonly configuration: Pick<ConfigurationSource, 'current'>;
  readonly polling: Pick<Polling, 'clock' | 'random' | 'intervalMs'>;
  readonly acknowledgeWithinMs?: number | undefined;
  readonly setupOf: ReturnType<typeof moduleSetups>;
  readonly programSetup?: PollerOptions['programSetup'];
  /** Woken when the machine has to be planned again. */
  readonly changes: Wakeup;
  readonly onEvent: (event: PollerEvent) => void;
}

/** The iterator that gets an action, and the rollback that it may make by itself. */
interface Recipient {
  readonly consumer: symbol;
  readonly rollback: PermittedRollback | undefined;
}

/** As JSON, a map would have no content. */
function withMaps(_: string, value: unknown): unknown {
  return value instanceof Map ? [...(value as ReadonlyMap<unknown, unknown>)] : value;
}

/**
 * The open actions of a machine: committed, then delivered, then acknowledged or withdrawn. Each step is on disk before
 * anything relies on it. A step that cannot be written is not taken.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #acknowledgements: Acknowledgements;
  readonly #times: DeliveryTimes;
  readonly #attempts: Attempts;
  /** The setup with which an action failed because of the machine, by its id. */
  readonly #failedWith = new Map<string, string>();

  /** Throws a RangeError if `acknowledgeWithinMs` is less than a second. */
  constructor(options: OutboxOptions) {
    const { acknowledgeWithinMs = DEFAULT_ACKNOWLEDGE_MS, state, polling, onEvent } = options;
    if (!(acknowledgeWithinMs >= LEAST_ACKNOWLEDGE_MS)) {
      const expected = `expected ${LEAST_ACKNOWLEDGE_MS} or more`;
      throw new RangeError(`acknowledgeWithinMs is ${acknowledgeWithinMs}, ${expected}`);
    }
    this.#options = options;
    this.#acknowledgements = new Acknowledgements(state, polling, onEvent);
    const { clock } = polling;
    this.#times = new DeliveryTimes(clock);
    this.#attempts = new Attempts({ clock, withinMs: acknowledgeWithinMs, onEvent });
  }

  /**
   * The remembered facts of each target, without the restarts that `action` caused. While the memory cannot be read, all
   * deployed versions are unknown, so nothing is decided.
   */
  facts(action?: CommittedAction): TargetFacts {
    const { state, programSetup } = this.#options;
    const memory = state.read();
    return (target) => {
      if (!memory) return { deployed: UNKNOWN };
      const remembered = memory.of(target, programSetup?.(target)?.now);
      return factsOf(this.#times.corrected(remembered, action?.id));
    };
  }

  /**
   * Commits the new actions of a plan and ends waiting actions that it does not want, in one transaction; only those of the target
   * with the key `only`, if it is given.
   */
  commit(plan: Plan, { open }: MachineMemory, only?: string): void {
    const { state, polling, onEvent } = this.#options;
    const changes = reconcile(plan, open);
    const isMeant = ({ target }: Pick<NewAction, 'target'>): boolean =>
      only === undefined || keyOf(target) === only;
    const actions = changes.actions.filter(isMeant);
    const superseded = changes.superseded.filter(({ action }) => isMeant(action));
    if (actions.length === 0 && superseded.length === 0) return;
    const committed = state.write((file) => file.commit(actions, superseded, polling.clock.now()));
    if (!committed) return;
    for (const { action } of superseded) {
      this.#failedWith.delete(action.id);
      onEvent({ kind: 'superseded', action });
    }
    for (const action of committed.value) onEvent({ kind: 'committed', action });
  }

  /** The open actions that may be delivered now, if a plan still wants them. */
  due(): OpenAction[] {
    return this.#open().filter((open) => this.untilDue(open) === 0 && !this.isHeld(open));
  }

  /** Whether a consumer of this process has the action: then it is not delivered, even if it is overdue (D39). */
  isHeld({ action, state }: OpenAction): boolean {
    return state === 'delivered' && this.#attempts.isHeld(action.id);
  }

  /** The time until the next open action is due, in milliseconds; at most an interval. */
  untilNextDue(): number {
    const waits = this.#open().map((open) => this.untilDue(open));
    // An action that is due and was not delivered waits for the next plan.
    return waits
      .filter((ms) => ms > 0)
      .reduce((least, ms) => Math.min(least, ms), this.#options.polling.intervalMs);
  }

  /**
   * The time until this action is due, in milliseconds; infinite once it is acknowledged. An action that a consumer has
   * is due at its deadline, to be withdrawn if its version can no longer be selected. One that failed because of the machine
   * is due at once if its entry or its terms have changed since.
   */
  untilDue({ action: { id, target }, state, notBefore }: OpenAction): number {
    if (this.#acknowledgements.has(target)) return Infinity;
    if (state === 'delivered') return this.#attempts.untilDeadline(id);
    const failedWith = this.#failedWith.get(id);
    if (failedWith !== undefined && failedWith !== this.#setupOf(target)) return 0;
    const wait = notBefore - this.#options.polling.clock.now();
    return wait > LONGEST_RETRY_MS ? 0 : Math.max(0, wait);
  }

  /** Whether the stored action is still as it was read. */
  isUnchanged({ action, state, deliveries }: OpenAction): boolean {
    return this.#open().some(
      (now) => now.action.id === action.id && now.state === state && now.deliveries === deliveries,
    );
  }

  /**
   * Delivers the action to its recipient, only after the delivery is on disk (I9); undefined if it is not, or the action is
   * not open.
   */
  deliver(
    { action, deliveries, failures }: OpenAction,
    { consumer, rollback }: Recipient,
  ): Omit<Delivery, 'mayProceed'> | undefined {
    const { state, polling, onEvent } = this.#options;
    const { id } = action;
    const setup = this.#setupOf(action.target);
    const isOpen = state.write((file) => file.deliver(id, polling.clock.now()))?.value;
    if (isOpen !== true) return undefined;
    const times = deliveries + 1;
    this.#times.note(id);
    const attempt = this.#attempts.begin(action, consumer);
    onEvent({ kind: 'delivered', action, times });
    this.#failedWith.delete(id);
    const acknowledge = async (outcome: ActionOutcome): Promise<void> => {
      if (outcome.kind === 'failed' && outcome.blame === 'machine') this.#failedWith.set(id, setup);
      this.#acknowledge(attempt, failures, outcome);
      await Promise.resolve();
    };
    return {
      action,
      times,
      ...this.#options.setupOf(action, this.#options.configuration.current, rollback),
      signal: attempt.signal,
      extend: (ms) => attempt.extend(ms),
      progress: (fraction) => attempt.progress(fraction),
      done: async () => await acknowledge({ kind: 'done' }),
      failed: async (failure) => await acknowledge({ kind: 'failed', ...checkedFailure(failure) }),
    };
  }

  #acknowledge(attempt: Attempt, failures: number, outcome: ActionOutcome): void {
    const { id, target } = attempt.action;
    const report = { id, target, outcome, failures, ...this.#failedWithin(target) };
    attempt.report(outcome.kind, () => this.#acknowledgements.add(report));
    this.#attempts.end(id, 'was acknowledged through an earlier delivery', attempt);
    this.#options.changes.wake();
  }

  /** Records a failure at any time. It also ends the delivered action that deploys the version (D38). */
  reportFailure(target: ActionTarget, failure: ReleaseFailure): void {
    const report = { target, failure, ...this.#failedWithin(target) };
    const attempt = this.#attempts.find(target, failure.version);
    if (attempt) {
      attempt.report('failed', () => this.#acknowledgements.add(report));
      this.#attempts.end(attempt.action.id, 'ended, because its release was reported as failed');
    } else this.#acknowledgements.add(report);
    this.#options.changes.wake();
  }

  /** Records that a deployed version works (D80). */
  reportWorking(target: ActionTarget, working: Working): void {
    this.#acknowledgements.add({ target, working });
    this.#options.changes.wake();
  }

  /** Frees the actions of a consumer that has ended, so that another one may get them (D39). */
  release(consumer: symbol): void {
    this.#attempts.release(consumer);
  }

  /** Ends the waits for deadlines. Delivered actions can still be acknowledged. */
  stop(): void {
    this.#attempts.stop();
  }

  /** Writes the acknowledgements that could not be written before. */
  retryAcknowledgements(): void {
    this.#acknowledgements.flush();
  }

  /** The open action, if the consumer with this signal has it and has reported no outcome. */
  heldBy(signal: AbortSignal, id: string): OpenAction | undefined {
    if (!this.#attempts.isCurrent(id, signal)) return undefined;
    return this.#open().find(({ action, state }) => action.id === id && state === 'delivered');
  }

  /** Takes an action back from its consumer, which has changed nothing (D72). Returns false if that cannot be written now. */
  takeBack({ action: { id } }: OpenAction): boolean {
    const { state, polling, changes } = this.#options;
    if (!state.write((file) => file.takeBack(id, polling.clock.now()))) return false;
    this.#attempts.takeBack(id);
    changes.wake();
    return true;
  }

  /** Ends an action that was delivered and must not be delivered again. */
  withdraw({ action }: OpenAction): void {
    const { state, polling, onEvent, changes } = this.#options;
    if (!state.write((file) => file.withdraw(action, polling.clock.now()))) return;
    this.#attempts.end(action.id, 'was withdrawn');
    onEvent({ kind: 'withdrawn', action });
    changes.wake();
  }

  #open(): readonly OpenAction[] {
    return this.#options.state.read()?.open ?? [];
  }

  /** What an operator can change about a target, without functions: each reading of a policy has others. */
  #setupOf(target: ActionTarget): string {
    const modules = this.#options.configuration.current?.machine.modules ?? [];
    const entry =
      target.kind === 'module' ? modules.find(({ name }) => name === target.name) : undefined;
    return JSON.stringify([entry, this.#termsOf(target)], withMaps);
  }

  /** The terms, and what reached the program that failed: an edit meanwhile did not (D82). */
  #failedWithin(target: ActionTarget): Pick<Acknowledgement, 'terms' | 'setup'> {
    const setup = this.#options.programSetup?.(target);
    return { terms: this.#termsOf(target), setup: setup?.started ?? setup?.now };
  }

  #termsOf({ name }: ActionTarget): UpdateTerms {
    const { current } = this.#options.configuration;
    return current ? termsFor(current.policy, name) : DEFAULT_TERMS;
  }
}
