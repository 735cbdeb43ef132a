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
import { parseTime } from '../../src/core/text/rfc3339.ts';
import { constraintTexts, releaseRecords, versionTexts } from '../support/arbitrary.ts';
import { ask, chosen, constraint, refusals } from '../support/ask.ts';
import { judge } from '../support/judge.ts';
import { RUNS } from '../support/runs.ts';

const PATIENCE = 600_000;

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
    }),
    notAfter: fc.integer({ min: 60, max: 100 }),
  },
  { requiredKeys: ['now'] },
);

/** Half of the constraints are about a version of the list, so that most questions have an answer. */
const questions = fc
  .record({
    list: lists,
    eligibility: eligibilities,
    constraint: constraintTexts,
    place: fc.nat(30),
    kind: fc.constantFrom('patch', 'minor', 'major'),
  })
  .map(({ list, eligibility, place, kind, ...rest }) => {
    const about = parseVersion(list[place]?.version);
    if (!about.ok) return { asked: rest.constraint, list, eligibility };
    const { text, major, minor } = about.value;
    const asked = { patch: text, minor: `${major}.${minor}.*`, major: `${major}.*` }[kind];
    return { asked, list, eligibility };
  });

/** `text` with up to three characters put in, taken out or doubled. */
function nearly(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const noise = fc.oneof(
    fc.constantFrom('0', '1', '.', '-', '+', '*', 'x', ' ', 'v', '^'),
    fc.string({ maxLength: 3 }),
  );
  return fc.tuple(texts, fc.nat(20), fc.nat(2), noise).map(([text, at, dropped, added]) => {
    return text.slice(0, at) + added + text.slice(at + dropped);
  });
}

/** The range of semver that a floating constraint means. */
function rangeOf(text: string): string {
  if (text.startsWith('latest')) return '*';
  const [major = '', minor = ''] = text.split('.');
  return minor === '*'
    ? `>=${major}.0.0 <${Number(major) + 1}.0.0-0`
    : `>=${major}.${minor}.0 <${major}.${Number(minor) + 1}.0-0`;
}

describe('the total promise', { timeout: PATIENCE }, () => {
  it('every entry is chosen, or refused with the one reason that an independent judge gives', () => {
    fc.assert(
      fc.property(questions, ({ asked, list, eligibility }) => {
        const resolution = ask(asked, list, eligibility);
        const verdict = judge(asked, list, eligibility);
        expect(chosen(resolution)).toBe(verdict.chosen);
        expect(refusals(resolution).toSorted()).toEqual(
          verdict.refused.map(({ text, reason }) => `${text}: ${reason}`).toSorted(),
        );
      }),
      RUNS,
    );
  });

  it('reasons partition the list: each version once, and each entry that is none', () => {
    fc.assert(
      fc.property(questions, ({ asked, list, eligibility }) => {
        const resolution = ask(asked, list, eligibility);
        const told = refusals(resolution).length + Number(resolution.kind === 'resolved');
        const readable = list.filter(({ version }) => parseVersion(version).ok);
        const versions = new Set(readable.map(({ version }) => version));
        expect(told).toBe(versions.size + list.length - readable.length);
      }),
      RUNS,
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

describe('the answer depends on nothing else', { timeout: PATIENCE }, () => {
  it('permuting the list changes nothing', () => {
    const shuffled = questions.chain((input) =>
      fc.record({
        input: fc.constant(input),
        other: fc.shuffledSubarray(input.list, { minLength: input.list.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ input: { asked, list, eligibility }, other }) => {
        const resolution = ask(asked, list, eligibility);
        const again = ask(asked, other, eligibility);
        expect(chosen(again)).toBe(chosen(resolution));
        expect(refusals(again).toSorted()).toEqual(refusals(resolution).toSorted());
      }),
      RUNS,
    );
  });

  it('an index that was asked before answers the same', () => {
    fc.assert(
      fc.property(questions, constraintTexts, ({ asked, list, eligibility }, before) => {
        const index = indexReleases(list);
        resolve(constraint(before), index, eligibility);
        const again = resolve(constraint(asked), index, eligibility);
        const fresh = ask(asked, list, eligibility);
        expect([chosen(again), ...refusals(again)]).toEqual([chosen(fresh), ...refusals(fresh)]);
      }),
      RUNS,
    );
  });

  it('an entry outside the branch, or a lower one, changes nothing', () => {
    fc.assert(
      fc.property(questions, releaseRecords, ({ asked, list, eligibility }, entry) => {
        fc.pre(list.every(({ version }) => version !== entry.version));
        const resolution = ask(asked, list, eligibility);
        const more = ask(asked, [...list, entry], eligibility);
        const { refused } = judge(asked, [...list, entry], eligibility);
        const isRefused = refused.some(({ text }) => text === entry.version);
        // A pin's exact text takes the place of its builds, even where it is refused. (D3)
        const before = entry.version === asked ? undefined : chosen(resolution);
        expect(chosen(more)).toBe(isRefused ? before : entry.version);
      }),
      RUNS,
    );
  });

  it('without the chosen release the next best is chosen', () => {
    fc.assert(
      fc.property(questions, ({ asked, list, eligibility }) => {
        const resolution = ask(asked, list, eligibility);
        const best = chosen(resolution);
        fc.pre(best !== asked);
        const rest = list.filter(({ version }) => version !== best);
        const next = refusals(resolution).find((refused) => refused.endsWith(': older'));
        expect(chosen(ask(asked, rest, eligibility))).toBe(next?.replace(': older', ''));
      }),
      RUNS,
    );
  });
});

describe('agreement with semver on what both can say', { timeout: PATIENCE }, () => {
  it('what is a version', () => {
    fc.assert(
      fc.property(fc.oneof(versionTexts, nearly(versionTexts), fc.string()), (text) => {
        // semver strips blanks, "v" and "=".
        const isVersion = semver.valid(text) !== null && /^\d\S*$/.test(text);
        expect(parseVersion(text).ok).toBe(isVersion);
      }),
      RUNS,
    );
  });

  it('which release a floating constraint means', () => {
    const floating = constraintTexts.filter((text) => /\*$|^latest/.test(text));
    fc.assert(
      fc.property(floating, fc.array(versionTexts, { maxLength: 30 }), (asked, versions) => {
        const isOpen = asked === 'latest-with-prerelease';
        const best = semver.maxSatisfying(versions, rangeOf(asked), { includePrerelease: isOpen });
        // Among builds of one precedence semver takes the first of the list.
        const answer = chosen(ask(asked, versions));
        expect(answer?.split('+')[0]).toBe(best?.split('+')[0]);
      }),
      RUNS,
    );
  });
});

describe('parsers', { timeout: PATIENCE }, () => {
  it('format and parse are inverse', () => {
    fc.assert(
      fc.property(constraintTexts, (text) => {
        const value = constraint(text);
        expect(formatConstraint(value)).toBe(text);
        expect(parseConstraint(formatConstraint(value))).toEqual({ ok: true, value });
      }),
      RUNS,
    );
  });

  it('never throw; they point into what they were given, and suggest what is legal', () => {
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
