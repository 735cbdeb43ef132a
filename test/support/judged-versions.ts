import semver from 'semver';

/* Versions for the independent judges, as semver reads them. */

/** Whether nothing is before the first number: semver strips a leading "v" or "=" and blanks. */
export function isStrict(text: string): boolean {
  return /^\d/.test(text) && !/\s/.test(text);
}

export function isNewer(a: string, b: string): boolean {
  const [one, other] = [parsed(a), parsed(b)];
  if (!one || !other) throw new Error(`${a} or ${b} is no version`);
  return (semver.compareBuild(one, other) || (a < b ? -1 : 1)) > 0;
}

/** Cached results of semver: parsing takes longer than everything else here. */
const PARSED: Map<string, semver.SemVer | null> = new Map();
const MOST_PARSED = 20_000;

export function parsed(text: string): semver.SemVer | null {
  const known = PARSED.get(text);
  if (known !== undefined) return known;
  if (PARSED.size >= MOST_PARSED) PARSED.clear();
  const version = semver.parse(text);
  PARSED.set(text, version);
  return version;
}
