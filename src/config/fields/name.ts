import { quote } from '../../core/text/quote.ts';
import { badValue } from '../fault.ts';
import { LONGEST_NAME, nameComplaint } from '../text/name.ts';
import { parsedText, type Schema } from './fields.ts';

// The same rules, as far as JSON Schema patterns can express them.
const PART = '[^\\u0000-\\u001f\\u007f/]';
const VISIBLE = '[^\\u0000-\\u001f\\u007f/ ]';

/** The name of a component, a module or a pin. */
export const name: Schema<string> = parsedText(
  'a name',
  (text) => {
    const complaint = nameComplaint(text);
    if (complaint === undefined) return { ok: true, value: text };
    return { ok: false, error: badValue(`${quote(text)} is not a name: ${complaint}`) };
  },
  {
    maxLength: LONGEST_NAME,
    pattern: `^${VISIBLE}(?:${PART}*${VISIBLE})?$`,
    not: { enum: ['.', '..'] },
  },
);
