import type { ActionTarget, Plan } from '../core/index.ts';
import { DEFAULT_TERMS, termsFor, type UpdateTerms } from '../core/machine/update-policy.ts';
import type { ActionOutcome, CommittedAction, OpenAction } from '../core/plan/committed-action.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { factsOf, type TargetFacts } from '../core/plan/plan-input.ts';
import { reconcile } from '../core/plan/reconcile.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { ConfigurationSource } from './configuration-source.ts';
import { DeliveryTimes } from './delivery-times.ts';
import { checkedFailure, type Delivery } from './delivery.ts';
import type { PollerEvent } from './event.ts';
import type { Polling } from './polling.ts';
import type { StateAccess } from './state-access.ts';
import type { Wakeup } from './wakeup.ts';

const DEFAULT_ACKNOWLEDGE_MS = 30 * 60_000;
const LEAST_ACKNOWLEDGE_MS = 1000;
const UNKNOWN = { kind: 'unknown' } as const;
/** A later time was noted by a clock that was wrong. */
const LONGEST_RETRY_MS = 15 * 60_000;

export interface OutboxOptions {
  readonly state: StateAccess;
  /** For the terms of what is acknowledged. */
  readonly configuration: Pick<ConfigurationSource, 'current'>;
  readonly polling: Pick<Polling, 'clock' | 'random' | 'intervalMs'>;
  readonly acknowledgeWithinMs?: number | undefined;
  /** Woken when the machine has to be planned again. */
  readonly changes: Wakeup;
  readonly onEvent: (event: PollerEvent) => void;
}

/**
 * The open actions of a machine: committed, then delivered, then acknowledged or withdrawn. Each step is on the disk
 * before anything relies on it, and none is taken where it cannot be written.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #acknowledgements: Acknowledgements;
  readonly #times: DeliveryTimes;
  readonly #acknowledgeWithinMs: number;

  /** Throws a RangeError if consumers have less than a second to acknowledge. */
  constructor(options: OutboxOptions) {
    const { acknowledgeWithinMs = DEFAULT_ACKNOWLEDGE_MS, state, polling, onEvent } = options;
    if (!(acknowledgeWithinMs >= LEAST_ACKNOWLEDGE_MS)) {
      const expected = `expected ${LEAST_ACKNOWLEDGE_MS} or more`;
      throw new RangeError(`acknowledgeWithinMs is ${acknowledgeWithinMs}, ${expected}`);
    }
    this.#options = options;
    this.#acknowledgeWithinMs = acknowledgeWithinMs;
    this.#acknowledgements = new Acknowledgements(state, polling, onEvent);
    this.#times = new DeliveryTimes(polling.clock);
  }

  /**
   * What is remembered of each target, without the restarts that `action` caused. While the memory cannot be read no
   * deployed version is known, so nothing is decided.
   */
  facts(action?: CommittedAction): TargetFacts {
    const memory = this.#options.state.read();
    return (target) =>
      memory
        ? factsOf(this.#times.corrected(memory.of(target), action?.id))
        : { deployed: UNKNOWN };
  }

  /** Commits the new actions of a plan, and ends waiting ones that it does not want; all of it or nothing. */
  commit(plan: Plan, { open }: MachineMemory): void {
    const { state, polling, onEvent } = this.#options;
    const { actions, superseded } = reconcile(plan, open);
    if (actions.length === 0 && superseded.length === 0) return;
    const committed = state.write((file) => file.commit(actions, superseded, polling.clock.now()));
    if (!committed) return;
    for (const { action } of superseded) onEvent({ kind: 'superseded', action });
    for (const action of committed.value) onEvent({ kind: 'committed', action });
  }

  /** The open actions that may be delivered now, if a plan still wants them. */
  due(): OpenAction[] {
    return this.#open().filter((open) => this.untilDue(open) === 0);
  }

  /** Until the next open action is due, in milliseconds: an interval at most. */
  untilNextDue(): number {
    const waits = this.#open().map((open) => this.untilDue(open));
    // An action that is due and was not delivered waits for the next plan.
    return waits
      .filter((ms) => ms > 0)
      .reduce((least, ms) => Math.min(least, ms), this.#options.polling.intervalMs);
  }

  /** Until this action is due, in milliseconds; infinite once it was acknowledged. */
  untilDue({ action: { id }, state, notBefore }: OpenAction): number {
    if (this.#acknowledgements.has(id)) return Infinity;
    if (state === 'waiting') {
      const wait = notBefore - this.#options.polling.clock.now();
      return wait > LONGEST_RETRY_MS ? 0 : Math.max(0, wait);
    }
    const since = this.#times.since(id);
    // Another process delivered it.
    if (since === undefined) return 0;
    // A part of a millisecond may be too short to sleep.
    return Math.max(0, Math.floor(this.#acknowledgeWithinMs - since));
  }

  /** Whether nothing happened to the action since it was read. */
  isUnchanged({ action, state, deliveries }: OpenAction): boolean {
    return this.#open().some(
      (now) => now.action.id === action.id && now.state === state && now.deliveries === deliveries,
    );
  }

  /** Marks the action as delivered, and hands it out only if that is on the disk. (I9) */
  deliver({ action, deliveries, failures }: OpenAction): Delivery | undefined {
    const { state, polling, onEvent } = this.#options;
    const { id } = action;
    const isOpen = state.write((file) => file.deliver(id, polling.clock.now()))?.value;
    if (isOpen !== true) return undefined;
    const times = deliveries + 1;
    this.#times.note(id);
    onEvent({ kind: 'delivered', action, times });
    const acknowledge = async (outcome: ActionOutcome): Promise<void> => {
      this.#acknowledge(action, failures, outcome);
      await Promise.resolve();
    };
    return {
      action,
      times,
      done: async () => await acknowledge({ kind: 'done' }),
      failed: async (failure) => await acknowledge({ kind: 'failed', ...checkedFailure(failure) }),
    };
  }

  #acknowledge({ id, target }: CommittedAction, failures: number, outcome: ActionOutcome): void {
    this.#acknowledgements.add({ id, outcome, failures, terms: this.#termsOf(target) });
    this.#options.changes.wake();
  }

  /** Writes the acknowledgements that the disk could not take before. */
  retryAcknowledgements(): void {
    this.#acknowledgements.note();
  }

  /** Ends an action that was delivered and must not be delivered again. */
  withdraw({ action }: OpenAction): void {
    const { state, polling, onEvent, changes } = this.#options;
    if (!state.write((file) => file.withdraw(action, polling.clock.now()))) return;
    onEvent({ kind: 'withdrawn', action });
    changes.wake();
  }

  #open(): readonly OpenAction[] {
    return this.#options.state.read()?.open ?? [];
  }

  #termsOf({ name }: ActionTarget): UpdateTerms {
    const { current } = this.#options.configuration;
    return current ? termsFor(current.policy, name) : DEFAULT_TERMS;
  }
}
