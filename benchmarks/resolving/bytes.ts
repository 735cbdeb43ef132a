import { createHash } from 'node:crypto';
import { indexReleases } from 'modreg';
import { lazyList } from '../../src/registry/formats/decoded-list.ts';
import { parseJsonBytes } from '../../src/registry/formats/json-text.ts';
import { releaseEntries } from '../../src/registry/formats/release-document.ts';
import { answer } from './answer.ts';
import { fastestRuns } from './slices.ts';
import { constraint, moduleId } from '../parsed.ts';

export interface BytesRow {
  readonly list: string;
  readonly bytes: number;
  /** Microseconds. */
  readonly modreg: number;
  readonly withWarnings: number;
  readonly jsonParse: number;
}

const RELEASES = 10_000;
const MODULE = moduleId('acme:lidar');

/** Times from the bytes of a list to the answer of one constraint, and of `JSON.parse` of the same bytes. */
export function bytesToAnswer(): BytesRow[] {
  return Object.entries({ 'own format': moduleDocument(), 'npm packument': packument() }).map(
    ([list, document]) => {
      const bytes = Buffer.from(JSON.stringify(document));
      const read = (): ReturnType<typeof lazyList> =>
        lazyList(releaseEntries(parseJsonBytes(bytes), MODULE), {});
      const [modreg = 0, withWarnings = 0, jsonParse = 0] = fastestRuns([
        { name: 'modreg', run: () => answer(constraint('3.*'), indexReleases(read().records)) },
        {
          name: 'modreg, with the warnings',
          run: () => {
            const { records, dropped } = read();
            return [answer(constraint('3.*'), indexReleases(records)), dropped.length];
          },
        },
        { name: 'JSON.parse', run: () => JSON.parse(bytes.toString()) as unknown },
      ]);
      return { list, bytes: bytes.length, modreg, withWarnings, jsonParse };
    },
  );
}

function versionAt(at: number): string {
  return `${Math.floor(at / 1000)}.${Math.floor(at / 20) % 50}.${at % 20}`;
}

function timeAt(at: number): string {
  return new Date(1_700_000_000_000 + at * 61_000).toISOString();
}

function hash(algorithm: string, text: string): Buffer {
  return createHash(algorithm).update(text).digest();
}

/** Releases with two artifacts each. */
function moduleDocument(): object {
  const releases = Array.from({ length: RELEASES }, (_, at) => ({
    version: versionAt(at),
    published_at: timeAt(at),
    artifacts: ['linux/amd64', 'linux/arm64'].map((platform) => ({
      platform,
      url: `https://modules.example/acme/lidar/${versionAt(at)}/${platform}.tar.gz`,
      digest: `sha256:${hash('sha256', platform + at).toString('hex')}`,
      size: 1_000_000 + at,
    })),
  }));
  return { module_id: MODULE, generation: 7, count: RELEASES, releases };
}

function packument(): object {
  const places = Array.from({ length: RELEASES }, (_, at) => at);
  return {
    name: '@acme/lidar',
    versions: Object.fromEntries(
      places.map((at) => [
        versionAt(at),
        {
          name: '@acme/lidar',
          version: versionAt(at),
          os: ['linux'],
          cpu: ['x64', 'arm64'],
          dependencies: { semver: '^7.0.0', '@acme/bus': '~2.1.0' },
          dist: {
            tarball: `https://registry.example/@acme/lidar/-/lidar-${versionAt(at)}.tgz`,
            integrity: `sha512-${hash('sha512', `${at}`).toString('base64')}`,
            shasum: hash('sha1', `${at}`).toString('hex'),
          },
        },
      ]),
    ),
    time: Object.fromEntries(places.map((at) => [versionAt(at), timeAt(at)])),
  };
}
