import fc from 'fast-check';
import { parseVersion, type Eligibility, type ReleaseRecord } from '../../src/core/index.ts';
import type { RefusedVersions } from '../../src/core/releases/eligibility-policy.ts';
import { constraintTexts, releaseRecords, rolloutTerms, versionTexts } from './arbitrary.ts';
import { constraint, version } from './ask.ts';

/** What is resolved, and with which terms. */
export interface RandomInput {
  readonly constraintText: string;
  readonly list: ReleaseRecord[];
  readonly eligibility: Eligibility;
}

const lists = fc.array(releaseRecords, { maxLength: 20 });
const eligibilities: fc.Arbitrary<Eligibility> = fc.record(
  {
    now: fc.constant(100),
    platform: fc.constantFrom('linux/amd64', 'linux/arm64'),
    quarantine: fc.array(
      fc.record({ version: versionTexts, until: fc.integer({ min: 90, max: 110 }) }),
      { maxLength: 5 },
    ),
    minimumAge: fc.record({
      ms: fc.integer({ min: 0, max: 50 }),
      unknown: fc.constantFrom('refuse', 'allow'),
      byStep: fc.option(
        fc.record({
          major: fc.integer({ min: 0, max: 50 }),
          minor: fc.integer({ min: 0, max: 50 }),
          patch: fc.integer({ min: 0, max: 50 }),
        }),
        { nil: undefined },
      ),
      exempt: fc.option(fc.array(versionTexts, { maxLength: 3 }), { nil: undefined }),
      afterYank: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
    }),
    refuse: fc.array(
      fc.record({
        versions: constraintTexts
          .map(constraint)
          // The forms of a refusal are those of a constraint, without the two words.
          .filter((one): one is RefusedVersions['versions'] => !one.kind.startsWith('latest')),
      }),
      { maxLength: 2 },
    ),
    deployed: versionTexts.map(version),
    clock: fc.oneof(
      fc.record({
        kind: fc.constant('wrong' as const),
        aheadMs: fc.integer({ min: -30, max: 30 }),
      }),
      fc.record({
        kind: fc.constantFrom('unsynchronized' as const, 'distrusted' as const),
        certainAt: fc.option(fc.integer({ min: 40, max: 110 }), { nil: undefined }),
      }),
    ),
    notAfter: fc.integer({ min: 60, max: 100 }),
    rollouts: rolloutTerms,
    firstSeen: fc.record({
      since: fc.integer({ min: 40, max: 110 }),
      added: fc
        .array(
          fc.tuple(
            versionTexts,
            fc.record({
              after: fc.oneof(fc.constant(-Infinity), fc.integer({ min: 40, max: 110 })),
              at: fc.oneof(fc.constant(Infinity), fc.integer({ min: 40, max: 110 })),
            }),
          ),
          { maxLength: 8 },
        )
        .map((spans) => new Map(spans)),
    }),
  },
  { requiredKeys: ['now'] },
);

/** Half of the constraints are derived from a version in the list, so that most inputs select a release. */
export const inputs: fc.Arbitrary<RandomInput> = fc
  .record({
    list: lists,
    eligibility: eligibilities,
    constraint: constraintTexts,
    place: fc.nat(30),
    kind: fc.constantFrom('patch', 'minor', 'major'),
  })
  .map(({ list, eligibility, place, kind, ...rest }) => {
    const parsed = parseVersion(list[place]?.version);
    if (!parsed.ok) return { constraintText: rest.constraint, list, eligibility };
    const { text, major, minor } = parsed.value;
    const constraintText = { patch: text, minor: `${major}.${minor}.*`, major: `${major}.*` }[kind];
    return { constraintText, list, eligibility };
  });
