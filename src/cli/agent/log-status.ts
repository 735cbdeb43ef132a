import { dirname, join } from 'node:path';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { LOG_FILE, openLog } from '../../logs/log-file.ts';
import type { Delivery } from '../../logs/log-queue.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { countOf } from '../../base/count.ts';

/** How far the log beside `statePath` was sent; undefined if the policy names no collector, or if the log cannot be read. */
export function logDelivery(statePath: string): Delivery | undefined {
  try {
    const log = openLog(join(dirname(statePath), LOG_FILE), 'read');
    try {
      const delivery = log.delivery();
      const isConfigured = delivery.endpoint !== undefined || delivery.trouble !== undefined;
      return isConfigured ? delivery : undefined;
    } finally {
      log.close();
    }
  } catch (error) {
    // modreg agent logs says what is wrong.
    if (error instanceof DatabaseError) return undefined;
    throw error;
  }
}

/** A line for a person: `Log: sent to https://… at 2026-11-24T10:00:00Z; 12 lines wait`. */
export function logLineOf(delivery: Delivery): string {
  const { endpoint, sentAt, waiting, trouble, dropped, setAside, rejected } = delivery;
  const when = sentAt === undefined ? 'never sent' : `sent at ${formatTime(sentAt)}`;
  const counts = [
    [dropped.count, 'dropped before they were sent'],
    [setAside + rejected, 'refused by the collector'],
  ] as const;
  return [
    `Log${endpoint === undefined ? '' : ` to ${excerpt(endpoint)}`}: ${when}`,
    `${countOf(waiting, 'line')} to send${trouble === undefined ? '' : ` (${trouble})`}`,
    ...counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])),
  ].join('; ');
}

/** The same for a program; null if the policy names no collector. */
export function logAsJson(delivery: Delivery | undefined): object | null {
  if (!delivery) return null;
  const { endpoint, sentAt, waiting, trouble, dropped, setAside, rejected } = delivery;
  return {
    endpoint: endpoint ?? null,
    sentAt: sentAt === undefined ? null : formatTime(sentAt),
    waiting,
    dropped: dropped.count,
    refused: setAside + rejected,
    trouble: trouble ?? null,
  };
}
