const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * A key that an object in `text` has twice; undefined if there is none. `value` is what JSON.parse made of `text`: it keeps the last of two equal
 * keys without a word, so there are then more keys in `text`. (RFC 8259, 4)
 */
export function duplicateKey(text: string, value: unknown): string | undefined {
  return mostKeysIn(text) === keysIn(value) ? undefined : firstTwice(text);
}

/** White space before a colon, which programs do not write. */
const SPACED = /"[ \t\r\n]+:/;

/** The number of keys in `text`, or more: in a string, a quote and a colon may follow each other as well. A scan of each character takes ten times as long. */
function mostKeysIn(text: string): number {
  if (SPACED.test(text)) return Infinity;
  let keys = 0;
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) keys++;
  return keys;
}

/** The place of the quote that ends the string which begins at `from`. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

/** The number of keys of all objects in a value of JSON, which is at most 256 levels deep. */
function keysIn(value: unknown): number {
  let count = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const one = rest.pop();
    if (typeof one !== 'object' || one === null) continue;
    const members: readonly unknown[] = Array.isArray(one) ? one : Object.values(one);
    if (!Array.isArray(one)) count += members.length;
    for (const member of members) if (typeof member === 'object') rest.push(member);
  }
  return count;
}

/** Whether a colon follows the string that ends at `end`. */
function isKey(text: string, end: number): boolean {
  let next = end + 1;
  while (' \t\r\n'.includes(text.charAt(next)) && next < text.length) next++;
  return text.charCodeAt(next) === COLON;
}

/** The first key that its object has already. `text` is JSON. */
function firstTwice(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      const keys = isKey(text, end) ? open.at(-1) : undefined;
      // A cast: what is in quotes is a string.
      const key = JSON.parse(text.slice(at, end + 1)) as string;
      if (keys?.has(key) === true) return key;
      keys?.add(key);
      at = end;
    }
  }
  return undefined;
}
