import type { DecideInput } from './decision.ts';

/** A restart that an operator requested. */
export type RestartRequest = NonNullable<DecideInput['restartRequest']>;

/** Who requested a restart or a rollback, and why. */
export type Requester = NonNullable<RestartRequest['requester']>;
