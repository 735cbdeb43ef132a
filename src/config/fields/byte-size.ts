import { quote } from '../../core/text/quote.ts';
import { badValue } from '../fault.ts';
import { parsedText, type Schema } from './fields.ts';

/** The system journal counts bytes in 64 bits. */
const LARGEST = 2 ** 64;
const UNITS = ['K', 'M', 'G', 'T', 'P', 'E'];

/** A size in bytes, written as for the system journal: `512M`. (agent-syscfg, logging) */
export const byteSize: Schema<number> = parsedText(
  'a size such as 512M',
  (text) => {
    const [, digits, unit = ''] = /^(\d+)([KMGTPE])$/.exec(text) ?? [];
    const bytes = Number(digits) * 1024 ** (UNITS.indexOf(unit) + 1);
    if (bytes < LARGEST) return { ok: true, value: bytes };
    const verdict = digits === undefined ? 'not a size' : 'too large a size';
    const expected = `a whole number and one of ${UNITS.join(', ')}, such as 512M`;
    const message = `${quote(text)} is ${verdict}, expected ${expected}`;
    return { ok: false, error: badValue(message, nearestSize(text)) };
  },
  { pattern: `^\\d+[${UNITS.join('')}]$` },
);

/** Suggests `512M` for `512 mb`. */
function nearestSize(text: string): string | undefined {
  const [, digits, unit = ''] = /^\s*(\d{1,4})\s*([kmgt])(?:i?b)?\s*$/i.exec(text) ?? [];
  return digits === undefined ? undefined : digits + unit.toUpperCase();
}
