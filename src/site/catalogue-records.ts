import { compareVersions, parseVersion, type ModuleId, type Release } from '../core/index.ts';
import { lazyList } from '../registry/formats/decoded-list.ts';
import { parseJsonBytes } from '../registry/formats/json-text.ts';
import { releaseEntries } from '../registry/formats/release-document.ts';
import type { ReleaseList } from '../registry/registry.ts';
import type { ReadableCatalogue } from '../server/catalogue/readable-catalogue.ts';

/** The releases of a module as machines read them; none if the catalogue does not have it. */
export function recordsIn(
  catalogue: Pick<ReadableCatalogue, 'document'>,
  moduleId: ModuleId,
): ReleaseList['records'] {
  const document = catalogue.document(moduleId);
  if (!document) return [];
  return lazyList(releaseEntries(parseJsonBytes(document.bytes), moduleId), {}).records;
}

/** The releases that these records describe, the newest first. */
export function newestFirst(records: ReleaseList['records']): Release[] {
  return Array.from(records, ({ version: text, ...fields }) => {
    const version = parseVersion(text);
    return version.ok ? [{ ...fields, version: version.value }] : [];
  })
    .flat()
    .toSorted((a, b) => compareVersions(b.version, a.version));
}
