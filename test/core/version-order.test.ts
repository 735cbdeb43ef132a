import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../src/core/index.ts';
import { versionTexts } from '../support/arbitrary.ts';
import { version } from '../support/ask.ts';

describe('versions in ascending order, each lower than all that follow', () => {
  it.each([
    // SemVer 2.0.0 section 11, items 2 to 4
    ['1.0.0', '2.0.0', '2.1.0', '2.1.1'],
    ['1.0.0-alpha', '1.0.0'],
    [
      ...['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2'],
      ...['1.0.0-beta.11', '1.0.0-rc.1', '1.0.0'],
    ],
    ['1.0.0-1', '1.0.0-2', '1.0.0-10', '1.0.0--', '1.0.0-A', '1.0.0-a'],
    ['1.0.0-9007199254740992', '1.0.0-9007199254740993', '1.0.0-99999999999999999999'],
    ['1.0.0-a', '1.0.0-a+1', '1.0.0', '1.0.0+01', '1.0.0+1', '1.0.0+2', '1.0.0+2.0', '1.0.0+a'],
  ])('%s …', (...ascending) => {
    for (const [place, lower] of ascending.entries()) {
      for (const higher of ascending.slice(place + 1)) {
        expect(compareVersions(version(lower), version(higher)), `${lower} ${higher}`).toBeLessThan(
          0,
        );
        expect(
          compareVersions(version(higher), version(lower)),
          `${higher} ${lower}`,
        ).toBeGreaterThan(0);
      }
    }
  });
});

it('agrees with semver.compareBuild, but for ties that semver leaves open', () => {
  fc.assert(
    fc.property(versionTexts, versionTexts, (a, b) => {
      const order = Math.sign(compareVersions(version(a), version(b)));
      const oracle = semver.compareBuild(a, b);
      expect(order).toBe(oracle === 0 ? Math.sign(a < b ? -1 : Number(a > b)) : oracle);
    }),
    { numRuns: 5000 },
  );
});

it('is zero for equal texts alone, and the same seen from both sides', () => {
  fc.assert(
    fc.property(versionTexts, versionTexts, (a, b) => {
      const order = compareVersions(version(a), version(b));
      expect(order === 0).toBe(a === b);
      expect(Math.sign(compareVersions(version(b), version(a)))).toBe(Math.sign(-order) + 0);
    }),
  );
});
