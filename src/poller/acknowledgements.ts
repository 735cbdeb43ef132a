import type { ActionTarget } from '../core/index.ts';
import type { UpdateTerms } from '../core/machine/update-policy.ts';
import { keyOf } from '../core/plan/target.ts';
import type { ActionOutcome } from '../store/index.ts';
import type { AcknowledgementTerms } from '../store/acknowledge.ts';
import type { Working } from '../store/failed-entries.ts';
import type { MachineState } from '../store/machine-state.ts';
import type { ReleaseFailure } from '../store/release-failure.ts';
import type { PollerEvent } from './event.ts';
import type { Polling } from './polling.ts';
import { untilRedelivery } from './schedule.ts';
import type { StateAccess } from './state-access.ts';

/** The outcome of an action as its consumer reports it, and what is needed to record it. */
export interface Acknowledgement {
  readonly id: string;
  readonly target: ActionTarget;
  readonly outcome: ActionOutcome;
  /** How often the action failed before because of the machine. */
  readonly failures: number;
  readonly terms: UpdateTerms;
  /** What of the configuration reached the program; absent if that is not known (D82). */
  readonly setup?: string | undefined;
}

/** A release that failed after its action was acknowledged, for instance (D38). */
interface LaterFailure {
  readonly target: ActionTarget;
  readonly failure: ReleaseFailure;
  readonly terms: UpdateTerms;
  readonly setup?: string | undefined;
}

/** A deployed version that has worked for some time (D80). */
interface LaterWork {
  readonly target: ActionTarget;
  readonly working: Working;
}

type Report = Acknowledgement | LaterFailure | LaterWork;

const MAX_UNKNOWN_IDS = 1000;

/** Reports of consumers that are not on disk yet. While the disk is full, they wait in their order (T52, T61). */
export class Acknowledgements {
  readonly #state: StateAccess;
  readonly #polling: Pick<Polling, 'clock' | 'random'>;
  readonly #onEvent: (event: PollerEvent) => void;
  readonly #waiting = new Set<Report>();
  readonly #unknownIds = new Set<string>();

  constructor(
    state: StateAccess,
    polling: Pick<Polling, 'clock' | 'random'>,
    onEvent: (event: PollerEvent) => void,
  ) {
    this.#state = state;
    this.#polling = polling;
    this.#onEvent = onEvent;
  }

  /** Whether a report about this target waits for the disk: until it is written, no action of the target is due. */
  has(target: ActionTarget): boolean {
    const key = keyOf(target);
    return [...this.#waiting].some((report) => keyOf(report.target) === key);
  }

  /** Adds a report, and writes it if the disk allows. Throws an Error if the file was closed: no later write helps. */
  add(report: Report): void {
    this.#waiting.add(report);
    this.flush();
    if (!this.#state.isClosed || !this.#waiting.delete(report)) return;
    throw new Error("the machine's file was closed, so the report was not recorded");
  }

  /** Writes the waiting reports, up to the first that cannot be written. */
  flush(): void {
    for (const report of this.#waiting) {
      const written = this.#write(report);
      if (!written) return;
      this.#waiting.delete(report);
      const { value: event } = written;
      if (event?.kind === 'unknown-acknowledgement') this.#reportUnknown(event);
      else if (event) this.#onEvent(event);
    }
  }

  /** A report that cannot be written for a reason other than the disk is discarded, and delays no other. */
  #write(report: Report): { readonly value: PollerEvent | undefined } | undefined {
    const { clock, random } = this.#polling;
    const at = clock.now();
    const quarantineMs = 'terms' in report ? report.terms.quarantineMs : undefined;
    const quarantineUntil = quarantineMs === undefined ? undefined : at + quarantineMs;
    const failures = 'failures' in report ? report.failures : 0;
    const terms = {
      at,
      quarantineUntil,
      setup: 'setup' in report ? report.setup : undefined,
      retryAt: Math.ceil(at + untilRedelivery(failures + 1, random())),
    };
    try {
      return this.#state.write((state) => recorded(state, report, terms));
    } catch (error) {
      this.#waiting.delete(report);
      throw error;
    }
  }

  #reportUnknown(event: PollerEvent & { readonly kind: 'unknown-acknowledgement' }): void {
    if (this.#unknownIds.has(event.id) || this.#unknownIds.size >= MAX_UNKNOWN_IDS) return;
    this.#unknownIds.add(event.id);
    this.#onEvent(event);
  }
}

/** Records a report, and returns the event that says so; undefined if none does. */
function recorded(
  state: MachineState,
  report: Report,
  terms: AcknowledgementTerms,
): PollerEvent | undefined {
  if ('working' in report) {
    state.reportWorking(report.target, report.working);
    return undefined;
  }
  if ('id' in report) {
    const { id, outcome } = report;
    if (!state.acknowledge(id, outcome, terms)) return { kind: 'unknown-acknowledgement', id };
    const open = state.memory().open.find(({ action }) => action.id === id);
    const retryMs = open && open.notBefore - terms.at;
    return { kind: 'acknowledged', id, outcome, retryMs };
  }
  const { target, failure } = report;
  const id = state.reportFailure(target, failure, terms);
  if (id === undefined) return { kind: 'failure-reported', target, failure };
  const { reason, running, blame = 'release' } = failure;
  return {
    kind: 'acknowledged',
    id,
    outcome: { kind: 'failed', reason, running, blame },
    retryMs: undefined,
  };
}
