import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Catalogue } from '../../../src/server/index.ts';
import { AUTHOR, key, role, signed, trustOf } from '../../support/signed.ts';
import { tokenFor } from '../../support/token.ts';
import type { Front } from './fronts.ts';
import { clusterInTest, frontInTest } from './in-test.ts';
import { ask } from './site.ts';

const KEY = key('front');
const TRUST = trustOf([role('registry', 1, KEY), role('namespace acme', 1, AUTHOR)]).text;
const LIDAR = '/v1/modules/acme/lidar';
const CHANGES = '/v1/changes?after=0';
const NONCE = 'nonce=AAAAAAAAAAAAAAAAAAAAAA';

it('[D167] [D168] fronts share a trust document, and sign nothing while two of three nodes are gone', async () => {
  const cluster = await clusterInTest();
  const fronts = [await frontInTest(cluster), await frontInTest(cluster)];
  const [one, two] = fronts as [Front, Front];
  for (const { db } of fronts) {
    writeFileSync(`${db}-key`, KEY.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  }
  const catalogue = new Catalogue(one.db);
  const token = tokenFor(catalogue, ['trust', 'import']);
  catalogue.close();
  const put = async (front: Front): Promise<number> =>
    (await ask(front, '/v1/trust', { method: 'PUT', token, body: { document: TRUST } })).status;
  await expect.poll(async () => await put(one)).toBe(200);
  await expect.poll(async () => (await ask(two, '/v1/trust')).json['documents']).toEqual([TRUST]);
  const published = async (body: object): Promise<number> =>
    (await ask(two, `${LIDAR}/releases`, { method: 'POST', token, body })).status;
  const plain = { version: '1.0.0', published_at: '2026-11-21T01:02:03Z' };
  await expect.poll(async () => await published(plain)).toBe(422);
  expect(await published(signed('acme:lidar', plain, AUTHOR))).toBe(201);

  const signature = async (path: string): Promise<string> => {
    const response = await fetch(`${two.address}${path}`);
    await response.text();
    const header = response.headers.get('modreg-signature') ?? '';
    return `${response.status} ${header.split(' ')[1] ?? ''}`.trim();
  };
  expect(await signature(`${CHANGES}&${NONCE}`)).toBe(`200 ${KEY.id}`);
  const [first, second] = cluster.nodes;
  await Promise.all([first?.kill(), second?.kill()]);
  // It signs for a while, and then not, and serves what has no nonce all the time.
  await expect
    .poll(async () => await signature(`${CHANGES}&${NONCE}`), { timeout: 90_000, interval: 500 })
    .toBe('503');
  expect(await signature(`${LIDAR}?${NONCE}`)).toBe('503');
  expect([await signature(CHANGES), await signature(LIDAR)]).toEqual(['200', '200']);
  first?.start();
  second?.start();
  await expect.poll(async () => await signature(`${LIDAR}?${NONCE}`)).toBe(`200 ${KEY.id}`);
});
