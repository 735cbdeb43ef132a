import type { ModuleId } from '../../core/index.ts';
import type { ListEntries } from './decoded-list.ts';
import { describeValue } from '../../core/text/quote.ts';
import { isJsonObject } from './json-object.ts';
import { moduleEntries } from './module-document.ts';
import { npmEntries } from './npm-packument.ts';
import { RegistryError } from '../registry-error.ts';

/**
 * Reads a document in modreg's own format, which has `releases`, or an npm packument, which has `versions`. Throws
 * a RegistryError for any other document.
 */
export function releaseEntries(document: unknown, moduleId: ModuleId): ListEntries {
  if (!isJsonObject(document)) {
    throw new RegistryError(
      'not-a-registry',
      `found ${describeValue(document)}, expected an object`,
    );
  }
  if (Object.hasOwn(document, 'releases')) return moduleEntries(document, moduleId);
  if (Object.hasOwn(document, 'versions')) return npmEntries(document);
  const message = 'found neither "releases" nor the "versions" of an npm packument';
  throw new RegistryError('not-a-registry', message);
}
