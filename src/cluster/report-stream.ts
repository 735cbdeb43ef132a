import type { ReportEvent } from '../server/registry-options.ts';

/** The messages with the reports of a cluster, in order. Methods reject if the stream cannot be reached now. */
export interface ReportStream {
  /** Which stream it is, and the numbers of its first and last message. Creates it if it was lost. */
  readonly state: () => Promise<{
    readonly stream: string;
    readonly first: number;
    readonly last: number;
  }>;
  /** The message with this number; undefined if the node that answers does not have it, or not yet. */
  readonly read: (sequence: number) => Promise<Uint8Array | undefined>;
  /** The message with this number, as the leader has it. */
  readonly readAtLeader: (sequence: number) => Promise<Uint8Array | undefined>;
  /** Resolves once a majority has the message on disk. After a rejection, it may be there or not. */
  readonly append: (id: string, message: Uint8Array) => Promise<void>;
  /** Lets `fleet check` know of a message of which something was passed over. */
  readonly note: (passed: PassedOver) => Promise<void>;
  /** Calls `wake` when a message may have been appended. The result ends that. */
  readonly onNews: (wake: () => void) => () => void;
}

/** A message of the stream, or a report in it, that no front can take (T248). */
export type PassedOver = Omit<Extract<ReportEvent, { kind: 'report-passed-over' }>, 'kind'>;
