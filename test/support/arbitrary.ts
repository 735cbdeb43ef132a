import type { ClockFault } from '../../src/core/releases/eligibility-policy.ts';
import fc from 'fast-check';
import type { Eligibility, ReleaseRecord } from '../../src/core/index.ts';

// Few values, so that equal numbers, duplicates and adjacent versions are frequent.
const numbers = fc.constantFrom('0', '1', '2', '9', '10', '11');
const prereleases = fc
  .array(fc.constantFrom('0', '1', '2', '10', 'rc', 'rc-1', 'a', 'a-b', '0a', '-'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((identifiers) => `-${identifiers.join('.')}`);
const builds = fc
  .array(fc.constantFrom('0', '00', '01', '1', '9', '10', 'b', 'sha'), {
    minLength: 1,
    maxLength: 2,
  })
  .map((identifiers) => `+${identifiers.join('.')}`);

function sometimes(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(fc.constant(''), fc.constant(''), texts);
}

/** Legal versions. */
export const versionTexts: fc.Arbitrary<string> = fc
  .tuple(numbers, numbers, numbers, sometimes(prereleases), sometimes(builds))
  .map(
    ([major, minor, patch, prerelease, build]) => `${major}.${minor}.${patch}${prerelease}${build}`,
  );

/** Legal constraints, with equal weight for each of the five kinds. */
export const constraintTexts: fc.Arbitrary<string> = fc.oneof(
  versionTexts,
  fc.tuple(numbers, numbers).map(([major, minor]) => `${major}.${minor}.*`),
  numbers.map((major) => `${major}.*`),
  fc.constant('latest'),
  fc.constant('latest-with-prerelease'),
);

const junk = fc.oneof(
  fc.constantFrom('', '1', '1.2', 'v1.2.3', '01.2.3', '1.2.3-', '__proto__', 'reload-1'),
  fc.string({ maxLength: 12 }),
);

const artifacts = fc.array(
  fc.record(
    {
      platform: fc.constantFrom(
        'linux/amd64',
        'linux/arm64',
        'linux/aarch64',
        'any',
        'darwin/arm64',
      ),
      digest: fc.constantFrom('sha256:aa', 'sha256:bb', 'sha1:cc'),
    },
    { requiredKeys: ['platform'] },
  ),
  { maxLength: 3 },
);

/** Rollouts that include the machine `rover-7`, or not. Its cohorts are 0.12 with the salt s1, and 0.40 with s2. */
export const rollouts: fc.Arbitrary<NonNullable<ReleaseRecord['rollout']>> = fc.record(
  {
    salt: fc.constantFrom('s1', 's2'),
    percent: fc.constantFrom(0.1, 20, 50),
    share: fc.constantFrom(0, 0.001, 0.2, 0.5, 1),
    groups: fc.constantFrom(['canary'], ['canary', 'lab'], ['lab', 'canary'], []),
    halted: fc.constantFrom('', 'stops the motor'),
  },
  { requiredKeys: ['salt', 'percent', 'share'] },
);

/** Times are small numbers: `now` is 100 in the tests that use them. */
export const releaseRecords: fc.Arbitrary<ReleaseRecord> = fc.record(
  {
    version: fc.oneof({ weight: 9, arbitrary: versionTexts }, { weight: 1, arbitrary: junk }),
    publishedAt: fc.integer({ min: 0, max: 120 }),
    artifacts,
    yanked: fc.constantFrom('', 'broken'),
    deprecated: fc.constant('old'),
    floor: fc.constantFrom(true as const, undefined, undefined),
    rollout: rollouts,
  },
  { requiredKeys: ['version'] },
);

/** What can be wrong with a clock that says `now`, by up to 40 hours. */
export function clockFaults(now: number): fc.Arbitrary<ClockFault> {
  const hours = fc.integer({ min: -40, max: 40 }).map((count) => count * 3_600_000);
  return fc.oneof(
    fc.record({ kind: fc.constant('wrong' as const), aheadMs: hours }),
    fc.record({
      kind: fc.constantFrom('unsynchronized' as const, 'distrusted' as const),
      certainAt: fc.option(
        hours.map((ms) => now - Math.abs(ms)),
        { nil: undefined },
      ),
    }),
  );
}

/** What a machine knows about the rollouts of a list, at 100. */
export const rolloutTerms: fc.Arbitrary<NonNullable<Eligibility['rollouts']>> = fc.record(
  {
    machineId: fc.constant('rover-7'),
    group: fc.constantFrom('canary', 'lab'),
    // Older than an hour, or over five minutes ahead, is not confirmed.
    confirmedAt: fc.constantFrom(0, 100 - 3_600_000, 99 - 3_600_000, 300_100, 300_101),
    deployed: versionTexts,
  },
  { requiredKeys: [] },
);
