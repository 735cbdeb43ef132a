import type { LoggedEvent } from '../server/catalogue/change-log.ts';

/** What a writer expects of the stream. */
export type Expectation =
  /** The last event with this subject has this number; 0 if there is none. */
  | { readonly lastOfSubject: number }
  /** The last event of all has this number. */
  | { readonly last: number };

/** The events of a cluster, numbered from 1 without gaps. Methods reject if the stream cannot be reached now. */
export interface EventStream {
  /** The event with this number; undefined if the node that answers does not have it, or not yet. */
  readonly read: (sequence: number) => Promise<LoggedEvent | undefined>;
  /** The event with this number, as the leader has it. */
  readonly readAtLeader: (sequence: number) => Promise<LoggedEvent | undefined>;
  /** The number of the last event, as the leader knows it; 0 if there is none. Creates the stream if it was lost. */
  readonly last: () => Promise<number>;
  /** When the stream was created that `last` has seen: another text once it was lost. */
  readonly created: () => string | undefined;
  /** Whether `last` has seen that it was created again a moment ago: fronts may still fill in what they know. */
  readonly isFilling: () => boolean;
  /** Whether `last` has seen that another front created it a moment ago, which may have events for it. */
  readonly isOfAnother: () => boolean;
  /** The number of the last event with this subject, as the leader knows it; 0 if there is none. */
  readonly lastOf: (subject: string) => Promise<number>;
  /**
   * Appends an event, and resolves with its number once a majority has it on disk; with undefined if the stream is not as
   * expected. After a rejection, it may have been appended or not; appended again with the same expectation, it is there once.
   */
  readonly append: (
    event: Omit<LoggedEvent, 'sequence'>,
    expected: Expectation,
  ) => Promise<number | undefined>;
  /** Calls `wake` when an event may have been appended. The result ends that. */
  readonly onNews: (wake: () => void) => () => void;
}
