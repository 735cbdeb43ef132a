import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import semver from 'semver';
import { expect, it } from 'vitest';
import { compareVersions } from '../../../src/core/index.ts';
import { versionTexts } from '../../support/arbitrary.ts';
import { version } from '../../support/ask.ts';
import { RUNS } from '../../support/runs.ts';

const ORDER = new URL('../../fixtures/semver-order.json', import.meta.url);

it.each(JSON.parse(readFileSync(ORDER, 'utf8')) as { section: string; ascending: string[] }[])(
  'SemVer 2.0.0 section $section: each is lower than all that follow',
  ({ ascending }) => {
    for (const [place, text] of ascending.entries()) {
      const orders = ascending.map((other) =>
        Math.sign(compareVersions(version(text), version(other))),
      );
      expect(orders).toEqual(ascending.map((_, other) => Math.sign(place - other)));
    }
  },
);

it('agrees with semver.compareBuild, except that it breaks the ties of semver by text', () => {
  fc.assert(
    fc.property(versionTexts, versionTexts, (a, b) => {
      const order = Math.sign(compareVersions(version(a), version(b)));
      const oracle = semver.compareBuild(a, b);
      expect(order).toBe(oracle === 0 ? Math.sign(a < b ? -1 : Number(a > b)) : oracle);
    }),
    RUNS,
  );
});

it('is zero only for equal texts, and antisymmetric', () => {
  fc.assert(
    fc.property(versionTexts, versionTexts, (a, b) => {
      const order = compareVersions(version(a), version(b));
      expect(order === 0).toBe(a === b);
      expect(Math.sign(compareVersions(version(b), version(a)))).toBe(Math.sign(-order) + 0);
    }),
    RUNS,
  );
});
