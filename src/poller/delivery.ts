import { describeValue, excerpt } from '../core/text/quote.ts';
import type { CommittedAction, ActionOutcome } from '../store/index.ts';

/** An action that is delivered to a consumer. */
export interface Delivery {
  /** The action to execute. */
  readonly action: CommittedAction;
  /** How often it was delivered, including this time. A crash or a missing acknowledgement delivers it again. */
  readonly times: number;
  /** Reports that the target version is deployed and works. On a full disk, this resolves at once and is written later. */
  readonly done: () => Promise<void>;
  /** Reports that the action failed. Rejects with a TypeError if `running` or `blame` has an unexpected value. */
  readonly failed: (failure: FailureReport) => Promise<void>;
}

/** Why an action failed, and what is deployed now. */
export type FailureReport = Omit<ActionOutcome & { readonly kind: 'failed' }, 'kind'>;

const LONGEST_RUNNING = 2048;

/** Checks a failure report at run time. Throws a TypeError if `running` or `blame` has an unexpected value. */
export function checkedFailure(report: {
  readonly [field in keyof FailureReport]: unknown;
}): FailureReport {
  const { reason, running, blame } = report;
  const isKnown = typeof running === 'string' && running.length <= LONGEST_RUNNING;
  if (!isKnown && running !== undefined && running !== null) {
    const expected = 'a version, null if nothing is deployed, or undefined if that is not known';
    throw new TypeError(
      `failed(): found ${describeValue(running)} as running, expected ${expected}`,
    );
  }
  if (blame !== 'release' && blame !== 'machine') {
    throw new TypeError(
      `failed(): found ${describeValue(blame)} as blame, expected release or machine`,
    );
  }
  return { reason: excerpt(String(reason)), running, blame };
}
