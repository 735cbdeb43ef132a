import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  indexReleases,
  resolve,
  type Eligibility,
  type ReleaseIndex,
} from '../../src/core/index.ts';
import { constraintTexts, releaseRecords, versionTexts } from '../support/arbitrary.ts';
import { ask, chosen, constraint, refusals } from '../support/ask.ts';
import { judge } from '../support/judge.ts';

const RUNS = Number(process.env['MODREG_RUNS'] ?? 2000);

const lists = fc.array(releaseRecords, { maxLength: 25 });
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
    }),
    notAfter: fc.integer({ min: 60, max: 100 }),
  },
  { requiredKeys: ['now'] },
);

describe('the total promise', () => {
  it('every entry is chosen, or refused with the one reason that an independent judge gives', () => {
    fc.assert(
      fc.property(constraintTexts, lists, eligibilities, (asked, list, eligibility) => {
        const resolution = ask(asked, list, eligibility);
        const verdict = judge(asked, list, eligibility);
        expect(chosen(resolution)).toBe(verdict.chosen);
        expect(refusals(resolution).toSorted()).toEqual(
          verdict.refused.map(({ text, reason }) => `${text}: ${reason}`).toSorted(),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('the order of the list changes nothing', () => {
    const shuffled = lists.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(constraintTexts, shuffled, eligibilities, (asked, [list, other], eligibility) => {
        const resolution = ask(asked, list, eligibility);
        const again = ask(asked, other, eligibility);
        expect(chosen(again)).toBe(chosen(resolution));
        expect(refusals(again).toSorted()).toEqual(refusals(resolution).toSorted());
      }),
      { numRuns: RUNS },
    );
  });

  it('refused entries come newest first, and then what is not a version', () => {
    expect(refusals(ask('1.*', ['1.0.0', 'junk', '1.2.0', '1.1.0-rc.1']))).toEqual([
      '1.1.0-rc.1: prerelease',
      '1.0.0: older',
      'junk: not-a-version',
    ]);
  });

  it('nothing is refused before the refusals are read', () => {
    const read: string[] = [];
    const index = indexReleases([{ version: '1.0.0' }, { version: '1.1.0' }]);
    const watched: ReleaseIndex = {
      ...index,
      releases() {
        read.push('releases');
        return index.releases();
      },
    };
    const resolution = resolve(constraint('1.*'), watched);
    expect([chosen(resolution), ...read]).toEqual(['1.1.0']);
    expect([...refusals(resolution), ...read]).toEqual(['1.0.0: older', 'releases']);
  });
});
