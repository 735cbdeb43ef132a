const LONGEST_QUOTE = 200;

// Control and format characters (bidirectional overrides and zero-width ones among them), line and
// paragraph separators, halves of surrogate pairs.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** `text` with every character that could move a cursor or forge a line written as `\u{1b}`. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${hexadecimal(character)}}`);
}

/** `json` with the same characters written as JSON escapes, so that it still means the same. */
export function escapeUnprintableInJson(json: string): string {
  return json.replace(UNPRINTABLE, (character) =>
    character.replace(/./gs, (unit) => `\\u${hexadecimal(unit).padStart(4, '0')}`),
  );
}

/** Foreign text for a message: escaped, at most 200 characters. */
export function excerpt(text: string): string {
  if (text.length <= LONGEST_QUOTE) return escapeUnprintable(text);
  return `${escapeUnprintable(text.slice(0, LONGEST_QUOTE))}…`;
}

/** Foreign text for a message, between quotation marks: escaped, at most 200 characters. */
export function quote(text: string): string {
  return `"${excerpt(text)}"`;
}

/** What a value of JSON is, for a message: `"1.x"`, `the number 12`, `null`, `a list`. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value === 'number' || typeof value === 'boolean')
    return `the ${typeof value} ${value}`;
  return `a ${typeof value}`;
}

function hexadecimal(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
