import { quote } from './quote.ts';
import type { Result } from './result.ts';

const SECOND = 1000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', SECOND],
  ['m', 60 * SECOND],
  ['h', 3600 * SECOND],
  ['d', 86_400 * SECOND],
]);
/** Ten years: no setting needs a longer time. */
const LONGEST = 3660 * 86_400 * SECOND;

/** Parses `5m`, `12h` or `7d`, at most ten years, to milliseconds. The error is one escaped line. */
export function parseDuration(text: string): Result<number, string> {
  const [, digits, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS.get(unit) ?? Number.NaN);
  if (ms <= LONGEST) return { ok: true, value: ms };
  const expected = 'a whole number and one of s, m, h, d, at most ten years, such as 5m';
  return { ok: false, error: `${quote(text)} is not a duration, expected ${expected}` };
}

const NAMES = [
  ['d', 86_400 * SECOND],
  ['h', 3600 * SECOND],
  ['min', 60 * SECOND],
  ['s', SECOND],
] as const;

/** The milliseconds of what `describeDuration` says at the beginning of `text`; undefined if nothing of that kind is there. */
export function describedMs(text: string): number | undefined {
  const [found] = /^\d{1,9} (?:d|h|min|s)(?: \d{1,9} (?:h|min|s))?(?![\w.])/.exec(text) ?? [];
  if (found === undefined) return undefined;
  const words = found.split(' ');
  return NAMES.reduce((ms, [name, unit]) => {
    const place = words.indexOf(name);
    return place < 0 ? ms : ms + Number(words[place - 1]) * unit;
  }, 0);
}

/** A time span in its two largest units: `3 h 12 min`, `8 d`, `0 s`. A negative span is described as `0 s`. */
export function describeDuration(ms: number): string {
  const place = NAMES.findIndex(([, unit]) => ms >= unit);
  const [large, small] = place === -1 ? [] : NAMES.slice(place, place + 2);
  if (!large) return '0 s';
  const [name, unit] = large;
  const count = Math.floor(ms / unit);
  const rest = small ? Math.floor((ms - count * unit) / small[1]) : 0;
  return rest === 0 || !small ? `${count} ${name}` : `${count} ${name} ${rest} ${small[0]}`;
}
