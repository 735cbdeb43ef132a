import { describeValue, excerpt } from '../core/text/quote.ts';
import type { CommittedAction, ActionOutcome } from '../store/index.ts';

/** An action in the hands of a consumer. */
export interface Delivery {
  /** What to do. */
  readonly action: CommittedAction;
  /** How often it was delivered, including this time: again after a crash, or without an acknowledgement. */
  readonly times: number;
  /** The target version is deployed and runs. Resolves once that is noted; with a full disk, it is noted later. */
  readonly done: () => Promise<void>;
  /** The target version does not run. */
  readonly failed: (failure: FailureReport) => Promise<void>;
}

/** Why an action failed, and what is deployed now. */
export type FailureReport = Omit<ActionOutcome & { readonly kind: 'failed' }, 'kind'>;

const LONGEST_RUNNING = 2048;

/** A failure report, checked at run time. Throws a TypeError if its `running` or `blame` is not one. */
export function checkedFailure(said: {
  readonly [field in keyof FailureReport]: unknown;
}): FailureReport {
  const { reason, running, blame } = said;
  const isKnown = typeof running === 'string' && running.length <= LONGEST_RUNNING;
  if (!isKnown && running !== undefined && running !== null) {
    const expected = 'a version, null where nothing runs, or undefined where nobody knows';
    throw new TypeError(
      `failed() was told that ${describeValue(running)} runs, expected ${expected}`,
    );
  }
  if (blame !== 'release' && blame !== 'machine') {
    throw new TypeError(`failed() blames ${describeValue(blame)}, expected release or machine`);
  }
  return { reason: excerpt(String(reason)), running, blame };
}
