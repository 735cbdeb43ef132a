import { describe, expect, it } from 'vitest';
import { indexReleases, resolve } from '../../src/core/index.ts';
import { cachedRegistry } from '../../src/registry/cached-registry.ts';
import type { CachedRegistry } from '../../src/registries/index.ts';
import { answers, document, HOST, status } from '../../mocks/scripted-registry.ts';
import { chosen, constraint, refusals } from '../support/ask.ts';
import { plain } from '../support/decoded-list.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';
import { remoteAt } from '../support/remote-at.ts';

const asked = answers();
const AMD = 'linux/amd64';
const ARM = 'linux/arm64';

/** A release, and the artifacts that it is published with. */
interface Built {
  readonly version: string;
  readonly artifacts?: readonly object[];
}

/** A release with artifacts, each with a platform and perhaps a digest. */
function built(
  version: string,
  ...files: readonly (readonly [platform: string, digest?: string])[]
): Built {
  return { version, artifacts: files.map(([on, digest]) => ({ platform: on, digest })) };
}

/** `release` with `count` more artifacts, which run on no machine that another artifact of these tests runs on. */
function padded({ version, artifacts }: Built, count: number): Built {
  if (!artifacts) return { version };
  const others = Array.from({ length: count }, (_, at) => ({
    platform: `plan9/cpu${at}`,
    digest: `sha256:${String(at).padStart(4, '0')}`,
  }));
  return { version, artifacts: [...others, ...artifacts] };
}

/** One registry, or another after each restart of a machine. */
type Registries = () => CachedRegistry;

/** The version that `1.*` selects after each of the lists, and why the others are refused. */
async function resolutionsAfter(
  lists: readonly (readonly Built[])[],
  registries: Registries,
): Promise<string[]> {
  const resolutions: string[] = [];
  for (const [index, list] of lists.entries()) {
    asked.next(document(list, { generation: index }));
    const { records, changedDigests } = await registries().read(LIDAR);
    const resolution = resolve(constraint('1.*'), indexReleases(records), {
      now: 0,
      changedDigests,
    });
    resolutions.push([chosen(resolution) ?? 'none', ...refusals(resolution)].join(', '));
  }
  return resolutions;
}

/** Releases with 50,000 digests. */
function many(major: number): object[] {
  return Array.from({ length: 50 }, (_, minor) => ({
    version: `${major}.${minor}.0`,
    artifacts: Array.from({ length: 1000 }, (_unused, index) => ({
      platform: `p${index}`,
      digest: 'sha1:aa',
    })),
  }));
}

const REFUSED = 'none, 1.1.0: digest-changed';
const inMemory: () => Registries = () => {
  const registry = cachedRegistry(remoteAt(HOST));
  return () => registry;
};
const onDisk: () => Registries = () => remembered(HOST).restarted;
/** The number of other artifacts of a release, and where the lists stay. */
const COUNTS: readonly [count: number, place: string, registries: () => Registries][] = [
  [0, 'on disk', onDisk],
  [14, 'in memory', inMemory],
  [15, 'on disk', onDisk],
  [16, 'in memory', inMemory],
  [300, 'in memory', inMemory],
];

describe.each(COUNTS)(
  '[D22] [T30] [T423] a changed digest, beside %i other artifacts, %s',
  (count, _place, registries) => {
    it.each<[string, readonly (readonly Built[])[], readonly string[]]>([
      [
        'causes only that release to be refused',
        [
          [built('1.1.0', [AMD, 'sha256:aa']), built('1.0.0', [AMD, 'sha256:cc'])],
          [built('1.1.0', [AMD, 'sha256:bb']), built('1.0.0', [AMD, 'sha256:cc'])],
        ],
        ['1.1.0, 1.0.0: older', '1.0.0, 1.1.0: digest-changed'],
      ],
      [
        'is accepted again once it equals the first digest',
        [
          [built('1.1.0', [AMD, 'sha256:aa'])],
          [built('1.1.0', [AMD, 'sha256:bb'])],
          [built('1.1.0', [AMD, 'sha256:cc'])],
          [built('1.1.0', [AMD, 'sha256:aa'])],
          [built('1.1.0', [AMD, 'sha256:aa'])],
        ],
        ['1.1.0', REFUSED, REFUSED, '1.1.0', '1.1.0'],
      ],
      [
        'is detected after the release was absent from the list',
        [[built('1.1.0', [AMD, 'sha256:aa'])], [], [built('1.1.0', [AMD, 'sha256:bb'])]],
        ['1.1.0', 'none', REFUSED],
      ],
      [
        'includes a missing one',
        [[built('1.1.0', [AMD, 'sha256:aa'])], [built('1.1.0', [AMD])]],
        ['1.1.0', REFUSED],
      ],
      [
        'is detected under another name of the platform',
        [[built('1.1.0', ['linux/x86_64', 'sha256:aa'])], [built('1.1.0', [AMD, 'sha256:bb'])]],
        ['1.1.0', REFUSED],
      ],
      [
        'does not include the same digest under another name of the platform',
        [[built('1.1.0', [AMD, 'sha256:aa'])], [built('1.1.0', ['linux/x64', 'sha256:aa'])]],
        ['1.1.0', '1.1.0'],
      ],
      ...['any', 'any/any', 'linux/any', 'any/amd64'].flatMap(
        (wide): [string, readonly (readonly Built[])[], readonly string[]][] => [
          [
            `is detected when the platform becomes ${wide}`,
            [[built('1.1.0', [AMD, 'sha256:aa'])], [built('1.1.0', [wide, 'sha256:bb'])]],
            ['1.1.0', REFUSED],
          ],
          [
            `is detected when the platform was ${wide}`,
            [[built('1.1.0', [wide, 'sha256:aa'])], [built('1.1.0', [AMD, 'sha256:bb'])]],
            ['1.1.0', REFUSED],
          ],
        ],
      ),
      [
        'is detected when one half of the platform becomes any, and then the other',
        [
          [built('1.1.0', ['any/amd64', 'sha256:aa'])],
          [built('1.1.0', ['linux/any', 'sha256:bb'])],
        ],
        ['1.1.0', REFUSED],
      ],
      ...(
        [
          ['any/arm64', AMD],
          [AMD, 'any/arm64'],
          ['linux/any', 'bsd/amd64'],
          ['bsd/amd64', 'linux/any'],
          ['any/arm64', 'any/amd64'],
          ['linux/arm64/v8', ARM],
          ['wasm', ARM],
        ] as const
      ).map(([gone, left]): [string, readonly (readonly Built[])[], readonly string[]] => [
        `does not include a file for ${gone} that is gone, if ${left} is left`,
        [
          [built('1.1.0', [gone, 'sha256:aa'], [left, 'sha256:bb'])],
          [built('1.1.0', [left, 'sha256:bb'])],
        ],
        ['1.1.0', '1.1.0'],
      ]),
      [
        'is detected when the release no longer lists artifacts',
        [[built('1.1.0', [AMD, 'sha256:aa'])], [{ version: '1.1.0' }]],
        ['1.1.0', REFUSED],
      ],
      [
        'does not include a digest of another algorithm that is as strong',
        [
          [built('1.1.0', [AMD, 'sha1:aa'])],
          [built('1.1.0', [AMD, 'sha256:bb'])],
          [built('1.1.0', [AMD, 'sha512:cc'])],
          [built('1.1.0', [AMD, 'sha256:bb'], [AMD, 'sha512:cc'], [AMD, 'sha1:aa'])],
          [built('1.1.0', [AMD, 'sha256:dd'], [AMD, 'sha512:cc'])],
        ],
        ['1.1.0', '1.1.0', '1.1.0', '1.1.0', REFUSED],
      ],
      [
        'is detected when only a weaker algorithm is left',
        [[built('1.1.0', [AMD, 'sha512:aa'])], [built('1.1.0', [AMD, 'sha1:bb'])]],
        ['1.1.0', REFUSED],
      ],
      [
        'of each algorithm is compared with the first of its kind',
        [
          [built('1.1.0', [AMD, 'sha1:aa'])],
          [built('1.1.0', [AMD, 'sha256:bb'])],
          [built('1.1.0', [AMD, 'sha1:aa'], [AMD, 'sha256:cc'])],
          [built('1.1.0', [AMD, 'sha1:aa'], [AMD, 'sha256:bb'])],
        ],
        ['1.1.0', '1.1.0', REFUSED, '1.1.0'],
      ],
      [
        'does not include the first digest of a release',
        [[built('1.1.0', [AMD])], [built('1.1.0', [AMD, 'sha256:aa'])]],
        ['1.1.0', '1.1.0'],
      ],
      [
        'does not include a digest for another platform',
        [[built('1.1.0', [AMD, 'sha256:aa'])], [built('1.1.0', [ARM, 'sha256:bb'])]],
        ['1.1.0', '1.1.0'],
      ],
      [
        'of one of two files for the same platform is detected',
        [
          [built('1.1.0', [AMD, 'sha256:aa'], [AMD, 'sha1:bb'])],
          [built('1.1.0', [AMD, 'sha256:aa'], [AMD, 'sha1:cc'])],
        ],
        ['1.1.0', REFUSED],
      ],
      [
        'is looked for in each entry of a version that is listed twice',
        [
          [built('1.1.0', [AMD, 'sha256:aa']), built('1.1.0', [ARM, 'sha256:bb'])],
          [built('1.1.0', [ARM, 'sha256:bb']), built('1.1.0', [AMD, 'sha256:aa'])],
          [built('1.1.0', [ARM, 'sha256:bb']), built('1.1.0', [AMD, 'sha256:cc'])],
        ],
        ['1.1.0', '1.1.0', REFUSED],
      ],
    ])('%s', async (_, lists, resolutions) => {
      const all = lists.map((list) => list.map((release) => padded(release, count)));
      expect(await resolutionsAfter(all, registries())).toEqual(resolutions);
    });

    it.each<[string, Built, Built, object]>([
      [
        'the file for the same platform',
        built('1.1.0', [AMD, 'sha256:aa']),
        built('1.1.0', ['any', 'sha256:cc'], [AMD, 'sha256:bb']),
        { platform: AMD, first: 'sha256:aa', now: 'sha256:bb' },
      ],
      [
        'a file of the same algorithm for any platform',
        built('1.1.0', [AMD, 'sha256:aa']),
        built('1.1.0', [AMD, 'sha1:bb'], [ARM, 'sha256:dd'], ['any', 'sha256:cc']),
        { platform: AMD, first: 'sha256:aa', now: 'sha256:cc' },
      ],
      [
        'no file',
        built('1.1.0', [AMD, 'sha256:aa']),
        built('1.1.0', [AMD]),
        { platform: AMD, first: 'sha256:aa', now: undefined },
      ],
      [
        'the first of two files that changed',
        built('1.1.0', [AMD, 'sha256:aa'], [ARM, 'sha256:bb']),
        built('1.1.0', [ARM, 'sha256:cc'], [AMD, 'sha256:dd']),
        { platform: AMD, first: 'sha256:aa', now: 'sha256:dd' },
      ],
    ])('is explained by the digest of %s', async (_, before, after, change) => {
      const registry = registries()();
      asked.next(document([padded(before, count)], { generation: 1 }));
      await registry.read(LIDAR);
      asked.next(document([padded(after, count)], { generation: 2 }));
      expect((await registry.read(LIDAR)).changedDigests).toEqual(new Map([['1.1.0', change]]));
    });

    it('a release runs on the platforms of its artifacts, also from a saved list', async () => {
      const machine = remembered(HOST, { limits: { retryWithinMs: 0 } });
      const releases = Array.from({ length: 40 }, (_, minor) =>
        padded(built(`1.${minor}.0`, [minor % 2 === 0 ? AMD : 'any/aarch64', 'sha256:aa']), count),
      );
      asked.next(document(releases));
      const current = await machine.registry.read(LIDAR);
      asked.next(status(503));
      const saved = await machine.restarted().read(LIDAR);
      expect(saved.source).toBe('saved');
      expect(plain(saved).records).toEqual(plain(current).records);
      for (const { records } of [current, saved]) {
        const index = indexReleases(records);
        const found = ([AMD, ARM] as const).map((on) =>
          chosen(resolve(constraint('1.*'), index, { now: 0, platform: on })),
        );
        expect(found).toEqual(['1.38.0', '1.39.0']);
      }
    });
  },
);

it('[D22] 100,000 digests may be changed or missing; with more, the list is refused', async () => {
  const { registry } = remembered(HOST);
  const last = built('3.0.0', [AMD, 'sha256:aa']);
  const lists = [many(1), [...many(2), last], [last]];
  for (const [generation, list] of lists.entries()) {
    asked.next(document(list, { generation }));
    expect((await registry.read(LIDAR)).source).toBe('network');
  }
  asked.next(document([], { generation: 3 }));
  expect(await outcomeOf(registry.read(LIDAR))).toBe(
    `registry-regressed: the list of acme:lidar at ${HOST} went backwards: 100001 digests were changed or removed`,
  );
});
