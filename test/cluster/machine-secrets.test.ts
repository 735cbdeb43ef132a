import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { importCatalogue } from '../../src/cluster/import-catalogue.ts';
import { secretKey } from '../../src/cluster/secret-key.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { memoryStream } from '../support/memory-stream.ts';
import { entry } from '../support/planned.ts';
import { frontOf, NOW } from './support/following-front.ts';
import { twoFronts, type TwoFronts } from './support/two-fronts.ts';

const ROVER = '/machines/rover-7';
const MACHINE = 'machine:rover-7';
const SECRET = `${ROVER}/config/secrets/MAPS`;
const VALUES = `${ROVER}/config/secret-values`;
const VALUE = 'correct horse battery';
const KEY = secretKey(Buffer.alloc(32, 7));
const OTHER = secretKey(Buffer.alloc(32, 8));
const NO_KEY =
  'this front has no key for secrets: start it with --secrets-key and the file that the other fronts have';
const WRONG_KEY = `values of this cluster are sealed with the key ${KEY.id}, and this front has the key ${OTHER.id}: start it with the file that the other fronts have`;

function naming(variable: string): string {
  return JSON.stringify({
    modules: [{ ...entry('acme:lidar', '1.2.*'), env: { [variable]: 'x-${secret.MAPS}' } }],
  });
}

/** Two fronts, of which one has the key, and documents that name a secret. */
async function named(): Promise<TwoFronts> {
  const cluster = await twoFronts();
  const { one, level } = cluster;
  one.catalogue.configs.secrets.sealed.useKey(KEY);
  const body = { based_on: 0, config: naming('MAPS_TOKEN'), reason: 'a test' };
  expect((await one.as('config', 'PUT', `${ROVER}/config`, body)).status).toBe(200);
  await level();
  return cluster;
}

it('[D402] a value that is set at one front is read by its machine at another, and is nowhere but sealed', async () => {
  const { stream, one, two, level } = await named();
  two.catalogue.configs.secrets.sealed.useKey(KEY);
  const set = await one.as('config', 'PUT', SECRET, { value: VALUE });
  expect([set.status, set.json['result']]).toEqual([200, 'saved']);
  await level();
  const last = await stream.last();
  await two.as('config', 'PUT', SECRET, { value: VALUE });
  expect(await stream.last()).toBe(last);
  const { json } = await two.as(MACHINE, 'GET', VALUES);
  expect(json).toEqual({ secrets: { MAPS: { value: VALUE, places: set.json['places'] } } });
  const list = await two.as('config', 'GET', `${ROVER}/config/secrets`);
  expect(list.json['secrets']).toMatchObject([{ name: 'MAPS', has_value: true }]);
  const event = await stream.read(await stream.last());
  const files = [one, two].map(({ catalogue }) => readFileSync(`${catalogue.path}-wal`, 'latin1'));
  for (const text of [event?.body ?? '', ...files]) {
    expect(text).toContain('MAPS');
    expect(text).not.toContain(VALUE);
  }
  const removed = await two.as('config', 'DELETE', SECRET);
  expect(removed.json['result']).toBe('removed');
  await level();
  expect((await one.as(MACHINE, 'GET', VALUES)).json).toEqual({ secrets: { MAPS: null } });
});

it('[D363] a front refuses documents that move a name from the place of its value, also without the key', async () => {
  const { one, two, level } = await named();
  await one.as('config', 'PUT', SECRET, { value: VALUE });
  await level();
  const body = { based_on: 1, config: naming('SHOWN'), reason: 'a test' };
  const { status, json } = await two.as('config', 'PUT', `${ROVER}/config`, body);
  expect([status, json['errors']]).toEqual([422, [expect.stringMatching(/^moved-secret: /)]]);
});

it.each([
  ['without the key', undefined, NO_KEY],
  ['with another key', OTHER, WRONG_KEY],
])('[T798] a front %s refuses values, says why, and serves the rest', async (_title, key, why) => {
  const { stream, one, two, level } = await named();
  two.catalogue.configs.secrets.sealed.useKey(key);
  await one.as('config', 'PUT', SECRET, { value: VALUE });
  await level();
  const before = await stream.last();
  const answers = [
    await two.as(MACHINE, 'GET', VALUES),
    await two.as('config', 'PUT', SECRET, { value: 'another' }),
  ];
  expect(answers.map(({ json }) => [json['type'], json['detail']])).toEqual([
    ['urn:modreg:no-secrets', why],
    ['urn:modreg:no-secrets', why],
  ]);
  expect(await stream.last()).toBe(before);
  expect((await two.as(MACHINE, 'GET', `${ROVER}/config`)).status).toBe(200);
  expect((await two.as('config', 'DELETE', SECRET)).status).toBe(200);
});

it('[D402] a sealed value counts for its machine, name and places alone', () => {
  const of = { machine: 'rover-7', name: 'MAPS', places: ['a'] };
  const sealed = KEY.seal(of, VALUE);
  expect(KEY.open(of, sealed)).toBe(VALUE);
  expect(KEY.seal(of, VALUE)).toBe(sealed);
  const others = [{ machine: 'rover-8' }, { name: 'MAP' }, { places: ['a', 'b'] }];
  expect(others.map((other) => KEY.open({ ...of, ...other }, sealed))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect([
    OTHER.open(of, sealed),
    KEY.open(of, ''),
    KEY.open(of, `AAAA${sealed.slice(4)}`),
  ]).toEqual([undefined, undefined, undefined]);
  // A nonce of each value.
  expect(KEY.seal(of, `${VALUE}!`).slice(0, 16)).not.toBe(sealed.slice(0, 16));
});

it('[D403] an import seals the values of a single server, and is the same when it is run again', async () => {
  const single = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  single.configs.secrets.set('rover-7', 'MAPS', { value: VALUE, places: ['a'] });
  single.configs.secrets.set('rover-7', 'OLD', null);
  const stream = memoryStream();
  const terms = { now: NOW, secrets: KEY };
  const first = await importCatalogue(single, stream, terms);
  expect(first.kind).toBe('imported');
  expect(await importCatalogue(single, stream, terms)).toEqual(first);
  single.close();
  const { catalogue, following } = frontOf(stream, `${temporaryFolder()}/front.db`);
  await following.reaches(await stream.last(), 5000);
  catalogue.configs.secrets.sealed.useKey(KEY);
  expect(catalogue.configs.secrets.sealed.open('rover-7')).toEqual({
    ok: true,
    value: { MAPS: { value: VALUE, places: ['a'] }, OLD: null },
  });
});
