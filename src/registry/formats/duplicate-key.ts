const BACKSLASH = 0x5c;
const COLON = 0x3a;
const QUOTE = 0x22;
/** All other white space of JSON has lower numbers. */
const SPACE = 0x20;

/**
 * A key that an object in `text` has twice; undefined if there is none. `value` is what JSON.parse made of `text`: it keeps the last of two equal
 * keys without a word, so there are then more keys in `text`. (RFC 8259, 4)
 */
export function duplicateKey(text: string, value: unknown): string | undefined {
  return mostKeysIn(text) === keysIn(value) ? undefined : firstTwice(text);
}

/**
 * The number of keys in `text`, or more: in a string, a quote and a colon may follow each other as well. To look for colons takes a fifth
 * of the time of looking for a quote and a colon.
 */
function mostKeysIn(text: string): number {
  let keys = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= SPACE) before--;
    if (text.charCodeAt(before) === QUOTE) keys++;
  }
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

/** The number of keys of all objects in a value of JSON, which may be nested deeper than functions can call each other. */
function keysIn(value: unknown): number {
  let count = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const one = rest.pop();
    if (Array.isArray(one)) addNested(one, rest);
    else if (isNested(one)) count += keysOf(one, rest);
  }
  return count;
}

/** Not what has no keys: an array of a hostile list may have millions of numbers. */
function addNested(members: readonly unknown[], rest: unknown[]): void {
  for (const member of members) if (isNested(member)) rest.push(member);
}

/** The number of its own keys; what is nested in it is added to `rest`. An array of its values would take five times as long. */
function keysOf(one: Readonly<Record<string, unknown>>, rest: unknown[]): number {
  let count = 0;
  // What JSON.parse makes inherits no keys.
  for (const key in one) {
    count++;
    if (isNested(one[key])) rest.push(one[key]);
  }
  return count;
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
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
