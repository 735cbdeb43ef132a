import type { ModuleId, ReleaseRecord } from '../core/index.ts';
import { refusal } from '../core/releases/resolve.ts';
import { moduleListOf } from './module-list.ts';
import type { ListResult } from './registry.ts';
import type { Wanted, WantedRelease } from './wanted-release.ts';

/** What a document that was read says can change what is needed, so this repeats; each time, a registry reads up to 20 of them. */
const MOST_READS = 4;

/** Whether the document of a release was read, or cannot be. */
export function isDescribed({
  artifacts,
  unreadable,
}: Pick<ReleaseRecord, 'artifacts' | 'unreadable'>): boolean {
  return artifacts !== undefined || unreadable !== undefined;
}

/**
 * The list, after the documents of the releases were read whose files a decision may need. Only a whole list shows which those are: by
 * when a release was first seen, by what failed here, and by what would be rolled back to (D140).
 */
export async function withNeeded(
  result: ListResult,
  moduleId: ModuleId,
  wanted: Wanted,
  readAgain: (wanted: Wanted) => Promise<ListResult>,
): Promise<ListResult> {
  let current = result;
  const asked = new Set<string>();
  for (let reads = 0; reads < MOST_READS; reads++) {
    const unread = unreadIn(current, wanted(moduleId)).filter(({ text }) => !asked.has(text));
    if (unread.length === 0) break;
    for (const { text } of unread) asked.add(text);
    const queries = unread.map(({ query }) => query);
    current = await readAgain(() => queries);
  }
  return current;
}

interface Unread {
  readonly query: WantedRelease;
  /** The version of the first release that has to be read for it. */
  readonly text: string;
}

/** What decisions on a current list need, and was not read. */
function unreadIn(result: ListResult, wanted: readonly WantedRelease[]): Unread[] {
  if (!result.ok || result.value.stale) return [];
  const list = moduleListOf(result);
  if ('error' in list) return [];
  const needed = wanted.flatMap((query) => query.needed?.(list) ?? []);
  return needed.flatMap((query) => {
    const input = { ...query, index: list.index };
    for (const release of list.index.candidates(query.constraint)) {
      if (!isDescribed(release)) return [{ query, text: release.version.text }];
      if (!refusal(input, release)) break;
    }
    return [];
  });
}
