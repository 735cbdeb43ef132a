import { expect, it } from 'vitest';
import { describeLaterPlatforms } from '../../src/server/catalogue/later-platforms.ts';
import { readRelease, Catalogue, type PublishedRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';

const LIDAR = moduleId('acme:lidar');
const DIGEST = `sha256:${'a'.repeat(64)}`;

function release(...platforms: readonly string[]): PublishedRelease {
  const artifacts = platforms.map((platform) => ({
    platform,
    url: 'https://files.example/lidar.tgz',
    digest: DIGEST,
  }));
  const read = readRelease({ version: '1.0.0', ...(platforms.length > 0 && { artifacts }) });
  if (!read.ok) throw new Error(read.error.join());
  return read.value;
}

it.each<[PublishedRelease, PublishedRelease, string | undefined]>([
  [
    release('linux/amd64'),
    release('linux/arm64'),
    'acme:lidar 1.0.0 is already published, for linux/amd64, and linux/arm64 cannot be added later',
  ],
  [
    release('linux/amd64', 'linux/arm64'),
    release('linux/arm64', 'any/arm64'),
    'acme:lidar 1.0.0 is already published, for linux/amd64, linux/arm64, and any/arm64 cannot be added later',
  ],
  [release('linux/amd64'), release('linux/amd64'), undefined],
  [release('linux/amd64'), release(), undefined],
  [release(), release('linux/arm64'), undefined],
])('[T359] a release is published again (%#)', (before, again, expected) => {
  const catalogue = new Catalogue(':memory:', { mode: 'create' });
  expect(catalogue.publish(LIDAR, before, 0)).toBe('published');
  expect(describeLaterPlatforms(catalogue, LIDAR, again)).toBe(expected);
  catalogue.close();
});
