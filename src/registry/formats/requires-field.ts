import type { Path } from '../../core/text/json-pointer.ts';
import { describeValue } from '../../core/text/quote.ts';
import { isRequirable } from '../../core/plan/required.ts';
import { TAGS, type Requires } from '../../core/releases/requires.ts';
import type { Drop } from './decoded-list.ts';
import { isJsonObject } from './json-object.ts';

/** More than any release requires. */
const MOST_TEXTS = 64;
const EXPECTED = 'an object of ranges by platform-server, platform-agent or module id, and tags';

function isRequirement(key: string): boolean {
  return key === TAGS || isRequirable(key);
}

/**
 * What a release requires; undefined if absent. Other registries use the word for other things: without a key that modreg
 * knows, the field is reported and ignored. Beside such a key, what cannot be read is a range that no version is in (T385).
 */
export function decodeRequires(value: unknown, path: Path, drop: Drop): Requires | undefined {
  if (value === undefined || value === null) return undefined;
  const at = [...path, 'requires'];
  const isOurs = isJsonObject(value) && Object.keys(value).some(isRequirement);
  if (!isOurs) {
    drop(at, value, EXPECTED);
    return undefined;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, required]) => {
      if (!isRequirement(key)) drop([...at, key], required, EXPECTED);
      return [key, textsIn(required, [...at, key], drop)] as const;
    }),
  );
}

/** One text, or a list of texts that must all be met. What is neither is kept as text that nothing meets. */
function textsIn(value: unknown, path: Path, drop: Drop): readonly string[] {
  const texts = typeof value === 'string' ? [value] : value;
  if (Array.isArray(texts) && texts.length <= MOST_TEXTS && texts.every(isText)) return texts;
  drop(path, value, `text, or a list of at most ${MOST_TEXTS} texts`);
  return [describeValue(value)];
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
