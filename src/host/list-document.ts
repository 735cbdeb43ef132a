import type { ReleaseList } from '../registry/registry.ts';
import { describeRefused } from '../core/explanation/words.ts';
import type { Constraint, Refused } from '../core/index.ts';
import { publishedText } from '../core/releases/refusal.ts';
import { formatTime } from '../core/text/rfc3339.ts';

/** Where a list is from, as JSON. */
export function listAsJson({ source, fetchedAt, stale }: ReleaseList): object {
  const fetched_at = fetchedAt === undefined ? null : formatTime(fetchedAt);
  return { source, fetched_at, stale: stale !== undefined };
}

/** Refused releases with their reasons, as JSON. */
export function refusedAsJson(refused: Iterable<Refused>, constraint: Constraint): object[] {
  return Array.from(refused, (one) => ({
    version: publishedText(one),
    reason: one.reason,
    detail: describeRefused(one, constraint),
  }));
}
