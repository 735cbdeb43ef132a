import { describeValue } from '../../core/text/quote.ts';
import { RegistryError } from '../registry-error.ts';
import { checkLength, type DecodedList } from './decoded-list.ts';
import type { JsonObject } from './json-object.ts';

/**
 * Decodes the tag list of the repository `name`: every tag is an entry of the list, with `+` for its `_`,
 * because a tag cannot hold the `+` of build metadata. Nothing is known of times and files. Throws a
 * RegistryError when the document is not the tag list of `name`.
 */
export function decodeOciTags(document: JsonObject, name: string): DecodedList {
  if (document['name'] !== name) {
    const message = `/name is ${describeValue(document['name'])}, expected "${name}"`;
    throw new RegistryError('not-a-registry', message);
  }
  // A repository whose tags were all deleted has null.
  const tags = document['tags'] ?? (Object.hasOwn(document, 'tags') ? [] : undefined);
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) {
    const message = `/tags is ${describeValue(tags)}, expected a list of texts`;
    throw new RegistryError('not-a-registry', message);
  }
  checkLength(tags.length);
  return { records: tags.map((tag) => ({ version: tag.replaceAll('_', '+') })), dropped: [] };
}
