import { expect, it } from 'vitest';
import { stateOf } from '../../src/server/configs/fragment-table.ts';
import { component, entry } from '../support/planned.ts';
import { asking, type Asking } from './support/asking.ts';

const BASE = '/v1/fragments/base';

/** The body of a request that saves a fragment. */
function fragment(content: object, basedOn = 0, more: object = {}): object {
  return { based_on: basedOn, content: JSON.stringify(content), reason: 'a test', ...more };
}

/** The body of one that saves documents of a machine. */
function documents(config: object, more: object = {}): object {
  return { based_on: 0, config: JSON.stringify(config), reason: 'a test', ...more };
}

function withLidar(version: string): object {
  return { modules: [entry('acme:lidar', version)] };
}

/** Saves documents of a machine that use the fragment `base`. */
async function using({ as }: Asking, machine: string, config: object, more = {}): Promise<object> {
  const body = documents(config, { fragments: ['base'], ...more });
  return await as('config', 'PUT', `/v1/machines/${machine}/config`, body);
}

async function servedTo({ as }: Asking, machine: string): Promise<unknown> {
  const { json } = await as(`machine:${machine}`, 'GET', `/v1/machines/${machine}/config`);
  const { revision, config, policy } = Object(json);
  return { revision, config: JSON.parse(config), policy: policy && JSON.parse(policy) };
}

it('[D329] a machine gets its own entries over those of the fragments that it uses, and a person reads both', async () => {
  const site = asking();
  const { as } = site;
  const night = { blackout: [{ from: '2026-12-20', to: '2027-01-03', time_zone: 'UTC' }] };
  const base = { ...withLidar('1.2.*'), policy: { ...night, minimum_release_age: '1d' } };
  await as('config', 'PUT', BASE, fragment(base));
  await as('config', 'PUT', '/v1/fragments/new', fragment(withLidar('1.3.*')));
  const own = { modules: [entry('acme:gps', '2.*')], components: [] };
  const policy = JSON.stringify({ minimum_release_age: '2d' });
  await using(site, 'rover-7', own, { policy });
  const terms = { ...night, minimum_release_age: '2d' };
  const lidar = entry('acme:lidar', '1.2.*');
  expect(await servedTo(site, 'rover-7')).toEqual({
    revision: 1,
    config: { ...own, modules: [lidar, entry('acme:gps', '2.*')] },
    policy: terms,
  });
  const { json } = await as('config', 'GET', '/v1/machines/rover-7/config');
  const source = { config: JSON.stringify(own), policy, fragments: ['base'] };
  expect(Object(json).own).toEqual(source);
  // The later fragment counts, and the own entries before both.
  await using(site, 'rover-8', withLidar('1.4.*'));
  await using(site, 'rover-9', {}, { fragments: ['base', 'new'] });
  expect(await servedTo(site, 'rover-8')).toMatchObject({ config: withLidar('1.4.*') });
  expect(await servedTo(site, 'rover-9')).toMatchObject({ config: withLidar('1.3.*') });
});

it('[D330] a fragment says on which machines it has an effect before it is saved, and then gives them the next revision', async () => {
  const site = asking();
  const { registry, as } = site;
  await as('config', 'PUT', BASE, fragment(withLidar('1.2.*')));
  await using(site, 'rover-7', { modules: [entry('acme:gps', '2.*')] });
  await using(site, 'rover-8', withLidar('1.4.*'));
  await as('config', 'PUT', '/v1/machines/rover-9/config', documents(withLidar('1.2.*')));
  const next = { ...withLidar('1.3.*'), policy: { minimum_release_age: '1d' } };
  const changes = ['acme_lidar 1.2.* → 1.3.*', '/policy/minimum_release_age "1d" is added'];
  const effects = [
    { machine: 'rover-7', from: 1, to: null, changes },
    { machine: 'rover-8', from: 1, to: null, changes: changes.slice(1) },
  ];
  const said = { name: 'base', revision: 2, machines: effects, unaffected: 0 };
  expect(await as('config', 'PUT', BASE, fragment(next, 1, { dry_run: true }))).toEqual({
    status: 200,
    json: { ...said, result: 'would-save' },
  });
  expect(await servedTo(site, 'rover-7')).toMatchObject({ revision: 1 });
  const machines = effects.map((one) => Object.assign({}, one, { to: 2 }));
  expect(await as('config', 'PUT', BASE, fragment(next, 1))).toEqual({
    status: 200,
    json: { ...said, machines, result: 'saved' },
  });
  expect(await servedTo(site, 'rover-7')).toEqual({
    revision: 2,
    config: { modules: [entry('acme:lidar', '1.3.*'), entry('acme:gps', '2.*')] },
    policy: { minimum_release_age: '1d' },
  });
  expect(await servedTo(site, 'rover-9')).toMatchObject({ revision: 1 });
  const { json } = await as('config', 'GET', '/v1/machines/rover-7/config');
  expect(Object(json).reason).toBe('fragment base, revision 2: a test');
  const saved = registry.events.flatMap((event) =>
    event.kind === 'config-saved' ? [`${event.machine} ${event.revision}`] : [],
  );
  expect(saved).toEqual(['rover-7 1', 'rover-8 1', 'rover-9 1', 'rover-7 2', 'rover-8 2']);
  expect(await as('config', 'GET', BASE)).toMatchObject({
    json: { name: 'base', revision: 2, machines: ['rover-7', 'rover-8'] },
  });
  expect(await as('config', 'GET', '/v1/fragments')).toMatchObject({
    json: { fragments: [{ name: 'base', revision: 2, machines: 2 }] },
  });
});

it('[D330] machines that override what a fragment changes get no other documents', async () => {
  const site = asking();
  await site.as('config', 'PUT', BASE, fragment(withLidar('1.2.*')));
  await using(site, 'rover-8', withLidar('1.4.*'));
  const { json } = await site.as('config', 'PUT', BASE, fragment(withLidar('1.3.*'), 1));
  expect(json).toMatchObject({ result: 'saved', machines: [], unaffected: 1 });
  expect(await servedTo(site, 'rover-8')).toMatchObject({ revision: 1 });
});

it('[D330] a machine that waits is told at once of the documents that a fragment gives it', async () => {
  const site = asking();
  await site.as('config', 'PUT', BASE, fragment(withLidar('1.2.*')));
  await using(site, 'rover-7', {});
  const waiting = site.as('machine:rover-7', 'GET', '/v1/changes?after=0&wait=30&config=1.0');
  await site.as('config', 'PUT', BASE, fragment(withLidar('1.3.*'), 1));
  expect(await waiting).toMatchObject({ json: { config: '2.0' } });
});

it('[D329] documents without fragments, and later ones of a machine that used some, are as they were written', async () => {
  const site = asking();
  await site.as('config', 'PUT', BASE, fragment(withLidar('1.2.*')));
  await using(site, 'rover-7', {});
  const own = documents({ modules: [] }, { based_on: 1 });
  await site.as('config', 'PUT', '/v1/machines/rover-7/config', own);
  await site.as('config', 'PUT', BASE, fragment(withLidar('1.3.*'), 1));
  expect(await servedTo(site, 'rover-7')).toMatchObject({ revision: 2, config: { modules: [] } });
});

it('[D329] documents that were written out and now come from a fragment follow it, under the same revision', async () => {
  const site = asking();
  const text = `${JSON.stringify(withLidar('1.2.*'), null, 2)}\n`;
  const body = { based_on: 0, config: text, reason: 'a test' };
  await site.as('config', 'PUT', '/v1/machines/rover-7/config', body);
  await site.as('config', 'PUT', BASE, fragment(withLidar('1.2.*')));
  const moved = await using(site, 'rover-7', {}, { based_on: 1 });
  expect(moved).toMatchObject({ json: { revision: 1, result: 'unchanged' } });
  const { json } = await site.as('config', 'PUT', BASE, fragment(withLidar('1.3.*'), 1));
  expect(json).toMatchObject({ machines: [{ machine: 'rover-7', from: 1, to: 2 }] });
});

it('[D265] [D439] a fragment that another person has saved meanwhile is not replaced', async () => {
  const { as } = asking();
  await as('config', 'PUT', BASE, fragment(withLidar('1.2.*')));
  const dry = await as('config', 'PUT', BASE, fragment({}, 0, { dry_run: true }));
  expect(dry.status).toBe(409);
  await as('config', 'PUT', BASE, fragment(withLidar('2.*'), 1));
  const { status, json } = await as('config', 'PUT', BASE, fragment(withLidar('1.3.*'), 1));
  expect([status, Object(json).detail, Object(json).newest, Object(json).changes]).toEqual([
    409,
    'this is based on revision 1, and the newest is 2: nothing was saved',
    2,
    [
      'the fragment:',
      `-${JSON.stringify(withLidar('1.2.*'))}`,
      `+${JSON.stringify(withLidar('2.*'))}`,
    ],
  ]);
});

it('[T733] a fragment is not saved if a machine that uses it got other documents while they were compiled', async () => {
  const site = asking();
  const { registry, as } = site;
  await as('config', 'PUT', BASE, fragment(withLidar('1.2.*')));
  await using(site, 'rover-7', {});
  const saving = as('config', 'PUT', BASE, fragment(withLidar('1.3.*'), 1));
  const { configs } = registry.catalogue;
  const users = configs.fragments.users('base');
  const [user] = users;
  if (!user) throw new Error('no machine uses the fragment');
  await saving;
  const next = { name: 'base', revision: 3, at: 0, author: 'a', reason: 'b', content: '{}' };
  const compiled = { users: stateOf(users), documents: [] };
  const save = (one: typeof next) =>
    registry.catalogue.apply({ kind: 'fragment', next: one, ...compiled });
  expect(save(next)).toEqual({ kind: 'moved' });
  const later = save({ ...next, revision: 5 });
  expect(later).toEqual({ kind: 'stale', newest: 2 });
  expect(configs.fragments.newest('base')?.revision).toBe(2);
});

it('[D451] documents that were compiled with an earlier revision of a fragment are not saved', async () => {
  const site = asking();
  const { registry, as } = site;
  await as('config', 'PUT', BASE, fragment(withLidar('1.2.*')));
  const { configs } = registry.catalogue;
  const source = { config: '{}', policy: undefined, fragments: ['base'] };
  const about = { author: 'a', reason: 'b', at: 0, policy: undefined, source };
  const next = { ...about, machine: 'rover-7', basedOn: 0, config: '{}' };
  const withRevision = (revision: number): object =>
    configs.judge({ ...next, compiledWith: [{ name: 'base', revision }] });
  expect([withRevision(1), withRevision(0)]).toEqual([
    { kind: 'saved', revision: 1 },
    { kind: 'moved', newest: 0 },
  ]);
});

it.each([
  [{ components: [] }, 'the fragment has components, expected modules and policy alone'],
  [{ modules: {} }, 'the fragment: /modules is not a list'],
  [{ policy: [] }, 'the fragment: /policy is not an object'],
  [
    { policy: { trust: 'unsigned' } },
    'local-term: /policy/trust is a term of the machine alone, which its site cannot set',
  ],
  [
    { modules: [{ name: 'x' }] },
    'malformed: the machine config cannot be used: 1:13 /modules/0: type is required',
  ],
])('[D329] %j is no fragment: %s', async (content, error) => {
  const { as } = asking();
  const { status, json } = await as('config', 'PUT', BASE, fragment(content));
  expect([status, Object(json).errors]).toEqual([422, [error]]);
  expect((await as('config', 'GET', BASE)).status).toBe(404);
});

it('[D329] a fragment that is not JSON is refused', async () => {
  const { as } = asking();
  const body = { based_on: 0, content: '{', reason: 'a test' };
  const { json } = await as('config', 'PUT', BASE, body);
  expect(Object(json).errors).toEqual(['the fragment is not JSON that can be used']);
});

it.each([
  ['{', '{}', 'malformed: the machine config is not JSON that can be used'],
  ['{"modules":7}', '{}', 'malformed: the machine config: /modules is not a list'],
  ['{}', '[]', 'malformed: the policy is not an object'],
])(
  '[D329] own documents %s and %s are refused with fragments, too',
  async (config, policy, error) => {
    const { as } = asking();
    await as('config', 'PUT', BASE, fragment({}));
    const body = { based_on: 0, config, policy, fragments: ['base'], reason: 'a test' };
    const { json } = await as('config', 'PUT', '/v1/machines/rover-7/config', body);
    expect(Object(json).errors).toEqual([error]);
  },
);

it('[D330] a fragment that makes documents of a machine unusable is not saved, and the machine is named', async () => {
  const site = asking();
  await site.as('config', 'PUT', BASE, fragment(withLidar('1.2.*')));
  const saved = await using(site, 'rover-7', { components: [component('lidar', 'acme:lidar:x')] });
  expect(saved).toMatchObject({ status: 200 });
  const { status, json } = await site.as('config', 'PUT', BASE, fragment({}, 1));
  expect([status, Object(json).errors]).toEqual([
    422,
    [
      'rover-7: malformed: the machine config cannot be used: 5:16 /components/0/model: no module entry has the module_id acme:lidar; add the module that provides this model; nothing was saved',
    ],
  ]);
});

it('[D329] documents that use a fragment that does not exist are refused', async () => {
  const site = asking();
  await site.as('config', 'PUT', '/v1/fragments/night', fragment({}));
  expect(await using(site, 'rover-7', {})).toMatchObject({
    status: 422,
    json: { errors: ['/fragments: no fragment has the name base; there are night'] },
  });
});

it.each([
  ['config', 'GET', BASE, 404],
  ['config', 'GET', '/v1/fragments', 200],
  ['commands', 'GET', '/v1/fragments', 403],
  ['machine:rover-7', 'GET', BASE, 403],
  ['machine:rover-7', 'PUT', BASE, 403],
  ['config', 'PUT', '/v1/fragments/-x', 400],
])('[D329] with the scope %s, the answer to %s %s is %i', async (scope, method, path, status) => {
  const body = method === 'PUT' ? fragment({}) : undefined;
  expect((await asking().as(scope, method, path, body)).status).toBe(status);
});
