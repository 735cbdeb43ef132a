import { quote } from '../../core/text/quote.ts';

export const LONGEST_NAME = 255;
// Control and format characters, line and paragraph separators, lone surrogates, and the slash: names are shown
// to people, and a module's name is a folder under `module-data`.
const ILLEGAL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}/]/u;

/** Whether `text` is allowed as a name. */
export function isName(text: string): boolean {
  return nameComplaint(text) === undefined;
}

/** Why `text` is not a name; undefined if it is one. */
export function nameComplaint(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text === '.' || text === '..') return 'in a path it means another folder';
  if (text.trim() !== text) return 'it begins or ends with white space';
  const illegal = ILLEGAL.exec(text);
  if (illegal) return `${quote(illegal[0])} at character ${illegal.index + 1} is not allowed`;
  // UTF-8 needs at most three bytes for each UTF-16 unit.
  if (text.length <= LONGEST_NAME / 3) return undefined;
  const bytes = new TextEncoder().encode(text).length;
  return bytes > LONGEST_NAME
    ? `it has ${bytes} bytes, expected at most ${LONGEST_NAME}`
    : undefined;
}
