import type { ModuleId } from '../../core/index.ts';
import type { DecodedList } from './decoded-list.ts';
import { describeValue } from '../../core/text/quote.ts';
import { isJsonObject } from './json-object.ts';
import { decodeModuleDocument } from './module-document.ts';
import { decodeNpmPackument } from './npm-packument.ts';
import { RegistryError } from '../registry-error.ts';

/**
 * Decodes a document in modreg's own format, which has `releases`, or an npm packument, which has `versions`. Throws
 * a RegistryError for any other document.
 */
export function decodeReleaseDocument(document: unknown, moduleId: ModuleId): DecodedList {
  if (!isJsonObject(document)) {
    throw new RegistryError(
      'not-a-registry',
      `found ${describeValue(document)}, expected an object`,
    );
  }
  if (Object.hasOwn(document, 'releases')) return decodeModuleDocument(document, moduleId);
  if (Object.hasOwn(document, 'versions')) return decodeNpmPackument(document);
  const message = 'found neither "releases" nor the "versions" of an npm packument';
  throw new RegistryError('not-a-registry', message);
}
