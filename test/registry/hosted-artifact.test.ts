import { expect, it } from 'vitest';
import { hostedUrl } from '../../src/registry/formats/hosted-artifact.ts';
import { catalogueRegistry } from '../../src/server/catalogue/catalogue-registry.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { receiveArtifact } from '../../src/server/artifacts/receive-artifact.ts';
import { answers, document, HOST } from '../../mocks/scripted-registry.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LIDAR, remembered } from './support/remembered.ts';

const asked = answers();
const HEX = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);
const HOSTED = `../../artifacts/sha256/${HEX}`;

async function urlsOf(address: string, url: string, digest: string): Promise<unknown[]> {
  asked.next(document([{ version: '1.0.0', artifacts: [{ platform: 'any', url, digest }] }]));
  const machine = remembered(address);
  const read = async (registry: typeof machine.registry): Promise<unknown> =>
    (await registry.read(LIDAR)).records.at(0)?.artifacts?.[0]?.url;
  return [await read(machine.registry), await read(machine.restarted())];
}

const FILE = `/v1/artifacts/sha256/${HEX}`;

it.each<[string, { address?: string; url?: string; hex?: string }, string | undefined]>([
  ['its own digest', {}, `${HOST}${FILE}`],
  ['a registry below a path', { address: `${HOST}/a/b/v1` }, `${HOST}/a/b${FILE}`],
  ['another digest', { hex: OTHER }, undefined],
  ['upper case', { url: HOSTED.toUpperCase() }, HOSTED.toUpperCase()],
  [
    'digits in upper case',
    { url: HOSTED.replace(HEX, HEX.toUpperCase()) },
    HOSTED.replace(HEX, HEX.toUpperCase()),
  ],
  ['a digit more', { url: `${HOSTED}0` }, `${HOSTED}0`],
  ['one level more', { url: `../${HOSTED}` }, `../${HOSTED}`],
  ['a path', { url: FILE }, FILE],
  ['another host', { url: `//evil.example/${HEX}` }, `//evil.example/${HEX}`],
  ['a query', { url: `${HOSTED}?x` }, `${HOSTED}?x`],
])(
  '[D44] the address of a hosted file is that of its registry: %s',
  async (_title, { address = HOST, url = HOSTED, hex = HEX }, expected) => {
    expect(await urlsOf(address, url, `sha256:${hex}`)).toEqual([expected, expected]);
  },
);

it('[D44] a hosted file has no address in a list that is read from a file', async () => {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
  const announced = { sha256, size: 4, isListed: false };
  await receiveArtifact(path, announced, bytesOf('test'));
  const artifact = { platform: 'any', digest: `sha256:${sha256}`, size: 4 };
  const url = hostedUrl(sha256);
  const release = readRelease({ version: '1.0.0', artifacts: [{ ...artifact, url }] });
  if (release.ok) catalogue.publish(LIDAR, release.value, 0);
  catalogue.close();
  const { records } = await catalogueRegistry(path, () => 0).read(LIDAR);
  expect(records.at(0)?.artifacts).toEqual([{ ...artifact, url: undefined }]);
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}
