import fc from 'fast-check';
import { NOW } from './decides.ts';
import type { JudgedTerms } from './judged-machine.ts';
import { blackouts } from './random-blackouts.ts';

const HOUR = 3_600_000;

export function hours(min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min, max }).map((count) => count * HOUR);
}

export function around(min: number, max: number): fc.Arbitrary<number> {
  return hours(min, max).map((ms) => NOW + ms);
}

export function oneIn<T>(count: number, values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  const absent = { weight: count - 1, arbitrary: fc.constant(undefined) };
  return fc.oneof(absent, { weight: 1, arbitrary: values });
}

/** Few distinct versions, so that most constraints match something in most lists. */
export const versionsNearby: fc.Arbitrary<string> = fc
  .record({
    major: fc.constantFrom(1, 1, 2),
    minor: fc.constantFrom(0, 1),
    patch: fc.nat(4),
    prerelease: oneIn(6, fc.constantFrom('-rc.1', '-rc.2')),
    build: oneIn(8, fc.constantFrom('+b1', '+b2')),
  })
  .map(({ major, minor, patch, prerelease = '', build = '' }) => {
    return `${major}.${minor}.${patch}${prerelease}${build}`;
  });

const branchesNearby = fc.constantFrom('1.0.*', '1.1.*', '2.0.*', '2.*');

export const terms: fc.Arbitrary<JudgedTerms> = fc.record({
  minimumAge: fc.record({
    ms: fc.oneof(fc.constant(0), fc.constant(0), hours(1, 60)),
    unknown: fc.constantFrom('refuse' as const, 'allow' as const),
    byStep: oneIn(4, fc.record({ major: hours(0, 60), minor: hours(0, 60), patch: hours(0, 60) })),
    exempt: oneIn(6, fc.array(versionsNearby, { maxLength: 3 })),
    afterYank: oneIn(3, hours(0, 20)),
  }),
  refuse: oneIn(3, fc.array(fc.oneof(versionsNearby, branchesNearby), { maxLength: 3 })),
  allowDowngrade: fc.boolean(),
  replacesYanked: fc.boolean(),
  requireDigest: fc.boolean(),
  openings: oneIn(
    2,
    fc
      .uniqueArray(fc.integer({ min: -30, max: 90 }), { minLength: 2, maxLength: 6 })
      .map((edges) => {
        const sorted = edges.toSorted((a, b) => a - b).map((edge) => NOW + edge * HOUR);
        const starts = sorted.filter((_, place) => place % 2 === 0 && place + 1 < sorted.length);
        return starts.map((start) => [start, sorted[sorted.indexOf(start) + 1] ?? start] as const);
      }),
  ),
  blackouts: oneIn(3, blackouts),
  restMs: hours(0, 3),
  ceiling: fc.integer({ min: 1, max: 6 }),
  maxIndexAgeMs: hours(40, 100),
});
