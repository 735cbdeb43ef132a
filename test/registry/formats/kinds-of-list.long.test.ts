import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  indexReleases,
  parseVersion,
  resolve,
  type Eligibility,
  type ReleaseRecord,
} from '../../../src/core/index.ts';
import type { ListEntries } from '../../../src/registry/formats/decoded-list.ts';
import { dropInto } from '../../../src/registry/formats/decoded-list.ts';
import { releaseEntries } from '../../../src/registry/formats/release-document.ts';
import { jsonOf, pack } from '../../../src/registry/packed-records.ts';
import { constraintTexts, versionTexts } from '../../support/arbitrary.ts';
import { chosen, constraint, moduleId } from '../../support/ask.ts';
import { decodedWays, plain, type PlainList } from '../../support/decoded-list.ts';
import { cases } from '../../support/runs.ts';

const LIDAR = moduleId('acme:lidar');
const RUNS = cases(100);
/** More than two pages of a packed list. */
const MOST = 80;

const versions = fc.oneof(
  { weight: 8, arbitrary: versionTexts },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '1',
      'v1.2.3',
      '1.2.3-',
      '__proto__',
      'constructor',
      'toString',
      'reload-1',
      '1.2.3-\ud800',
      '\udfff',
      '1.2.3+\u{1f916}',
      'é'.repeat(300),
      'a\nb\u2028c"\\',
      '4294967295.4294967296.4294967297',
      '1.1.4294967295',
      '1.1.4294967296',
      '1.1.4294967297',
      '9007199254740991.0.0',
      '9007199254740992.0.0',
      '1.1.9007199254740991',
    ),
  },
);
const odd: fc.Arbitrary<unknown> = fc.constantFrom(null, true, false, 0, 7, '', 'x', [], {}, [
  null,
]);
const times = fc.constantFrom(
  '2026-11-21T01:02:03Z',
  '2026-11-21T01:02:03.123456789Z',
  '2026-02-30T00:00:00Z',
  '2026-01-31T00:00:00+01:00',
  '2026-12-31T23:59:60Z',
  '2026-11-21t01:02:03z',
  '2026-00-10T00:00:00Z',
  '2026-13-10T00:00:00Z',
  '2026-11-00T00:00:00Z',
  'soon',
  '2026-11-21T24:00:00Z',
  `2026-11-21T01:02:03.${'1'.repeat(60)}Z`,
);
const digests = fc.constantFrom(
  'sha256:aa',
  'sha256:bb',
  'SHA256:AA',
  'sha1:0',
  'md5:00',
  'sha256:',
  'sha512:zz',
);
const artifact = fc.record(
  {
    platform: fc.oneof(fc.constantFrom('linux/amd64', 'linux/arm64', 'any'), odd),
    url: fc.oneof(fc.constant('https://x.example/a'), odd),
    digest: fc.oneof(digests, odd),
    size: fc.oneof(fc.nat(), odd),
  },
  { requiredKeys: [] },
);
const release = fc.record(
  {
    version: fc.oneof({ weight: 9, arbitrary: versions }, { weight: 1, arbitrary: odd }),
    published_at: fc.oneof(times, odd),
    artifacts: fc.oneof(
      { weight: 4, arbitrary: fc.array(fc.oneof({ weight: 5, arbitrary: artifact }, odd)) },
      { weight: 1, arbitrary: odd },
    ),
    yanked: fc.oneof(fc.constantFrom('burns', ''), odd),
    rollout: fc.oneof(
      fc.record({
        salt: fc.oneof(fc.constant('s1'), odd),
        percent: fc.oneof(fc.constant(5), odd),
        share: fc.oneof(fc.constantFrom(0.05, 1), odd),
        halted: fc.oneof(fc.constantFrom(null, 'stops'), odd),
      }),
      odd,
    ),
    deprecated: fc.oneof(fc.constantFrom('old', ''), odd),
  },
  { requiredKeys: ['version'] },
);
const moduleDocuments = fc
  .array(fc.oneof({ weight: 9, arbitrary: release }, { weight: 1, arbitrary: odd }), {
    maxLength: MOST,
    size: 'max',
  })
  .map((releases) => JSON.stringify({ module_id: LIDAR, generation: 1, releases }));

const names = fc.oneof(
  odd,
  fc.constantFrom('linux', '!win32', '!linux', 'x64'),
  fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom('linux', '!linux', 'arm64') }, odd)),
  fc.constant(Array.from({ length: 51 }, () => 'x64')),
);
const manifest = fc.record(
  {
    os: names,
    cpu: names,
    deprecated: fc.oneof(fc.constantFrom('', 'old'), odd),
    dist: fc.oneof(
      fc.constantFrom<object[]>(
        { integrity: 'sha512-/w== sha256-Ag==', tarball: 'https://x.example/a' },
        { shasum: 'AB'.repeat(20) },
      ),
      odd,
    ),
  },
  { requiredKeys: [] },
);
const packuments = fc
  .record({
    manifests: fc.array(
      fc.tuple(versions, fc.oneof({ weight: 9, arbitrary: manifest }, odd), fc.oneof(times, odd)),
      { maxLength: MOST, size: 'max' },
    ),
    time: fc.option(odd, { freq: 5 }),
  })
  .map(({ manifests, time }) => {
    const [all, published] = [1, 2].map((field) =>
      textOf(manifests.map((one) => [one[0], one[field]])),
    );
    return `{"versions": ${all}, "time": ${time === null ? published : JSON.stringify(time)}}`;
  });

/** The JSON of an object, which may have a key `__proto__`. */
function textOf(members: readonly (readonly [string, unknown])[]): string {
  const texts = members.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{${texts.join()}}`;
}

/** Every entry decoded in order, whatever is read of the list. */
function reference(entries: ListEntries): PlainList {
  const dropped: string[] = [];
  const drop = dropInto(dropped);
  entries.check?.(drop);
  const records = Array.from({ length: entries.length }, (_, at) => entries.decode(at, drop));
  return { records, dropped, generation: entries.generation };
}

const ELIGIBILITIES: readonly Eligibility[] = [
  { now: 0 },
  {
    now: Date.parse('2026-11-22T00:00:00Z'),
    platform: 'linux/arm64',
    minimumAge: { ms: 1, unknown: 'refuse' },
  },
];

/** What an index tells about a list: the results of the first query and of the later ones, and every entry. */
function told(list: Iterable<ReleaseRecord>, text: string): unknown {
  const wanted = constraint(text);
  const first = ELIGIBILITIES.map((eligibility) =>
    chosen(resolve(wanted, indexReleases(list), eligibility)),
  );
  const index = indexReleases(list);
  const later = [...ELIGIBILITIES, ...ELIGIBILITIES].map((eligibility) => {
    const resolution = resolve(wanted, index, eligibility);
    return [chosen(resolution), [...resolution.refused()]];
  });
  const found = Array.from(list, ({ version }) => {
    const read = parseVersion(version);
    return read.ok ? [indexReleases(list).find(read.value), index.find(read.value)] : [];
  });
  return { first, later, found, candidates: [...index.candidates(wanted)], of: index.published };
}

describe.each([
  ["modreg's own format", moduleDocuments],
  ['an npm packument', packuments],
])('a list of %s that is decoded when it is read, and the same list packed', (_, documents) => {
  it('have the records and warnings that decoding every entry has', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const entries = releaseEntries(JSON.parse(text), LIDAR);
        const expected = reference(entries);
        const { records } = expected;
        for (const list of decodedWays(entries)) {
          expect(plain(list)).toEqual(expected);
          const places = Array.from({ length: records.length + 1 }, (__, at) => at);
          expect(list.records.length).toBe(records.length);
          expect(places.map((at) => list.records.at(at))).toEqual([...records, undefined]);
          expect(places.map((at) => list.records.at(-at))).toEqual(
            places.map((at) => records.at(-at)),
          );
          // An array has no `versionAt`.
          const texts = records.map((___, at) => {
            return list.records.versionAt?.(at) ?? list.records.at(at)?.version;
          });
          expect(texts).toEqual(records.map(({ version }) => version));
          expect(JSON.parse(jsonOf(list.records))).toEqual(JSON.parse(JSON.stringify(records)));
          expect([...pack(list.records)]).toEqual(records);
        }
      }),
      RUNS,
    );
  });

  it('have the results, refusals and releases of an array of their records', () => {
    fc.assert(
      fc.property(documents, constraintTexts, (text, wanted) => {
        const entries = releaseEntries(JSON.parse(text), LIDAR);
        const expected = told(reference(entries).records, wanted);
        for (const { records } of decodedWays(entries)) {
          expect(told(records, wanted)).toEqual(expected);
        }
      }),
      RUNS,
    );
  });
});
