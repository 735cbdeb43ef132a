import type { CommittedAction, Outcome } from '../store/index.ts';

/** An action in the hands of a consumer. */
export interface Delivery {
  readonly action: CommittedAction;
  /** How often it was delivered, this time included: more than once after a crash, or without an acknowledgement. */
  readonly times: number;
  /** What the action brings runs. Resolves once that is noted; where the disk is full, it is noted later. */
  done(): Promise<void>;
  /** It did not come to that. */
  failed(failure: Failure): Promise<void>;
}

export type Failure = Omit<Outcome & { readonly kind: 'failed' }, 'kind'>;
