import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReleaseRecord } from '../../src/core/index.ts';
import { changedDigests, lostDigests } from '../../src/registry/known-digests.ts';
import { pack } from '../../src/registry/packed-records.ts';
import { cases } from '../support/runs.ts';

const RUNS = cases(200);

const digests = fc.constantFrom('sha256:aa', 'sha256:bb', 'sha1:cc', undefined);
const artifacts = fc.array(
  fc.record({ platform: fc.constantFrom('linux/amd64', 'linux/x86_64', 'any'), digest: digests }),
  { maxLength: 2 },
);
/** Few versions, so that one may be in several pages. */
const records: fc.Arbitrary<ReleaseRecord[]> = fc.array(
  fc.record({
    version: fc.nat(150).map((patch) => `1.0.${patch}`),
    artifacts: fc.option(artifacts, { nil: undefined }),
  }),
  { maxLength: 100, size: 'max' },
);
/** A list, and a later one: some entries removed, replaced and added. */
const successions = fc
  .tuple(records, records, fc.nat(100), fc.nat(3))
  .map(([before, added, at, removed]) => ({
    before,
    next: before.toSpliced(at, removed, ...added.slice(0, at % 5)),
  }));

describe('the digests that a later list lacks', () => {
  it('[D22] are the same for packed lists, of which only the pages that differ are decoded', () => {
    fc.assert(
      fc.property(successions, ({ before, next }) => {
        const lost = [{ version: '1.0.1', platform: 'any', digest: 'sha256:aa' }];
        expect(lostDigests({ records: pack(before), lost }, pack(next))).toEqual(
          lostDigests({ records: before, lost }, next),
        );
      }),
      RUNS,
    );
  });

  it('[D22] are found if an entry moves to another page, and if it is removed', () => {
    const before = Array.from({ length: 100 }, (_, at): ReleaseRecord => ({
      version: `1.0.${at}`,
      artifacts: [{ platform: 'any', digest: `sha256:${at}` }],
    }));
    const lost = lostDigests({ records: pack(before), lost: [] }, pack(before.toReversed()));
    expect(lost).toEqual([]);
    expect(lostDigests({ records: pack(before), lost: [] }, pack(before.toSpliced(40, 1)))).toEqual(
      [{ version: '1.0.40', platform: 'any', digest: 'sha256:40' }],
    );
  });
});

describe('[D22] [T423] one file', () => {
  type Files = readonly (readonly [platform: string, digest: string])[];
  const listed = (files: Files): ReleaseRecord[] => [
    { version: '1.0.0', artifacts: files.map(([platform, digest]) => ({ platform, digest })) },
  ];
  const [AMD, ARM] = ['linux/amd64', 'linux/arm64'];
  it.each<[string, Files, Files, object?]>([
    [
      'for each platform that "any" was',
      [['any', 'sha256:aa']],
      [
        [AMD, 'sha256:aa'],
        [ARM, 'sha256:aa'],
      ],
    ],
    ['for one of them', [['any', 'sha256:aa']], [[AMD, 'sha256:aa']]],
    ['for more of them', [[AMD, 'sha256:aa']], [['any', 'sha256:aa']]],
    [
      'and one more',
      [[AMD, 'sha256:aa']],
      [
        [AMD, 'sha256:aa'],
        [ARM, 'sha256:bb'],
      ],
    ],
    [
      'in another order',
      [
        [AMD, 'sha256:aa'],
        [AMD, 'sha1:bb'],
      ],
      [
        [AMD, 'sha1:bb'],
        [AMD, 'sha256:aa'],
      ],
    ],
    [
      'and another one for a platform that "any" was: changed',
      [['any', 'sha256:aa']],
      [
        [AMD, 'sha256:aa'],
        [ARM, 'sha256:bb'],
      ],
      { platform: 'any', first: 'sha256:aa', now: 'sha256:bb' },
    ],
  ])('%s', (_, first, next, change) => {
    const lost = lostDigests({ records: listed(first), lost: [] }, listed(next));
    expect(changedDigests(listed(next), lost).get('1.0.0')).toEqual(change);
  });
});
