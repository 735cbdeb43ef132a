const LONGEST_QUOTE = 200;

// Control and format characters (including bidirectional overrides and zero-width characters), line and paragraph
// separators, and halves of surrogate pairs.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** `text` with each character that could move a cursor or forge a line replaced by an escape such as `\u{1b}`. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${hexadecimal(character)}}`);
}

/** `json` with the same characters replaced by JSON escapes, so that its value does not change. */
export function escapeUnprintableInJson(json: string): string {
  return json.replace(UNPRINTABLE, (character) =>
    character.replace(/./gs, (unit) => `\\u${hexadecimal(unit).padStart(4, '0')}`),
  );
}

/** Untrusted text for a message: escaped, and cut at `longest` characters, by default 200. */
export function excerpt(text: string, longest: number = LONGEST_QUOTE): string {
  if (text.length <= longest) return escapeUnprintable(text);
  return `${escapeUnprintable(text.slice(0, longest))}…`;
}

/** Untrusted text for a message, in quotation marks: escaped, and cut at 200 characters. */
export function quote(text: string): string {
  return `"${excerpt(text)}"`;
}

/** Describes a JSON value for a message: `"1.x"`, `the number 12`, `null`, `a list`. */
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
