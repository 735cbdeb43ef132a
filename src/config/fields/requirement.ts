import { parseVersion } from '../../core/index.ts';
import { isRequirable } from '../../core/plan/required.ts';
import { MODULE_ID_FORM } from '../../core/releases/module-id.ts';
import { TAG } from '../../core/releases/requires.ts';
import { quote } from '../../core/text/quote.ts';
import { badValue } from '../fault.ts';
import { parsedText, type Schema } from './fields.ts';

/** What a machine is tagged with, for releases that require a tag. */
export const tag: Schema<string> = parsedText(
  'a tag',
  (text) => {
    if (TAG.test(text)) return { ok: true, value: text };
    const expected = 'expected lowercase letters, digits and . _ + : - as in rack:b4';
    return { ok: false, error: badValue(`${quote(text)} is not a tag, ${expected}`) };
  },
  { pattern: TAG.source },
);

/** What releases may require versions of. */
export const requirable: Schema<string> = parsedText(
  'a module id',
  (text) => {
    if (isRequirable(text)) return { ok: true, value: text };
    const expected = 'expected platform-server, platform-agent or a module id such as acme:base';
    return { ok: false, error: badValue(`${quote(text)} is not a module id, ${expected}`) };
  },
  { pattern: `^(?:platform-server|platform-agent)$|${MODULE_ID_FORM.source}` },
);

/** The version of what modreg does not manage. */
export const version: Schema<string> = parsedText(
  'a version',
  (text) => {
    const read = parseVersion(text);
    if (read.ok) return { ok: true, value: text };
    const { message, suggestion } = read.error;
    return { ok: false, error: badValue(message, suggestion) };
  },
  { minLength: 5 },
);
