import { describeValue } from '../../core/text/quote.ts';
import { RegistryError } from '../registry-error.ts';
import { checkLength, type ListEntries } from './decoded-list.ts';
import type { JsonObject } from './json-object.ts';

/**
 * Reads the tag list of the repository `name`. Every tag is an entry, with `+` in place of `_`, because a tag cannot
 * contain the `+` of build metadata. Publish times and artifacts are unknown. Throws a RegistryError if the document
 * is not the tag list of `name`.
 */
export function ociEntries(document: JsonObject, name: string): ListEntries {
  if (document['name'] !== name) {
    const message = `/name is ${describeValue(document['name'])}, expected "${name}"`;
    throw new RegistryError('not-a-registry', message);
  }
  // `tags` is null after all tags of a repository were deleted.
  const tags = document['tags'] ?? (Object.hasOwn(document, 'tags') ? [] : undefined);
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) {
    const message = `/tags is ${describeValue(tags)}, expected a list of strings`;
    throw new RegistryError('not-a-registry', message);
  }
  checkLength(tags.length);
  const versions = tags.map((tag) => tag.replaceAll('_', '+'));
  const versionAt = (index: number): string => versions[index] ?? '';
  return {
    length: versions.length,
    versionAt,
    decode: (index) => ({ version: versionAt(index) }),
    isClean: () => true,
  };
}
