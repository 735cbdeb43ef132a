import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { signedConfigText } from '../../src/registry/trust/config-signatures.ts';
import { backUp } from '../../src/server/backup/backup.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { APPROVER, AUTHOR, role, STRANGER, trustOf, VENDOR } from '../support/signed.ts';
import { asking } from './support/asking.ts';
import { testRegistry } from './support/registry.ts';
import { entry } from '../support/planned.ts';

const CONFIG = '/v1/machines/rover-7/config';
const EMPTY = '{"modules":[]}';
const LOCAL = '{"components":[],"modules":[]}';
const SAVED = { at: '2026-11-21T01:02:03Z', by: 'token t2 (config)', reason: 'first' };

function saving(basedOn: number, config: string = EMPTY, more: object = {}): object {
  return { based_on: basedOn, config, reason: 'first', ...more };
}

function lidar(version: string): string {
  return JSON.stringify({ modules: [entry('acme:lidar', version)] });
}

it('[D264] a person saves documents, the machine reads them, and says what it does with them', async () => {
  const { registry, as } = asking();
  expect(await as('config', 'PUT', CONFIG, saving(0))).toEqual({
    status: 200,
    json: { machine: 'rover-7', revision: 1, result: 'saved' },
  });
  const served = { machine: 'rover-7', revision: 1, config: EMPTY, policy: null, signatures: {} };
  expect(await as('machine:rover-7', 'GET', CONFIG)).toEqual({ status: 200, json: served });
  const refused = { revision: 1, code: 'local-term', detail: '/policy/trust is' };
  const answer = { applied: null, refused };
  await as('machine:rover-7', 'PUT', `${CONFIG}/answer`, answer);
  expect(await as('config', 'GET', CONFIG)).toEqual({
    status: 200,
    json: { ...served, ...SAVED, machine_says: { ...answer, at: '2026-11-21T01:02:03Z' } },
  });
  expect(registry.events).toEqual([
    { kind: 'config-saved', machine: 'rover-7', revision: 1, tokenId: 't2', peer: undefined },
  ]);
});

it('[D264] the history has who saved what and why, and an earlier revision can be read', async () => {
  const { as } = asking();
  await as('config', 'PUT', CONFIG, saving(0));
  await as('config', 'PUT', CONFIG, saving(1, LOCAL, { reason: 'a component', policy: '{}' }));
  expect(await as('config', 'PUT', CONFIG, saving(2, LOCAL, { policy: '{}' }))).toMatchObject({
    json: { revision: 2, result: 'unchanged' },
  });
  expect(await as('config', 'GET', `${CONFIG}/history`)).toEqual({
    status: 200,
    json: {
      revisions: [
        { revision: 2, ...SAVED, reason: 'a component', signatures: 0 },
        { revision: 1, ...SAVED, signatures: 0 },
      ],
    },
  });
  expect(await as('config', 'GET', `${CONFIG}?revision=1`)).toMatchObject({
    json: { revision: 1, config: EMPTY, policy: null },
  });
  expect(await as('config', 'GET', `${CONFIG}?revision=3`)).toMatchObject({
    status: 404,
    json: {
      type: 'urn:modreg:unknown-config',
      detail: 'the registry has no revision 3 of rover-7',
    },
  });
});

it('[D438] a dry run says what changes on the machine, and saves nothing', async () => {
  const { registry, as } = asking();
  const dry = { dry_run: true };
  const signatures =
    'It is not known whether this machine needs the signature of an operator: its page says so after it has read the revision.';
  const said = { machine: 'rover-7', revision: 1, result: 'would-save', signatures };
  expect(await as('config', 'PUT', CONFIG, saving(0, lidar('1.*'), dry))).toEqual({
    status: 200,
    json: { ...said, changes: ['acme_lidar 1.* is added'] },
  });
  await as('config', 'PUT', CONFIG, saving(0, lidar('1.*')));
  const next = { ...dry, policy: '{"minimum_release_age":"1d"}' };
  expect(await as('config', 'PUT', CONFIG, saving(1, lidar('1.3.*'), next))).toEqual({
    status: 200,
    json: {
      ...said,
      revision: 2,
      changes: ['acme_lidar 1.* → 1.3.*', '/policy/minimum_release_age "1d" is added'],
    },
  });
  expect(await as('config', 'PUT', CONFIG, saving(1, lidar('1.*'), dry))).toEqual({
    status: 200,
    json: { ...said, result: 'unchanged', changes: [] },
  });
  expect(await as('config', 'PUT', CONFIG, saving(1, '{', dry))).toMatchObject({ status: 422 });
  expect(await as('config', 'PUT', CONFIG, saving(0, '{}', dry))).toMatchObject({
    status: 409,
    json: { type: 'urn:modreg:stale-config', newest: 1 },
  });
  expect(await as('config', 'GET', CONFIG)).toMatchObject({
    json: { revision: 1, config: lidar('1.*') },
  });
  const saved = registry.events.filter(({ kind }) => kind === 'config-saved');
  expect(saved).toMatchObject([{ revision: 1 }]);
});

it('[D265] [D439] of two people who edit the same revision, the second is refused with the number of the newest and the difference', async () => {
  const { as } = asking();
  await as('config', 'PUT', CONFIG, saving(0));
  await as('config', 'PUT', CONFIG, saving(1, LOCAL));
  expect(await as('config', 'PUT', CONFIG, saving(1, '{}'))).toMatchObject({
    status: 409,
    json: {
      type: 'urn:modreg:stale-config',
      detail: 'this is based on revision 1, and the newest is 2: nothing was saved',
      newest: 2,
      changes: ['machine.json:', `-${EMPTY}`, `+${LOCAL}`],
    },
  });
  expect(await as('machine:rover-7', 'GET', CONFIG)).toMatchObject({ json: { config: LOCAL } });
  const long = JSON.stringify({ modules: [], note: 'x'.repeat(1000) });
  await as('config', 'PUT', CONFIG, saving(2, long));
  const signing = { revision: 2, signatures: {} };
  expect(await as('config', 'PUT', `${CONFIG}/signatures`, signing)).toMatchObject({
    status: 409,
    json: { newest: 3, changes: ['machine.json:', `-${LOCAL}`, `+${long.slice(0, 399)}…`] },
  });
});

it.each([
  ['machine:rover-7', 'GET', '', 204],
  ['machine:rover-8', 'GET', '', 403],
  ['fleet:read', 'GET', '', 403],
  ['config', 'GET', '', 404],
  ['machine:rover-7', 'PUT', '', 403],
  ['trust', 'PUT', '', 403],
  ['machine:rover-7', 'GET', '/history', 403],
  ['machine:rover-7', 'PUT', '/signatures', 403],
  ['config', 'PUT', '/answer', 403],
  ['machine:rover-8', 'PUT', '/answer', 403],
])('[D264] with the scope %s, the answer to %s %s is %i', async (scope, method, path, status) => {
  const body = method === 'PUT' ? saving(0) : undefined;
  expect((await asking().as(scope, method, CONFIG + path, body)).status).toBe(status);
});

it.each([
  ['fleet:read', 'config'],
  ['machine:rover-8', 'machine:rover-7'],
])('[D264] with the scope %s, the answer names %s', async (scope, wanted) => {
  const { json } = await asking().as(scope, 'GET', CONFIG, undefined);
  expect(JSON.stringify(json)).toContain(wanted);
});

it.each([
  [saving(0, '{'), 'malformed: the machine config cannot be used: 1:2 expected "}"'],
  [
    saving(0, EMPTY, { policy: '{"trust":"unsigned"}' }),
    'local-term: /policy/trust is a term of the machine alone, which its site cannot set',
  ],
  [{ ...saving(0), reason: '' }, '/reason: expected 1 to 200 characters'],
  [{ ...saving(0), reason: '  ' }, '/reason: expected more than spaces'],
  [{ ...saving(0), fragments: ['a', 'a'] }, '/fragments: expected each fragment once'],
  [{ ...saving(-1) }, '/based_on: expected a whole number from 0'],
])('[D264] %j is not saved: %s', async (body, error) => {
  const { as } = asking();
  const { status, json } = await as('config', 'PUT', CONFIG, body);
  expect([status, Object(json).errors]).toEqual([422, [error]]);
  expect((await as('machine:rover-7', 'GET', CONFIG)).status).toBe(204);
});

const TRUST = trustOf([role('namespace *', 1, AUTHOR), role('operator', 1, APPROVER)]);

function wrong(id: string): object {
  const detail = `/signatures: that of the key ${id} is not one of an operator over rover-7, revision 1 and its documents`;
  return { status: 422, json: { detail } };
}

it('[D263] a signature of an operator is stored with the newest revision, and another is not', async () => {
  const { registry, as } = asking();
  registry.catalogue.trust.store(TRUST.text);
  await as('config', 'PUT', CONFIG, saving(0));
  const digest = `sha256:${createHash('sha256').update(EMPTY).digest('hex')}`;
  const text = `modreg/config@1\nacme-plant\nrover-7\n1\nconfig ${digest}\npolicy none\n`;
  const sign = async (revision: number, id: string, signature: string) =>
    await as('config', 'PUT', `${CONFIG}/signatures`, {
      revision,
      signatures: { [id]: signature },
    });
  const { id } = APPROVER;
  expect(await sign(1, STRANGER.id, STRANGER.sign(text))).toMatchObject(wrong(STRANGER.id));
  expect(await sign(1, id, APPROVER.sign(text.replace('rover-7', 'rover-8')))).toMatchObject(
    wrong(id),
  );
  expect(await sign(2, id, APPROVER.sign(text))).toMatchObject({ status: 409 });
  expect(await sign(1, id, APPROVER.sign(text))).toEqual({
    status: 200,
    json: { machine: 'rover-7', revision: 1, result: 'signed' },
  });
  expect(await as('machine:rover-7', 'GET', CONFIG)).toMatchObject({
    json: { revision: 1, signatures: { [id]: APPROVER.sign(text) } },
  });
});

it('[D263] the signature of a second operator is added to that of the first', async () => {
  const { registry, as } = asking();
  const operators = role('operator', 2, APPROVER, VENDOR);
  registry.catalogue.trust.store(trustOf([role('namespace *', 1, AUTHOR), operators]).text);
  await as('config', 'PUT', CONFIG, saving(0));
  const newest = registry.catalogue.configs.newest('rover-7');
  if (!newest) throw new Error('nothing was saved');
  const text = signedConfigText('acme-plant', newest);
  const signatures: Record<string, string> = {};
  for (const { id, sign } of [APPROVER, VENDOR]) {
    signatures[id] = sign(text);
    const added = { revision: 1, signatures: { [id]: sign(text) } };
    expect(await as('config', 'PUT', `${CONFIG}/signatures`, added)).toMatchObject({ status: 200 });
  }
  expect(Object.keys(signatures)).toHaveLength(2);
  expect(Object((await as('machine:rover-7', 'GET', CONFIG)).json).signatures).toEqual(signatures);
});

it.each([
  ['what the machine has is served', 'machine:rover-7', '1.0', undefined],
  ['other documents are served', 'machine:rover-7', '', '1.0'],
  ['another machine asks', 'machine:rover-8', '1.0', ''],
  ['no machine asks', 'publish', '', undefined],
])('[D267] a question for changes names documents where %s', async (_what, scope, known, tag) => {
  const { as } = asking();
  await as('config', 'PUT', CONFIG, saving(0));
  const { json } = await as(scope, 'GET', `/v1/changes?after=0&config=${known}`);
  expect(Object(json).config).toBe(tag);
});

it('[D267] a machine that waits for changes is told at once of documents that are saved for it', async () => {
  const { as } = asking();
  await as('config', 'PUT', CONFIG, saving(0));
  const wait = (scope: string) => as(scope, 'GET', '/v1/changes?after=0&wait=30&config=1.0');
  const waiting = wait('machine:rover-7');
  await as('config', 'PUT', CONFIG, saving(1, LOCAL));
  expect(await waiting).toMatchObject({ json: { sequence: 0, modules: [], config: '2.0' } });
});

it('[D267] a machine that knows other documents than those that are served does not wait', async () => {
  const { as } = asking();
  await as('config', 'PUT', CONFIG, saving(0));
  const wait = async (id: string, seconds: number) =>
    await as(`machine:${id}`, 'GET', `/v1/changes?after=0&wait=${seconds}&config=`);
  expect(await Promise.race([wait('rover-7', 60), wait('rover-8', 5)])).toMatchObject({
    json: { config: '1.0' },
  });
});

it('[T672] revisions go on above those that a machine has run, and after a restore above those of the backup', async () => {
  const { registry, as } = asking();
  await as('config', 'PUT', CONFIG, saving(0));
  await as('machine:rover-7', 'PUT', `${CONFIG}/answer`, { applied: 7, refused: null });
  expect(await as('config', 'PUT', CONFIG, saving(1, LOCAL))).toMatchObject({
    json: { revision: 8 },
  });
  await as('machine:rover-7', 'PUT', `${CONFIG}/answer`, { applied: 1_000_000_000, refused: null });
  expect(await as('config', 'PUT', CONFIG, saving(8))).toMatchObject({
    json: { revision: 10_009 },
  });
  await as('machine:rover-7', 'PUT', `${CONFIG}/answer`, { applied: 10_009, refused: null });
  const folder = temporaryFolder();
  await backUp(registry.path, `${folder}/backup`, registry.now);
  const path = `${folder}/registry.db`;
  restore(`${folder}/backup`, path, { replaces: false, now: registry.now });
  const restored = new Catalogue(path, { mode: 'write' });
  const next = {
    machine: 'rover-7',
    config: LOCAL,
    policy: undefined,
    author: 'a',
    reason: 'b',
    at: 0,
  };
  expect(restored.configs.save({ ...next, basedOn: 10_009 })).toEqual({
    kind: 'saved',
    revision: 11_010,
  });
  // Its first documents may have been saved after the backup.
  const other = { ...next, machine: 'rover-8', basedOn: 0 };
  expect(restored.configs.save(other)).toEqual({ kind: 'saved', revision: 11_010 });
  restored.close();
});

it('[D264] a registry keeps 100 revisions of a machine', () => {
  const { catalogue } = testRegistry();
  const next = { machine: 'rover-7', policy: undefined, author: 'a', reason: 'b', at: 0 };
  for (let basedOn = 0; basedOn < 102; basedOn++) {
    catalogue.configs.save({ ...next, basedOn, config: `{"$schema":"${basedOn}"}` });
  }
  const kept = catalogue.configs.history('rover-7').map(({ revision }) => revision);
  expect([kept.length, kept.at(-1)]).toEqual([100, 3]);
});
