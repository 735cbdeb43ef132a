import { describeValue, excerpt } from '../core/text/quote.ts';
import type { CommittedAction, ActionOutcome } from '../store/index.ts';

/** An action in the hands of a consumer. */
export interface Delivery {
  readonly action: CommittedAction;
  /** How often it was delivered, this time included: more than once after a crash, or without an acknowledgement. */
  readonly times: number;
  /** What the action brings runs. Resolves once that is noted; where the disk is full, it is noted later. */
  readonly done: () => Promise<void>;
  /** It did not come to that. */
  readonly failed: (failure: FailureReport) => Promise<void>;
}

export type FailureReport = Omit<ActionOutcome & { readonly kind: 'failed' }, 'kind'>;

const LONGEST_RUNNING = 2048;

/**
 * What was said of a failure, which types alone do not hold it to. Throws a TypeError where it does not say what runs,
 * or whom to blame.
 */
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
