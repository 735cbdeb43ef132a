import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import {
  formatConstraint,
  indexReleases,
  parseConstraint,
  parseModuleId,
  parsePlatform,
  parseVersion,
  resolve,
  type Eligibility,
  type ReleaseIndex,
} from '../../src/core/index.ts';
import type { RefusedVersions } from '../../src/core/releases/eligibility-policy.ts';
import { parseTime } from '../../src/core/text/rfc3339.ts';
import { constraintTexts, releaseRecords, versionTexts } from '../support/arbitrary.ts';
import { ask, chosen, constraint, refusals, version } from '../support/ask.ts';
import { judge } from '../support/judge.ts';
import { RUNS } from '../support/runs.ts';

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
    rollouts: fc.record(
      {
        machineId: fc.constant('rover-7'),
        // An hour ago and more is too old, as is a time more than five minutes ahead.
        confirmedAt: fc.constantFrom(0, 100 - 3_600_000, 99 - 3_600_000, 300_100, 300_101),
        deployed: versionTexts,
      },
      { requiredKeys: [] },
    ),
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
const inputs = fc
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

/** `texts` with up to three characters inserted and up to two removed. */
function nearly(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const noise = fc.oneof(
    fc.constantFrom('0', '1', '.', '-', '+', '*', 'x', ' ', 'v', '^'),
    fc.string({ maxLength: 3 }),
  );
  return fc.tuple(texts, fc.nat(20), fc.nat(2), noise).map(([text, at, dropped, added]) => {
    return text.slice(0, at) + added + text.slice(at + dropped);
  });
}

/** The semver range that is equivalent to a floating constraint. */
function rangeOf(text: string): string {
  if (text.startsWith('latest')) return '*';
  const [major = '', minor = ''] = text.split('.');
  return minor === '*'
    ? `>=${major}.0.0 <${Number(major) + 1}.0.0-0`
    : `>=${major}.${minor}.0 <${major}.${Number(minor) + 1}.0-0`;
}

describe('every entry is selected or refused', () => {
  it('the choice and every reason agree with an independent implementation', () => {
    fc.assert(
      fc.property(inputs, ({ constraintText, list, eligibility }) => {
        const resolution = ask(constraintText, list, eligibility);
        const verdict = judge(constraintText, list, eligibility);
        expect(chosen(resolution)).toBe(verdict.chosen);
        expect(refusals(resolution).toSorted()).toEqual(
          verdict.refused.map(({ text, reason }) => `${text}: ${reason}`).toSorted(),
        );
      }),
      RUNS,
    );
  });

  it('each version and each entry that is not a version appears exactly once', () => {
    fc.assert(
      fc.property(inputs, ({ constraintText, list, eligibility }) => {
        const resolution = ask(constraintText, list, eligibility);
        const count = refusals(resolution).length + Number(resolution.kind === 'resolved');
        const readable = list.filter(({ version }) => parseVersion(version).ok);
        const versions = new Set(readable.map(({ version }) => version));
        expect(count).toBe(versions.size + list.length - readable.length);
      }),
      RUNS,
    );
  });

  it('refused versions come first, newest first, then entries that are not versions', () => {
    expect(refusals(ask('1.*', ['1.0.0', 'junk', '1.2.0', '1.1.0-rc.1']))).toEqual([
      '1.1.0-rc.1: prerelease',
      '1.0.0: older',
      'junk: not-a-version',
    ]);
  });

  it('refusals are computed only when they are read', () => {
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

describe('what the policy refuses', () => {
  it('[D94] an additional release that it refuses never changes the selection, in whatever order', () => {
    fc.assert(
      fc.property(inputs, releaseRecords, fc.nat(20), (input, entry, at) => {
        const { constraintText, list } = input;
        const added = parseVersion(entry.version);
        fc.pre(added.ok && list.every(({ version: text }) => text !== entry.version));
        if (!added.ok) return;
        const refused = { versions: { kind: 'patch', version: added.value } } as const;
        const refuse = [...(input.eligibility.refuse ?? []), refused];
        const eligibility = { ...input.eligibility, refuse };
        const before = chosen(ask(constraintText, list, eligibility));
        const more = list.toSpliced(at, 0, entry);
        expect(chosen(ask(constraintText, more, eligibility))).toBe(before);
        expect(chosen(ask(constraintText, more.toReversed(), eligibility))).toBe(before);
      }),
      RUNS,
    );
  });
});

describe('a resolution depends only on its input', () => {
  it('the order of the list does not change it', () => {
    const shuffled = inputs.chain((input) =>
      fc.record({
        input: fc.constant(input),
        other: fc.shuffledSubarray(input.list, { minLength: input.list.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ input: { constraintText, list, eligibility }, other }) => {
        const resolution = ask(constraintText, list, eligibility);
        const again = ask(constraintText, other, eligibility);
        expect(chosen(again)).toBe(chosen(resolution));
        expect(refusals(again).toSorted()).toEqual(refusals(resolution).toSorted());
      }),
      RUNS,
    );
  });

  it('an earlier query of the same index does not change it', () => {
    fc.assert(
      fc.property(inputs, constraintTexts, ({ constraintText, list, eligibility }, before) => {
        const index = indexReleases(list);
        resolve(constraint(before), index, eligibility);
        const again = resolve(constraint(constraintText), index, eligibility);
        const fresh = ask(constraintText, list, eligibility);
        expect([chosen(again), ...refusals(again)]).toEqual([chosen(fresh), ...refusals(fresh)]);
      }),
      RUNS,
    );
  });

  it('an additional entry changes it only if that entry is selected', () => {
    fc.assert(
      fc.property(inputs, releaseRecords, ({ constraintText, list, eligibility }, entry) => {
        fc.pre(list.every(({ version }) => version !== entry.version));
        const resolution = ask(constraintText, list, eligibility);
        const more = ask(constraintText, [...list, entry], eligibility);
        const { refused } = judge(constraintText, [...list, entry], eligibility);
        const isRefused = refused.some(({ text }) => text === entry.version);
        expect(chosen(more)).toBe(isRefused ? chosen(resolution) : entry.version);
      }),
      RUNS,
    );
  });

  it('without the chosen release, one that only the chosen one outranks is selected', () => {
    fc.assert(
      fc.property(inputs, ({ constraintText, list, eligibility }) => {
        const resolution = ask(constraintText, list, eligibility);
        const best = chosen(resolution);
        fc.pre(best !== constraintText);
        const rest = list.filter(({ version }) => version !== best);
        const next = judge(constraintText, rest, eligibility).chosen;
        const reported = refusals(resolution).filter((refused) =>
          /: (?:older|deprecated)$/.test(refused),
        );
        const candidates = reported.map((refused) => refused.replace(/: .*$/, ''));
        expect(chosen(ask(constraintText, rest, eligibility))).toBe(next);
        // One of those that only the selected one outranks: the newest, unless it is deprecated and another one is not (D96).
        expect(next === undefined ? candidates : [next]).toEqual(
          candidates.filter((text) => text === next),
        );
      }),
      RUNS,
    );
  });
});

describe('agreement with the semver package', () => {
  it('on which texts are versions', () => {
    fc.assert(
      fc.property(fc.oneof(versionTexts, nearly(versionTexts), fc.string()), (text) => {
        // semver strips spaces, "v" and "=".
        const isVersion = semver.valid(text) !== null && /^\d\S*$/.test(text);
        expect(parseVersion(text).ok).toBe(isVersion);
      }),
      RUNS,
    );
  });

  it('on which release a floating constraint selects', () => {
    const floating = constraintTexts.filter((text) => /\*$|^latest/.test(text));
    fc.assert(
      fc.property(
        floating,
        fc.array(versionTexts, { maxLength: 30 }),
        (constraintText, versions) => {
          const isOpen = constraintText === 'latest-with-prerelease';
          const best = semver.maxSatisfying(versions, rangeOf(constraintText), {
            includePrerelease: isOpen,
          });
          // Among builds of one precedence, semver returns the first in the list.
          const answer = chosen(ask(constraintText, versions));
          expect(answer?.split('+')[0]).toBe(best?.split('+')[0]);
        },
      ),
      RUNS,
    );
  });
});

describe('parsers', () => {
  it('formatting and parsing a constraint are inverse', () => {
    fc.assert(
      fc.property(constraintTexts, (text) => {
        const value = constraint(text);
        expect(formatConstraint(value)).toBe(text);
        expect(parseConstraint(formatConstraint(value))).toEqual({ ok: true, value });
      }),
      RUNS,
    );
  });

  it('never throw, report a position within the input, and suggest only accepted texts', () => {
    const anything = fc.oneof(
      nearly(constraintTexts),
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withObjectString: true,
        withSparseArray: true,
      }),
    );
    fc.assert(
      fc.property(anything, (input) => {
        for (const parse of [
          parseVersion,
          parseConstraint,
          parseModuleId,
          parsePlatform,
          parseTime,
        ]) {
          const parsed = parse(input);
          if (parsed.ok) continue;
          const { position, text, suggestion } = parsed.error;
          expect(position).toBeLessThanOrEqual(text.length);
          expect(suggestion === undefined || parse(suggestion).ok).toBe(true);
        }
      }),
      RUNS,
    );
  });
});
