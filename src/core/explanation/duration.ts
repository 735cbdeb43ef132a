const SECOND = 1000;
const UNITS = [
  ['d', 86_400 * SECOND],
  ['h', 3600 * SECOND],
  ['min', 60 * SECOND],
  ['s', SECOND],
] as const;

/** A time span in its two largest units: `3 h 12 min`, `8 d`, `0 s`. A negative one counts as none. */
export function describeDuration(ms: number): string {
  let left = Math.max(0, ms);
  const place = UNITS.findIndex(([, unit]) => left >= unit);
  if (place === -1) return '0 s';
  const parts = UNITS.slice(place, place + 2).flatMap(([name, unit]) => {
    const count = Math.floor(left / unit);
    left -= count * unit;
    return count === 0 ? [] : [`${count} ${name}`];
  });
  return parts.join(' ');
}
