import { formatTime } from '../core/text/rfc3339.ts';
import type { LogQueue } from './log-queue.ts';
import type { StoredRecord } from './log-record.ts';
import { otlpRecord, recordUid } from './otlp.ts';

/** Records that are sent in one request. */
export interface Batch {
  /** As JSON. */
  readonly records: string[];
  /** The number of the last one; undefined if there is only the marker. */
  readonly last: number | undefined;
  /** What the collector knows to be dropped once it has the batch. */
  readonly droppedReported: number;
  /** The first record, for a person. */
  readonly first: string;
}

const MOST_BYTES = 256 * 1024;
/** The number of the marker. Those of records begin at 1. */
const MARKER_ID = 0;

/**
 * The next batch of at most `most` records and 256 KiB; undefined if nothing is to be sent. The first record is a marker if
 * records were dropped that were not sent: it says how many there are in all, so that one that is sent twice counts once. What was
 * `refused` is passed over.
 */
export function nextBatch(
  queue: LogQueue,
  most: number,
  refused?: Pick<Batch, 'last' | 'droppedReported'>,
): Batch | undefined {
  const delivery = queue.delivery();
  const { logId, dropped } = delivery;
  const { droppedReported } = refused ?? delivery;
  const markers: StoredRecord[] =
    dropped.count === droppedReported ? [] : [markerOf(dropped.count, dropped.newestAt)];
  const next = [...markers, ...queue.unsent(most - markers.length, refused?.last)];
  const [first] = next;
  if (!first) return undefined;
  const records: string[] = [];
  let bytes = 0;
  let last = first;
  for (const record of next) {
    const json = otlpRecord(record, recordUid(logId, record));
    bytes += Buffer.byteLength(json);
    if (bytes > MOST_BYTES && records.length > 0) break;
    records.push(json);
    last = record;
  }
  return {
    records,
    last: last.id === MARKER_ID ? undefined : last.id,
    droppedReported: dropped.count,
    first: `the one of ${formatTime(first.at)}${first.module === undefined ? '' : ` about ${first.module}`}`,
  };
}

function markerOf(count: number, newestAt: number): StoredRecord {
  const text = `${count} lines until ${formatTime(newestAt)} were dropped before they were sent, in all`;
  const event = 'modreg.log.dropped';
  return { id: MARKER_ID, at: newestAt, severity: 'warn', module: undefined, event, text };
}
