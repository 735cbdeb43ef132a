import { readFileSync } from 'node:fs';
import semver from 'semver';
import { expect, test } from 'vitest';
import { indexReleases, parseConstraint, resolve, type Constraint } from 'modreg';

/*
 * Cold: from a list of strings to the answer of one constraint, through the public functions. Warm:
 * from a parsed constraint to the answer, on a list that was asked before. The peer reads the same
 * strings; before anything is timed, the answers are compared.
 */

const LISTS = ['typescript', 'next', 'types-node'] as const;
const TIME = { time: 300 };

/** A constraint of ours, and the range of semver that means the same. */
const QUESTIONS: readonly (readonly [string, string])[] = [
  ['5.4.*', '>=5.4.0 <5.5.0'],
  ['14.*', '>=14.0.0 <15.0.0'],
  ['latest', '*'],
];

function versionsOf(list: string): string[] {
  const path = new URL(`../test/fixtures/registry/npm/${list}.json`, import.meta.url);
  const { versions } = JSON.parse(readFileSync(path, 'utf8')) as { versions: object };
  return Object.keys(versions);
}

function constraint(text: string): Constraint {
  const parsed = parseConstraint(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

function cold(text: string, versions: readonly string[]): string | null {
  const index = indexReleases(versions.map((version) => ({ version })));
  const resolution = resolve(constraint(text), index);
  return resolution.kind === 'resolved' ? resolution.release.version.text : null;
}

for (const list of LISTS) {
  const versions = versionsOf(list);
  for (const [text, range] of QUESTIONS) {
    test(`cold ${list} (${versions.length} releases) ${text}`, async ({ bench }) => {
      expect(cold(text, versions)).toBe(semver.maxSatisfying(versions, range));
      await bench.compare(
        bench('modreg', () => void cold(text, versions)),
        bench('semver.maxSatisfying', () => void semver.maxSatisfying(versions, range)),
        TIME,
      );
    });
  }

  test(`warm ${list}`, async ({ bench }) => {
    const index = indexReleases(versions.map((version) => ({ version })));
    const parsed = semver.rsort(versions.map((version) => new semver.SemVer(version)));
    const [text, range] = QUESTIONS[0] ?? ['', ''];
    const asked = constraint(text);
    const ours = resolve(asked, index);
    const peer = semver.maxSatisfying(parsed, new semver.Range(range));
    expect(ours.kind === 'resolved' ? ours.release.version.text : null).toBe(peer?.version ?? null);
    const semverRange = new semver.Range(range);
    await bench.compare(
      bench('modreg', () => void resolve(asked, index)),
      bench(
        'semver.maxSatisfying, parsed before',
        () => void semver.maxSatisfying(parsed, semverRange),
      ),
      TIME,
    );
  });
}

test('warm, 100000 releases', async ({ bench }) => {
  const versions = Array.from({ length: 100_000 }, (_, place) => {
    const prerelease = place % 4 === 0 ? '-rc.1' : '';
    return `${place % 10}.${Math.floor(place / 10) % 100}.${Math.floor(place / 1000)}${prerelease}`;
  });
  const index = indexReleases(versions.map((version) => ({ version })));
  const benches = ['5.41.99', '5.41.*', '5.*', 'latest', 'latest-with-prerelease'].map((text) => {
    const asked = constraint(text);
    expect(resolve(asked, index).kind).toBe('resolved');
    return bench(text, () => void resolve(asked, index));
  });
  const [first, second, ...rest] = benches;
  if (first && second) await bench.compare(first, second, ...rest, TIME);
});

test('a bad constraint', async ({ bench }) => {
  const long = '1'.repeat(1_000_000);
  expect([parseConstraint(long).ok, parseConstraint('1.2.x').ok]).toEqual([false, false]);
  await bench.compare(
    bench('1.2.x', () => void parseConstraint('1.2.x')),
    bench('a million characters', () => void parseConstraint(long)),
    TIME,
  );
});
