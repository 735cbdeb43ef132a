import { excerpt } from '../core/text/quote.ts';
import type { ModuleId, ReleaseRecord } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import type { ReleaseList } from '../registry/registry.ts';

const NAMED = 3;

/**
 * The list for a query that names no machine. If no manifest that was read of it can be used, the tags alone say which releases there are, with a
 * warning; a machine installs none of them (D159).
 */
export function tagsAlone(
  moduleId: ModuleId,
  list: ReleaseList,
): { readonly list: ReleaseList; readonly problems: readonly Problem[] } {
  const records = list.isDescribedApart ? Array.from(list.records) : [];
  const bad = records.filter(({ unreadable }) => unreadable !== undefined);
  if (bad.length === 0 || records.some(({ artifacts }) => artifacts)) return { list, problems: [] };
  const message = `no manifest of ${moduleId} that was read can be used: a machine installs none of these releases`;
  const because = bad.slice(-NAMED).map((one) => `${excerpt(one.version)}: ${one.unreadable}`);
  const problem = { severity: 'warning', kind: 'untrusted-artifact', message, because } as const;
  return { list: { ...list, records: records.map(ofTag) }, problems: [problem] };
}

function ofTag({ unreadable: _bad, ...record }: ReleaseRecord): ReleaseRecord {
  return record;
}
