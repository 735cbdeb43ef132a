import { hash } from 'node:crypto';
import type { Chance } from './chance.ts';
import { PLATFORM } from './desired.ts';

/** A release in the wire format. */
export interface WireRelease {
  readonly version: string;
  readonly published_at?: string;
  readonly artifacts?: readonly WireArtifact[];
  readonly yanked?: string;
  readonly floor?: true;
  readonly deprecated?: string;
  readonly requires?: Readonly<Record<string, readonly string[]>>;
}

interface WireArtifact {
  readonly platform: string;
  readonly url?: string;
  readonly digest: string;
}

/** A release list in the wire format. */
export interface WireList {
  readonly module_id: string;
  readonly generation: number;
  readonly count: number;
  readonly releases: readonly WireRelease[];
}

const OTHER_PLATFORM = 'linux/amd64';
const MOST_RELEASES = 10;

/** A release with a version next to one of `releases`, or an unusual one. */
export function newRelease(
  releases: readonly WireRelease[],
  chance: Chance,
  now: number,
): WireRelease {
  const version = newVersion(releases, chance);
  const claimed = claimedTime(chance, now);
  return {
    version,
    ...(claimed === undefined ? {} : { published_at: new Date(claimed).toISOString() }),
    ...artifactsOf(chance),
    ...(isFloor(version) ? { floor: true } : {}),
    ...requirementsOf(version),
  };
}

/** Every third patch, without another draw: what earlier seeds play stays as it was. */
function isFloor(version: string): boolean {
  const [, , patch = '0'] = version.split(/[.+-]/);
  return Number(patch) % 3 === 2;
}

/** What releases require, by a number that their version determines: `acme:a` may require an earlier version of itself. */
const REQUIREMENTS: Readonly<Record<number, WireRelease['requires']>> = {
  1: { 'acme:c': ['<2'], 'platform-agent': ['>=1'] },
  2: { 'acme:b': ['*'] },
  7: { 'acme:a': ['>=1.0.1', '<9'] },
  9: { 'platform-server': ['>=1.0.0 <3'] },
  10: { tags: ['rack:b4'] },
};

/** Those of every third version, also without a draw. (D86) */
function requirementsOf(version: string): Pick<WireRelease, 'requires'> {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
  const requires = REQUIREMENTS[(5 * major + 3 * minor + patch) % 11];
  return requires ? { requires } : {};
}

const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const DAY = 86_400_000;

/** The publish time that a release claims; some publishers claim an impossible one. */
function claimedTime(chance: Chance, now: number): number | undefined {
  const honest = Array.from({ length: 12 }, () => now);
  return chance.one([...honest, undefined, YEAR_0, YEAR_0, now - 2 * DAY, now + 1500 * DAY]);
}

const DIGITS = 16;

function digest(chance: Chance): string {
  const hex = Array.from({ length: 4 }, () => chance.below(2 ** DIGITS).toString(16)).join('');
  return `sha256:${hex}`;
}

function artifactsOf(chance: Chance): Pick<WireRelease, 'artifacts'> {
  if (chance.is(0.2)) return {};
  const platforms = chance.one([
    [PLATFORM],
    [PLATFORM, OTHER_PLATFORM],
    [PLATFORM, OTHER_PLATFORM],
    [OTHER_PLATFORM],
  ]);
  return { artifacts: platforms.map((platform) => Object.assign(fileOf(chance), { platform })) };
}

/** A file without an address, one that a machine may download, or sometimes one that it must not. */
function fileOf(chance: Chance): Omit<WireArtifact, 'platform'> {
  const short = digest(chance);
  if (chance.is(0.4)) return { digest: short };
  const complete = `sha256:${digestOf(short)}`;
  const url = 'https://files.example/a';
  if (chance.is(0.8)) return { url, digest: complete };
  return chance.one([
    { url, digest: short },
    { url: 'http://files.example/a', digest: complete },
    { url: 'file:///etc/shadow', digest: complete },
    { url: 'http://169.254.169.254/a', digest: complete },
  ]);
}

function newVersion(releases: readonly WireRelease[], chance: Chance): string {
  const before = releases.length === 0 ? '1.0.0' : chance.one(releases).version;
  const [major = 1, minor = 0, patch = 0] = before.split(/[.+-]/).map(Number);
  const number = Number.isInteger(patch) ? patch : 0;
  return chance.one([
    `${major}.${minor}.${number + 1}`,
    `${major}.${minor}.${number + 1}`,
    `${major}.${minor}.${number + 1}`,
    `${major}.${minor + 1}.0`,
    `${major + 1}.0.0`,
    `${major}.${minor}.${number + 1}-rc.1`,
    `${major}.${minor}.${number}+b2`,
    chance.is(0.1) ? '999999999.0.0' : `${major}.${minor + 1}.1`,
  ]);
}

/** Changes the releases of a module. Returns its argument when it changes nothing. */
export type Revision = (releases: readonly WireRelease[]) => readonly WireRelease[];

export function publishing(release: WireRelease): Revision {
  return (releases) => {
    const others = releases.filter(({ version }) => version !== release.version);
    // A published release is immutable.
    if (others.length < releases.length) return releases;
    return [...others, release].slice(-MOST_RELEASES);
  };
}

/** Yanks a random release, or unyanks it. */
export function yanking(chance: Chance): Revision {
  return (releases) => {
    if (releases.length === 0) return releases;
    const place = chance.below(releases.length);
    return releases.map((release, at) => {
      if (at !== place) return release;
      const { yanked, ...rest } = release;
      return yanked === undefined ? { ...release, yanked: 'broken' } : rest;
    });
  };
}

/** Deprecates a random release, or reverts that. (D96) */
export function deprecating(chance: Chance): Revision {
  return (releases) => {
    const place = chance.below(Math.max(1, releases.length));
    return releases.map((release, at) => {
      if (at !== place) return release;
      const { deprecated, ...rest } = release;
      return deprecated === undefined ? { ...release, deprecated: 'use another' } : rest;
    });
  };
}

/** Yanks this release. */
export function withdrawing(version: string): Revision {
  return (releases) =>
    releases.map((release) =>
      release.version === version ? { ...release, yanked: 'broken' } : release,
    );
}

/** Replaces the files of a published release, which an honest registry never does. */
export function replacing(chance: Chance): Revision {
  return (releases) => {
    const place = chance.below(Math.max(1, releases.length));
    return releases.map((release, at) =>
      at === place ? { ...release, ...artifactsOf(chance) } : release,
    );
  };
}

export function listOf(
  module_id: string,
  generation: number,
  releases: readonly WireRelease[],
): WireList {
  return { module_id, generation, count: releases.length, releases };
}

/** Digests of recent texts: most are sent more than once. */
const DIGESTS: Map<string, string> = new Map();
const MOST_DIGESTS = 2000;

/** SHA-256, in hexadecimal. */
export function digestOf(text: string): string {
  const known = DIGESTS.get(text);
  if (known !== undefined) return known;
  if (DIGESTS.size >= MOST_DIGESTS) DIGESTS.clear();
  const found = hash('sha256', text);
  DIGESTS.set(text, found);
  return found;
}
