import { Cron } from 'croner';
import { quote } from '../../core/text/quote.ts';
import { badValue } from '../fault.ts';
import { parsedText, type Schema } from './fields.ts';

const FIVE_PARTS = /^\S+(?: +\S+){4}$/;
const PARTS = [
  'a minute (0 to 59)',
  'an hour (0 to 23)',
  'a day of the month (1 to 31)',
  'a month (1 to 12, JAN to DEC)',
  'a day of the week (0 to 7, SUN to SAT)',
];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** When a window opens, in cron syntax: minute, hour, day of the month, month, day of the week. */
export const cronStart: Schema<string> = parsedText(
  'a cron time such as 0 2 * * *',
  (text) => {
    const complaint = complaintOf(text);
    if (complaint === undefined) return { ok: true, value: text };
    return { ok: false, error: badValue(`${quote(text)} is not a cron time: ${complaint}`) };
  },
  { pattern: FIVE_PARTS.source },
);

function complaintOf(text: string): string | undefined {
  // croner would read a sixth part as seconds.
  if (!FIVE_PARTS.test(text)) return 'expected five parts separated by spaces';
  const parts = text.split(/ +/);
  if (isCron(parts)) return occurs(parts) ? undefined : 'it never occurs';
  const wrong = parts.findIndex(
    (part, at) => !isCron(PARTS.map((_, place) => (place === at ? part : '*'))),
  );
  return `${quote(parts[wrong] ?? text)} is not ${PARTS[wrong] ?? 'a time'}`;
}

function isCron(parts: readonly string[]): boolean {
  // croner replaces a question mark with the current time.
  if (parts.some((part) => part.includes('?'))) return false;
  try {
    return new Cron(parts.join(' '), { paused: true, mode: '5-part' }).getPattern() !== undefined;
  } catch {
    return false;
  }
}

/** Whether any of the months has the first of the days: 30 February never occurs. */
function occurs([, , days = '', months = '', weekdays = '']: readonly string[]): boolean {
  if (weekdays !== '*' || !/^[\d,-]+$/.test(days)) return true;
  const first = Math.min(...days.split(/[,-]/).map(Number));
  return monthsIn(months).some((month) => (LONGEST_MONTHS[month] ?? 31) >= first);
}

/** The listed months, from 0, with ranges expanded; all months for any other syntax. */
function monthsIn(part: string): number[] {
  const all = [...MONTHS.keys()];
  if (!/^[\w,-]+$/.test(part)) return all;
  return part.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(monthOf);
    return all.filter((month) => month >= from && month <= to);
  });
}

function monthOf(text: string): number {
  const named = MONTHS.indexOf(text.toUpperCase());
  return named === -1 ? Number(text) - 1 : named;
}
