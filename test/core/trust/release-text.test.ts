import { describe, expect, it } from 'vitest';
import type { Artifact } from '../../../src/core/index.ts';
import { releaseText } from '../../../src/core/trust/release-text.ts';
import { moduleId } from '../../support/ask.ts';

const LIDAR = moduleId('acme:lidar');
const AT = Date.parse('2026-11-23T10:00:00Z');
const SHA256 = `sha256:${'46ca'.repeat(16)}`;
const SHA512 = `sha512:${'ef1f'.repeat(32)}`;

function text(artifacts: readonly Artifact[] | undefined, publishedAt: number | undefined = AT) {
  return releaseText(LIDAR, { version: '1.4.0', publishedAt, artifacts });
}

describe('[D132] the text of a release', () => {
  it('has the module, the version, the time, and the digest and size of each file by platform', () => {
    const artifacts = [
      { platform: 'linux/arm64', digest: SHA512, size: 81920, url: 'https://a.example/b' },
      { platform: 'linux/amd64', digest: SHA256, size: 79012 },
    ];
    expect(text(artifacts)).toBe(
      `modreg/release@1\nacme:lidar\n1.4.0\n2026-11-23T10:00:00Z\nlinux/amd64 ${SHA256} 79012\nlinux/arm64 ${SHA512} 81920\n`,
    );
    expect(text(artifacts.toReversed())).toBe(text(artifacts));
  });

  it('differs for no list of files, an empty one, and a fraction of a second', () => {
    const head = 'modreg/release@1\nacme:lidar\n1.4.0\n2026-11-23T10:00:00';
    expect(text(undefined)).toBe(`${head}Z\nno files\n`);
    expect(text([])).toBe(`${head}Z\n`);
    expect(text(undefined, AT + 5)).toBe(`${head}.005Z\nno files\n`);
  });

  it.each([
    ['no time', undefined, Number.NaN],
    ['a time that no list can have', undefined, 9e15],
    ['no digest', [{ platform: 'any', size: 1 }], AT],
    ['no size', [{ platform: 'any', digest: SHA256 }], AT],
    ['a fraction of a byte', [{ platform: 'any', digest: SHA256, size: 1.5 }], AT],
    ['a negative size', [{ platform: 'any', digest: SHA256, size: -1 }], AT],
    ['a sha1', [{ platform: 'any', digest: `sha1:${'a'.repeat(40)}`, size: 1 }], AT],
    ['a short digest', [{ platform: 'any', digest: 'sha256:46ca', size: 1 }], AT],
    ['a space in a platform', [{ platform: 'linux amd64', digest: SHA256, size: 1 }], AT],
    ['a line in a platform', [{ platform: 'any\nany', digest: SHA256, size: 1 }], AT],
    [
      'one of two files that lacks its size',
      [
        { platform: 'linux/amd64', digest: SHA256, size: 1 },
        { platform: 'linux/arm64', digest: SHA256 },
      ],
      AT,
    ],
  ])('does not exist with %s', (_title, artifacts, publishedAt) => {
    expect(text(artifacts, publishedAt)).toBeUndefined();
  });
});
