import { quote } from '../../core/text/quote.ts';
import { badValue } from '../fault.ts';
import { readsText, type Schema } from './fields.ts';

/** The journal counts in 64 bits. */
const LARGEST = 2 ** 64;
const UNITS = ['K', 'M', 'G', 'T', 'P', 'E'];

/** A size as the system journal has it, `512M`, in bytes. (agent-syscfg, logging) */
export const byteSize: Schema<number> = readsText(
  'a size such as 512M',
  (text) => {
    const [, digits, unit = ''] = /^(\d+)([KMGTPE])$/.exec(text) ?? [];
    const bytes = Number(digits) * 1024 ** (UNITS.indexOf(unit) + 1);
    if (bytes < LARGEST) return { ok: true, value: bytes };
    const verdict = digits === undefined ? 'not a size' : 'too large a size';
    const expected = `a whole number and one of ${UNITS.join(', ')}, as in 512M`;
    const message = `${quote(text)} is ${verdict}, expected ${expected}`;
    return { ok: false, error: badValue(message, nearestSize(text)) };
  },
  { pattern: `^\\d+[${UNITS.join('')}]$` },
);

/** `512 mb` was meant as `512M`. */
function nearestSize(text: string): string | undefined {
  const [, digits, unit = ''] = /^\s*(\d{1,4})\s*([kmgt])(?:i?b)?\s*$/i.exec(text) ?? [];
  return digits === undefined ? undefined : digits + unit.toUpperCase();
}
