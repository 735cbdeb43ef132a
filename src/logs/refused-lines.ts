import type { Answer } from './collector.ts';
import type { Batch } from './log-batch.ts';

/** What a collector says of records that it does not take. */
type Refusal = Extract<Answer, { readonly kind: 'refused' | 'too-large' }>;

/** Records in a row that a collector refused one by one. They are passed over, and set aside once it takes a later one (T358). */
export interface RefusedLines {
  readonly count: number;
  /** The first of them, alone in its batch. */
  readonly first: Batch;
  /** The number of the last one; undefined if there is only the marker. */
  readonly last: number | undefined;
  /** What the collector would know to be dropped, had it taken them. */
  readonly droppedReported: number;
  /** The last answer. */
  readonly answer: Refusal;
}

/** A collector that refuses everything gets no more requests than that before the next pause. */
const MOST_IN_A_ROW = 2048;

/** `refused`, and the record of a batch if that was refused alone; undefined if it was not. */
export function refusedAlone(
  answer: Answer,
  batch: Batch,
  refused: RefusedLines | undefined,
): RefusedLines | undefined {
  if (batch.records.length > 1) return undefined;
  if (answer.kind !== 'refused' && answer.kind !== 'too-large') return undefined;
  const { last = refused?.last, droppedReported } = batch;
  const count = (refused?.count ?? 0) + 1;
  return { count, first: refused?.first ?? batch, last, droppedReported, answer };
}

/** Whether the collector may refuse everything: no record is tried before a pause. */
export function isTooMany({ count }: RefusedLines): boolean {
  return count >= MOST_IN_A_ROW;
}

/** Which lines are not sent, for a person. */
export function describeRefused({ count, first, answer }: RefusedLines): string {
  return count === 1
    ? `a line of the log is not sent, ${first.first}: ${answer.why}`
    : `${count} lines of the log are not sent, the first is ${first.first}: ${answer.why}`;
}
