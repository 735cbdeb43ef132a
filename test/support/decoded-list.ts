import type { ModuleId, ReleaseRecord } from '../../src/core/index.ts';
import {
  lazyList,
  type DecodedList,
  type ListEntries,
} from '../../src/registry/formats/decoded-list.ts';
import { packedListInSteps } from '../../src/registry/packed-records.ts';
import { releaseEntries } from '../../src/registry/formats/release-document.ts';

/** A release list with its records as an array. */
export interface PlainList {
  readonly records: ReleaseRecord[];
  readonly dropped: readonly string[];
  readonly generation?: number | undefined;
}

/** Everything in a list. */
export function plain<T extends { readonly records: Iterable<ReleaseRecord> }>(
  list: T,
): T & Pick<PlainList, 'records'> {
  return { ...list, records: [...list.records] };
}

export function decodeEntries(entries: ListEntries): PlainList {
  return plain(lazyList(entries, {}));
}

/** Decodes a document as a folder has it. */
export function decodeReleaseDocument(document: unknown, id: ModuleId): PlainList {
  return decodeEntries(releaseEntries(document, id));
}

/** A list that is decoded when it is read, and the same list packed. */
export function decodedWays(entries: ListEntries): DecodedList[] {
  const steps = packedListInSteps(entries);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return [lazyList(entries, {}), value];
  }
}
