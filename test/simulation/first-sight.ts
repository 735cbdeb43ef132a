import type { Eligibility } from '../../src/core/index.ts';
import type { Ledger } from './ledger.ts';
import type { WireList, WireRelease } from './published.ts';

/*
 * When a machine first saw each release, and the publish time that it must believe (D34). It shares no code with the
 * product.
 */

/** The span in which a release was published, as far as the machine can know. */
export interface Sight {
  /** When the last list without it was confirmed; undefined for a release of the first list. */
  after: number | undefined;
  /** When the first list with it was read; `Infinity` if the clock could not say (D58). */
  at: number;
  isOnDisk: boolean;
  /** The times on the disk, if they are others. */
  onDisk?: Pick<Sight, 'after' | 'at'>;
}

/** What is known about the clock of the machine (D57). */
export interface Clocks {
  /** When the list that a process knows was confirmed by a clock that was right, by registry and module. */
  readonly certainAt: Map<string, number | undefined>;
  /** What each registry last said about the clock, by its address. */
  readonly clocks: Map<string, Eligibility['clock']>;
  /** What the clock said when it was last right; undefined until it is wrong. */
  rightAt: number | undefined;
  isClockRight: boolean;
  /** The time at which the machine last booted without a clock. */
  bootedAt: { readonly wall: number; readonly elapsed: number } | undefined;
}

export function clocksOf(): Clocks {
  return {
    certainAt: new Map(),
    clocks: new Map(),
    rightAt: undefined,
    isClockRight: true,
    bootedAt: undefined,
  };
}

/** What the machine saw later than a time that is certain, it saw then (D59). */
export function settle({ firstSights }: Ledger, key: string, certain: number): void {
  for (const sight of firstSights.get(key)?.values() ?? []) {
    sight.onDisk ??= { after: sight.after, at: sight.at };
    if (sight.after !== undefined && sight.after > certain) sight.after = certain;
    if (sight.at > certain) sight.at = certain;
  }
}

/** The clock is right. It may be set while its system says so, so the latest time counts. (D57) */
export function noteRight(ledger: Ledger, wall: number): void {
  ledger.rightAt = Math.max(ledger.rightAt ?? wall, wall);
}

/** Records the releases of a list that were never seen before. Returns their versions. */
export function noteSight(
  { firstSights }: Ledger,
  key: string,
  { releases }: WireList,
  sightOf: (version: string, isFirstList: boolean) => Sight,
): string[] {
  const sights = firstSights.get(key);
  const known = sights ?? new Map<string, Sight>();
  const added = releases.map(({ version }) => version).filter((version) => !known.has(version));
  // No version has this text: it stands for the first list, which may be empty.
  if (!sights) known.set('', sightOf('', true));
  for (const version of added) known.set(version, sightOf(version, !sights));
  firstSights.set(key, known);
  return added;
}

/** The releases with the publish times that the machine must believe. */
export function believed(
  { firstSights }: Ledger,
  key: string,
  releases: readonly WireRelease[],
): readonly WireRelease[] {
  return releases.map((release) => {
    const sight = firstSights.get(key)?.get(release.version);
    if (release.published_at === undefined || !sight) return release;
    const claimed = Date.parse(release.published_at);
    let time = claimed;
    if (sight.after !== undefined && time < sight.after) time = sight.after;
    if (time > sight.at) time = sight.at;
    if (time === claimed) return release;
    return Object.assign({}, release, { published_at: new Date(time).toISOString() });
  });
}
