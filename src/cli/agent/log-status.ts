import type { Delivery } from '../../logs/log-queue.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { countOf } from '../../base/count.ts';

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
