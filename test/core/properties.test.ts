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
  type ReleaseIndex,
} from '../../src/core/index.ts';
import { parseTime } from '../../src/core/text/rfc3339.ts';
import { constraintTexts, releaseRecords, versionTexts } from '../support/arbitrary.ts';
import { ask, chosen, constraint, refusals } from '../support/ask.ts';
import { judge } from '../support/judge.ts';
import { inputs } from '../support/random-inputs.ts';
import { RUNS } from '../support/runs.ts';

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
