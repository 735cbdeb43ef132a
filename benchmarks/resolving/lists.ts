import { readFileSync } from 'node:fs';
import type { ReleaseRecord } from 'modreg';

export interface Packument {
  readonly name: string;
  readonly versions: Readonly<Record<string, object>>;
}

/** The packument of a real npm package. */
export function realPackument(name: string): Packument {
  const file = new URL(`../../test/fixtures/registry/npm/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Packument;
}

/**
 * A realistic release list, determined by the seed: 25 % prereleases, 10 % with build metadata, 2 % yanked, 15 % for one
 * platform only; major versions grow, and older ones get back-ports.
 */
export function seededList(count: number, seed = 1): ReleaseRecord[] {
  const random = generator(seed);
  const majors = Math.max(1, Math.round(Math.log2(count)));
  const perMinor = 20;
  const seen = new Map<string, number>();
  return Array.from({ length: count }, (_, place) => {
    const newest = Math.floor((place / count) * majors);
    const isBackPort = random() < 0.1;
    const major = isBackPort ? Math.floor(random() * (newest + 1)) : newest;
    const number = seen.get(String(major)) ?? 0;
    seen.set(String(major), number + 1);
    const core = `${major}.${Math.floor(number / perMinor)}.${number % perMinor}`;
    const prerelease = random() < 0.25 ? `-rc.${1 + Math.floor(random() * 12)}` : '';
    const build = random() < 0.1 ? `+build.${Math.floor(random() * 1000)}` : '';
    return {
      version: core + prerelease + build,
      publishedAt: 1_600_000_000_000 + place * 60_000,
      ...(random() < 0.02 ? { yanked: 'broken' } : {}),
      ...(random() < 0.15 ? { artifacts: [{ platform: 'linux/amd64' }] } : {}),
    };
  });
}

/** Lists that are expensive to parse, sort or search. */
export function adversarialLists(count: number): Record<string, string[]> {
  const ascending = Array.from({ length: count }, (_, place) => {
    return `${Math.floor(place / 400)}.${Math.floor(place / 20) % 20}.${place % 20}`;
  });
  const random = generator(7);
  return {
    ascending,
    descending: ascending.toReversed(),
    shuffled: ascending.toSorted(() => random() - 0.5),
    'all prereleases': ascending.map((version) => `${version}-rc.1`),
    'one version, many prereleases': ascending.map((_, place) => `1.0.0-dev.${place}`),
    'huge integers': ascending.map((version) => `90071992547${version}-9007199254740993${version}`),
    '256 characters': ascending.map((version) => `${version}-${'a'.repeat(255 - version.length)}`),
  };
}

/** A generator of numbers from 0 to 1, determined by the seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
