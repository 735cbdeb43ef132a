import { quote } from '../../core/text/quote.ts';
import { badValue } from '../fault.ts';
import { readsText, type Schema } from './fields.ts';

const LONGEST_NAME = 255;
// Control and format characters, separators of lines, halves of surrogate pairs, and the slash: a name
// is shown to people, and a module's is a folder under `module-data`.
const ILLEGAL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}/]/u;

// The same for JSON Schema, as far as patterns there can say it.
const PART = '[^\\u0000-\\u001f\\u007f/]';
const VISIBLE = '[^\\u0000-\\u001f\\u007f/ ]';

/** The name of a component, a module, a pin. */
export const name: Schema<string> = readsText(
  'a name',
  (text) => {
    const complaint = complaintOf(text);
    if (complaint === undefined) return { ok: true, value: text };
    return { ok: false, error: badValue(`${quote(text)} is not a name: ${complaint}`) };
  },
  {
    maxLength: LONGEST_NAME,
    pattern: `^${VISIBLE}(?:${PART}*${VISIBLE})?$`,
    not: { enum: ['.', '..'] },
  },
);

/** Whether `text` can be the name of anything. */
export function isName(text: string): boolean {
  return complaintOf(text) === undefined;
}

function complaintOf(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text === '.' || text === '..') return 'in a path it stands for another folder';
  if (text.trim() !== text) return 'it begins or ends with a blank';
  const illegal = ILLEGAL.exec(text);
  if (illegal)
    return `${quote(illegal[0])} at character ${illegal.index + 1} cannot be part of one`;
  // No character has more than three bytes a unit.
  if (text.length <= LONGEST_NAME / 3) return undefined;
  const bytes = new TextEncoder().encode(text).length;
  return bytes > LONGEST_NAME
    ? `it has ${bytes} bytes, expected at most ${LONGEST_NAME}`
    : undefined;
}
