import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';
import { tokenFor } from '../support/token.ts';
import { asking, type Asking } from './support/asking.ts';

const CONFIG = '/v1/machines/rover-7/config';
const SECRETS = `${CONFIG}/secrets`;
const VALUES = `${CONFIG}/secret-values`;
const VALUE = 'kiwi-7f3a';
const PLACE = '/modules/acme_maps/env/KEY (registry acme:maps)';

function maps(env: object, more: object = {}): object {
  return { modules: [{ ...entry('acme:maps', '1.*'), env, ...more }] };
}

async function save({ as }: Asking, config: object, basedOn = 0): Promise<object> {
  const body = { based_on: basedOn, config: JSON.stringify(config), reason: 'a test' };
  return await as('config', 'PUT', CONFIG, body);
}

function fragment(content: object, based_on: number): object {
  return { based_on, content: JSON.stringify(content), reason: 'a test' };
}

/** A site whose documents name a secret that has a value. */
async function withValue(): Promise<Asking> {
  const site = asking();
  await save(site, maps({ KEY: 'Bearer ${secret.MAPS}' }));
  await site.as('config', 'PUT', `${SECRETS}/MAPS`, { value: VALUE });
  return site;
}

it('[D362] [D364] a value is set for the places that the documents name, and only its machine reads it', async () => {
  const site = asking();
  const { as, registry } = site;
  await save(site, maps({ KEY: '${secret.MAPS}', OTHER: '${secret.MORE}' }));
  const set = await as('config', 'PUT', `${SECRETS}/MAPS`, { value: VALUE });
  const saved = { machine: 'rover-7', name: 'MAPS', places: [PLACE], result: 'saved' };
  expect(set).toEqual({ status: 200, json: saved });
  const more = '/modules/acme_maps/env/OTHER (registry acme:maps)';
  expect(await as('config', 'GET', SECRETS)).toEqual({
    status: 200,
    json: {
      secrets: [
        { name: 'MAPS', has_value: true, places: [PLACE] },
        { name: 'MORE', has_value: false, places: [more] },
      ],
    },
  });
  const secrets = { MAPS: { value: VALUE, places: [PLACE] } };
  expect(await as('machine:rover-7', 'GET', VALUES)).toEqual({ status: 200, json: { secrets } });
  for (const scope of ['config', 'machine:rover-8', 'fleet:read', 'trust']) {
    const { status, json } = await as(scope, 'GET', VALUES);
    expect([scope, status, JSON.stringify(json).includes(VALUE)]).toEqual([scope, 403, false]);
  }
  expect(JSON.stringify(registry.events)).not.toContain(VALUE);
  expect(registry.events.filter(({ kind }) => kind === 'secret-set')).toMatchObject([
    { machine: 'rover-7', name: 'MAPS' },
  ]);
});

it('[D364] no cache keeps the values, and nothing else that a person reads has them', async () => {
  const { registry, as } = await withValue();
  const token = tokenFor(registry.catalogue, ['machine:rover-7'], 'again');
  const { headers } = await registry.ask('GET', VALUES, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(headers.get('cache-control')).toBe('no-store');
  for (const path of [CONFIG, `${CONFIG}/history`, SECRETS]) {
    expect(JSON.stringify(await as('config', 'GET', path))).not.toContain(VALUE);
  }
});

const WRONG = '/value: expected a value of 1 to 4096 characters, without NUL';

it.each<[string, object, number, string]>([
  [
    'OTHER',
    { value: 'x' },
    404,
    'the newest documents of rover-7 do not have ${secret.OTHER}: save documents that do, then set its value',
  ],
  [
    'A-B',
    { value: 'x' },
    400,
    'the address does not have the name of a secret, which is up to 64 letters, digits and "_", beginning with a letter',
  ],
  ['MAPS', { value: '' }, 422, WRONG],
  ['MAPS', { value: `${VALUE}\0` }, 422, WRONG],
  ['MAPS', { value: VALUE.repeat(500) }, 422, WRONG],
])('[D362] PUT of the secret %s with %j is refused', async (name, body, status, detail) => {
  const { as } = await withValue();
  const answer = await as('config', 'PUT', `${SECRETS}/${name}`, body);
  expect(answer).toMatchObject({ status, json: { detail } });
  expect(JSON.stringify(answer)).not.toContain(VALUE);
  expect(await as('machine:rover-7', 'PUT', `${SECRETS}/MAPS`, body)).toMatchObject({
    status: 403,
  });
  expect(await as('machine:rover-7', 'GET', VALUES)).toMatchObject({
    json: { secrets: { MAPS: { value: VALUE } } },
  });
});

it('[D362] a removed value is told to its machine as removed, and cannot be removed twice', async () => {
  const { as } = await withValue();
  const removed = { machine: 'rover-7', name: 'MAPS', places: [PLACE], result: 'removed' };
  expect(await as('config', 'DELETE', `${SECRETS}/MAPS`)).toEqual({ status: 200, json: removed });
  expect(await as('machine:rover-7', 'GET', VALUES)).toEqual({
    status: 200,
    json: { secrets: { MAPS: null } },
  });
  expect(await as('config', 'DELETE', `${SECRETS}/MAPS`)).toMatchObject({
    status: 404,
    json: { detail: 'rover-7 has no value with this name' },
  });
  expect(await as('config', 'DELETE', `${SECRETS}/constructor`)).toMatchObject({ status: 404 });
});

const ELSEWHERE = maps({ KEY: 'Bearer ${secret.MAPS}', LOG: '${secret.MAPS}' });
const OTHER_MODULE = {
  modules: [{ ...entry('acme:logs', '1.*', 'acme_maps'), env: { KEY: '${secret.MAPS}' } }],
};
const NEXT = `modreg fleet config secret remove MAPS --machine rover-7, save again, and type the value again`;

it.each<[string, object, string]>([
  ['another variable', ELSEWHERE, '/modules/acme_maps/env/LOG (registry acme:maps)'],
  [
    'another module of the same name',
    OTHER_MODULE,
    '/modules/acme_maps/env/KEY (registry acme:logs)',
  ],
  [
    'a program of the same name',
    maps({ KEY: '${secret.MAPS}' }, { type: 'local', executable_path: '/opt/x' }),
    '/modules/acme_maps/env/KEY (local acme:maps at /opt/x)',
  ],
])('[D363] a value does not move to %s', async (_what, config, place) => {
  const site = await withValue();
  const detail = `${NEXT}: \${secret.MAPS} is at ${place}, and its value was typed for ${PLACE}`;
  expect(await save(site, config, 1)).toMatchObject({
    status: 422,
    json: { detail, errors: [`moved-secret: ${detail}`] },
  });
  await site.as('config', 'DELETE', `${SECRETS}/MAPS`);
  expect(await save(site, config, 1)).toMatchObject({ status: 200 });
  // What its machine keeps is not for the new place either.
  expect(await site.as('machine:rover-7', 'GET', VALUES)).toMatchObject({
    json: { secrets: { MAPS: null } },
  });
  expect(await site.as('config', 'PUT', `${SECRETS}/MAPS`, { value: 'again' })).toMatchObject({
    status: 200,
  });
});

it('[D363] a version and the text around a reference change without the value', async () => {
  const site = await withValue();
  const next = { ...entry('acme:maps', '2.*'), env: { KEY: '${secret.MAPS}', RATE: '5' } };
  expect(await save(site, { modules: [next] }, 1)).toMatchObject({ status: 200 });
});

it('[D363] a fragment does not move a value', async () => {
  const site = await withValue();
  const { as } = site;
  await as('config', 'PUT', '/v1/fragments/base', fragment({}, 0));
  const own = { ...maps({ KEY: '${secret.MAPS}' }) };
  const body = { based_on: 1, config: JSON.stringify(own), reason: 'a test', fragments: ['base'] };
  expect(await as('config', 'PUT', CONFIG, body)).toMatchObject({ status: 200 });
  const moving = { modules: [{ ...entry('acme:logs', '1.*'), env: { KEY: '${secret.MAPS}' } }] };
  const place = '/modules/acme_logs/env/KEY (registry acme:logs)';
  const detail = `rover-7: moved-secret: ${NEXT}: \${secret.MAPS} is at ${place}, and its value was typed for ${PLACE}; nothing was saved`;
  expect(await as('config', 'PUT', '/v1/fragments/base', fragment(moving, 1))).toMatchObject({
    status: 422,
    json: { detail },
  });
});

it('[D362] values are in a file for their owner only, which no backup has', async () => {
  const { registry } = await withValue();
  const folder = registry.catalogue.path.replace(/\.db$/, '-secrets');
  expect(existsSync(folder)).toBe(true);
  expect([statSync(folder).mode & 0o777, statSync(`${folder}/rover-7.json`).mode & 0o777]).toEqual([
    0o700, 0o600,
  ]);
  const backup = temporaryFolder();
  await backUp(registry.catalogue.path, backup, Date.now());
  const files = readdirSync(backup, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  expect(files.length).toBeGreaterThan(0);
  for (const { parentPath, name } of files) {
    expect([name, readFileSync(`${parentPath}/${name}`).includes(VALUE)]).toEqual([name, false]);
  }
  expect(readFileSync(registry.catalogue.path).includes(VALUE)).toBe(false);
});

it('[T761] a damaged file of values is refused by its name, and is not quoted', async () => {
  const { registry, as } = await withValue();
  const file = `${registry.catalogue.path.replace(/\.db$/, '-secrets')}/rover-7.json`;
  writeFileSync(file, readFileSync(file).subarray(0, 60));
  const answer = await as('machine:rover-7', 'GET', VALUES);
  expect(answer).toMatchObject({ status: 500 });
  expect(JSON.stringify([answer, registry.events])).not.toContain(VALUE);
});
