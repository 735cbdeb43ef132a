import { MARK, NAME } from '../text/environment-template.ts';
import { badValue } from '../fault.ts';
import { parsedText, type Schema } from './fields.ts';
import { utf8Length } from '../text/utf8.ts';

const LEGAL_NAME = new RegExp(`^${NAME}$`);
/** The beginning of a reference, complete or not. */
const ATTEMPT = /\$\{environment\.([^}]*)(\}?)/g;

/** The name of an environment variable. */
export const variableName: Schema<string> = parsedText(
  'the name of an environment variable',
  (text) => {
    if (LEGAL_NAME.test(text)) return { ok: true, value: text };
    // Not quoted: someone who swaps the key and the value writes a secret here.
    const message = 'not the name of an environment variable, expected letters, digits and _';
    return { ok: false, error: badValue(message) };
  },
  { pattern: LEGAL_NAME.source },
);

/** The kernel passes on no variable with more bytes. Its name and the equals sign are two or more. */
const LONGEST_VALUE = 131_071 - 2;

/** A value of a module's `env`, as written. */
export const environmentTemplate: Schema<string> = parsedText(
  'text',
  (text) => {
    const complaint = complaintOf(text);
    return complaint === undefined
      ? { ok: true, value: text }
      : { ok: false, error: badValue(complaint) };
  },
  { pattern: `^(?:(?!\\$\\{environment\\.)[^\\u0000]|\\$\\{environment\\.${NAME}\\})*$` },
);

/** Never quotes the text: a value of `env` may be a secret. */
function complaintOf(text: string): string | undefined {
  if (text.includes('\0'))
    return 'the text contains a NUL character, which a variable cannot contain';
  // Most are too short for any of their encodings to be too long.
  const bytes = text.length > LONGEST_VALUE / 3 ? utf8Length(text) : 0;
  if (bytes > LONGEST_VALUE)
    return `the text has ${bytes} bytes, expected at most ${LONGEST_VALUE}, which Linux passes on in a variable`;
  if (!text.includes(MARK)) return undefined;
  for (const { 1: name = '', 2: end, index } of text.matchAll(ATTEMPT)) {
    const place = `at character ${index + 1}`;
    if (end === '') return `${MARK}…} ${place} has no closing brace`;
    if (!LEGAL_NAME.test(name)) {
      return `${MARK}…} ${place} does not name a variable, expected letters, digits and _`;
    }
  }
  return undefined;
}
