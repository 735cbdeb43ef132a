import { nearestWord } from './nearest-word.ts';
import { quote } from './quote.ts';

/** Every member that an object may have, with anything as value: the compiler finds one that the type has and the table lacks. */
export type Members<T> = Readonly<Record<keyof T & string, unknown>>;

/**
 * Throws a TypeError for a member of `found` that is a misspelt one of `known`: a misspelt option would silently have no effect (D313).
 * Others are allowed, because a compiler accepts wider objects.
 */
export function expectSpelling(
  callee: string,
  as: string,
  found: object,
  known: Readonly<Record<string, unknown>>,
): void {
  for (const name in found) {
    if (name in known) continue;
    const meant = nearestWord(
      name,
      Object.keys(known).filter((one) => !isWordLonger(one, name) && !isWordLonger(name, one)),
    );
    if (meant === undefined) continue;
    throw new TypeError(`${callee}: found ${quote(name)} in ${as}, expected ${quote(meant)}`);
  }
}

/** Whether `long` is `short` and another word: `machineId` is no misspelt `machine`. */
function isWordLonger(long: string, short: string): boolean {
  return long.startsWith(short) && /^[A-Z]/.test(long.slice(short.length));
}
