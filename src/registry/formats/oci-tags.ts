import { parseVersion } from '../../core/version/version.ts';
import { nameOf, namespaceOf, type ModuleId } from '../../core/releases/module-id.ts';
import { describeValue } from '../../core/text/quote.ts';
import { RegistryError } from '../registry-error.ts';
import { checkLength } from './decoded-list.ts';
import { isJsonObject } from './json-object.ts';
import { versionOfTag } from './tag-version.ts';

/**
 * The tags in a page of the tag list of the repository `name`, which has the module `moduleId`. Behind a proxy, the name in the document may lack
 * what precedes that of the module. Throws a RegistryError if the document is not that list. (OCI Distribution 1.1, "Listing Tags")
 */
export function tagsIn(
  document: unknown,
  { name, moduleId }: { readonly name: string; readonly moduleId: ModuleId },
): readonly string[] {
  if (!isJsonObject(document)) {
    const message = `found ${describeValue(document)}, expected an object`;
    throw new RegistryError('not-a-registry', message);
  }
  const found = document['name'];
  const own = `${namespaceOf(moduleId)}/${nameOf(moduleId)}`;
  const isOwn = typeof found === 'string' && `/${name}`.endsWith(`/${found}`);
  if (!isOwn || !`/${found}`.endsWith(`/${own}`)) {
    const message = `/name is ${describeValue(found)}, expected "${name}"`;
    throw new RegistryError('not-a-registry', message);
  }
  // `tags` is null after all tags of a repository were deleted.
  const tags = document['tags'] ?? (Object.hasOwn(document, 'tags') ? [] : undefined);
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) {
    const message = `/tags is ${describeValue(tags)}, expected a list of strings`;
    throw new RegistryError('not-a-registry', message);
  }
  checkLength(tags.length);
  return tags;
}

/** The version that a tag names: it has `_` in place of the `+` of build metadata, which a tag cannot contain (D110). Any other tag is its own text. */
export function ociVersion(tag: string): string {
  const version = versionOfTag(tag.replaceAll('_', '+'));
  return parseVersion(version).ok ? version : tag;
}
