import { expect, it } from 'vitest';
import { openRegistries } from '../../src/registries/index.ts';
import { readRelease, type Catalogue, type PublishedRelease } from '../../src/server/index.ts';
import { limitWarnings } from '../../src/server/catalogue/list-limits.ts';
import { moduleId } from '../support/ask.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { testRegistry } from './support/registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const LIDAR = moduleId('acme:lidar');
const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** A release with these has 31 commas and brackets in the list, which has 4 more. */
const ARTIFACTS = ['linux/amd64', 'linux/arm64', 'any', 'linux/any', 'any/amd64'].map(
  (platform) => ({ platform, url: 'https://m.example/x', digest: DIGEST, size: 7 }),
);

/** Publishes releases until the module has `count`. */
function publishUpTo(catalogue: Catalogue, count: number, fields: object): void {
  const known = catalogue.summaries()[0]?.count ?? 0;
  const releases = Array.from({ length: count - known }, (_, place): PublishedRelease => {
    const release = readRelease({ version: `1.0.${known + place}`, ...fields });
    if (!release.ok) throw new Error(release.error.join('; '));
    return release.value;
  });
  catalogue.publishAll(LIDAR, releases, 0);
}

const NEAR =
  'the list of acme:lidar has 200016 commas and brackets in 6452 releases; machines refuse more than 250000';
const OVER =
  'the list of acme:lidar has 250019 commas and brackets in 8065 releases, and machines refuse lists with more than 250000: they keep the list that they know';

it('publishing warns from 80 % of the values that machines accept in a list', async () => {
  const { catalogue, address } = await loopbackRegistry();
  const read = async (): Promise<unknown> => {
    const registry = openRegistries().open({ registry: address });
    if (!registry.ok) throw registry.error;
    return await registry.value.read(LIDAR).then(
      ({ records }) => records.length,
      ({ kind }: { kind: string }) => kind,
    );
  };
  publishUpTo(catalogue, 6451, { artifacts: ARTIFACTS });
  expect(limitWarnings(catalogue, LIDAR)).toEqual([]);
  publishUpTo(catalogue, 6452, { artifacts: ARTIFACTS });
  expect(limitWarnings(catalogue, LIDAR)).toEqual([{ kind: 'list-near-limit', message: NEAR }]);
  publishUpTo(catalogue, 8064, { artifacts: ARTIFACTS });
  expect(limitWarnings(catalogue, LIDAR)).toMatchObject([
    { kind: 'list-near-limit', message: expect.stringContaining('249988 commas') },
  ]);
  expect(await read()).toBe(8064);
  publishUpTo(catalogue, 8065, { artifacts: ARTIFACTS });
  expect(limitWarnings(catalogue, LIDAR)).toEqual([{ kind: 'list-too-large', message: OVER }]);
  expect(await read()).toBe('list-too-large');
});

/** Yanks a release, with a reason that makes the list of acme:lidar as long as `bytes`. */
function resizing(catalogue: Catalogue): (bytes: number) => void {
  catalogue.yank(LIDAR, '1.0.0', '');
  const least = catalogue.document(LIDAR)?.bytes.length ?? 0;
  return (bytes) => {
    // Each yank increments the generation, which keeps its number of digits.
    catalogue.yank(LIDAR, '1.0.0', 'x'.repeat(bytes - least));
    expect(catalogue.document(LIDAR)?.bytes).toHaveLength(bytes);
  };
}

it('a list is near the limit from 80 % of the bytes, and too large above all of them', () => {
  const { catalogue } = testRegistry();
  publishUpTo(catalogue, 2, {});
  const resize = resizing(catalogue);
  const warningsAt = (bytes: number): unknown[] => {
    resize(bytes);
    return limitWarnings(catalogue, LIDAR).map(({ kind, message }) => `${kind}: ${message}`);
  };
  expect([6_710_886, 6_710_887, 8_388_608, 8_388_609].map(warningsAt)).toEqual([
    [],
    [
      'list-near-limit: the list of acme:lidar has 6710887 bytes in 2 releases; machines refuse more than 8388608',
    ],
    [
      'list-near-limit: the list of acme:lidar has 8388608 bytes in 2 releases; machines refuse more than 8388608',
    ],
    [
      'list-too-large: the list of acme:lidar has 8388609 bytes in 2 releases, and machines refuse lists with more than 8388608: they keep the list that they know',
    ],
  ]);
});

it('the warning is in the response', async () => {
  const registry = testRegistry();
  publishUpTo(registry.catalogue, 1, {});
  resizing(registry.catalogue)(6_710_887);
  const body = { version: '1.0.1' };
  const detail =
    'the list of acme:lidar has 6710977 bytes in 2 releases; machines refuse more than 8388608';
  expect((await registry.ask('POST', RELEASES, { body })).json).toMatchObject({
    result: 'published',
    warnings: [{ type: 'urn:modreg:list-near-limit', detail }],
  });
});
