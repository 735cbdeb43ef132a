import type { ReleaseList } from '../../registry/registry.ts';
import { describeRefused } from '../../core/explanation/words.ts';
import type { Constraint, Refused } from '../../core/index.ts';
import { publishedText } from '../../core/releases/refusal.ts';
import { escapeUnprintableInJson } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';

/** `document` as one line, with escapes in place of control characters. */
export function jsonLine(document: object): string {
  return escapeUnprintableInJson(JSON.stringify(document));
}

export function listAsJson({ source, fetchedAt, stale }: ReleaseList): object {
  const fetched_at = fetchedAt === undefined ? null : formatTime(fetchedAt);
  return { source, fetched_at, stale: stale !== undefined };
}

export function refusedAsJson(refused: Iterable<Refused>, constraint: Constraint): object[] {
  return Array.from(refused, (one) => ({
    version: publishedText(one),
    reason: one.reason,
    detail: describeRefused(one, constraint),
  }));
}
