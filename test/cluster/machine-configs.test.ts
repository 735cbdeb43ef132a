import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { EventStream } from '../../src/cluster/event-stream.ts';
import { signedConfigText } from '../../src/registry/trust/config-signatures.ts';
import { APPROVER, AUTHOR, role, trustOf } from '../support/signed.ts';
import { entry } from '../support/planned.ts';
import { twoFronts, type TwoFronts } from './support/two-fronts.ts';

const CONFIG = '/machines/rover-7/config';
const MACHINE = 'machine:rover-7';
const EMPTY = '{"modules":[]}';

function saving(basedOn: number, config: string = EMPTY, more: object = {}): object {
  return { based_on: basedOn, config, reason: 'first', ...more };
}

function fragment(content: string, basedOn: number): object {
  return { based_on: basedOn, content, reason: 'shared' };
}

function withLidar(version: string): string {
  return JSON.stringify({ modules: [entry('acme:lidar', version)] });
}

/** What both fronts have of documents, without the names of their tokens. */
function stored({ one, two }: TwoFronts): unknown[] {
  return [one, two].map(({ catalogue: { configs } }) => [
    ['rover-7', 'rover-8'].map((machine) => configs.history(machine)),
    configs.fragments.all(),
    configs.answer('rover-7'),
  ]);
}

it('[D397] documents that a person saves at one front are served by all, with history and what the machine says', async () => {
  const cluster = await twoFronts();
  const { one, two, level } = cluster;
  expect(await one.as('config', 'PUT', CONFIG, saving(0))).toEqual({
    status: 200,
    json: { machine: 'rover-7', revision: 1, result: 'saved' },
  });
  // The front has not followed yet: it waits for what the leader has.
  const second = saving(1, withLidar('1.2.*'), { reason: 'second' });
  expect(await two.as('config', 'PUT', CONFIG, second)).toMatchObject({ json: { revision: 2 } });
  await level();
  expect(await one.as(MACHINE, 'GET', CONFIG)).toEqual({
    status: 200,
    json: {
      machine: 'rover-7',
      revision: 2,
      config: withLidar('1.2.*'),
      policy: null,
      signatures: {},
    },
  });
  const { json } = await one.as('config', 'GET', `${CONFIG}/history`);
  expect(json['revisions']).toMatchObject([
    { revision: 2, reason: 'second', by: 'token t1 (config-2)' },
    { revision: 1, reason: 'first', by: 'token t1 (config-1)' },
  ]);
  const refused = { revision: 2, code: 'local-term', detail: '/policy/trust is' };
  await two.as(MACHINE, 'PUT', `${CONFIG}/answer`, { applied: 1, refused });
  await level();
  const shown = await one.as('config', 'GET', CONFIG);
  expect(shown.json).toMatchObject({ machine_says: { applied: 1, refused } });
  const [first, other] = stored(cluster);
  expect(first).toEqual(other);
});

it('[D397] what changes nothing is no event', async () => {
  const { stream, one, two, level } = await twoFronts();
  await one.as('config', 'PUT', CONFIG, saving(0));
  await one.as(MACHINE, 'PUT', `${CONFIG}/answer`, { applied: 1, refused: null });
  await level();
  const before = await stream.last();
  expect(await two.as('config', 'PUT', CONFIG, saving(1))).toMatchObject({
    json: { revision: 1, result: 'unchanged' },
  });
  await two.as(MACHINE, 'PUT', `${CONFIG}/answer`, { applied: 1, refused: null });
  expect(await two.as('config', 'PUT', CONFIG, saving(0, '{}'))).toMatchObject({ status: 409 });
  expect(await stream.last()).toBe(before);
});

it('[D398] of two people who save at two fronts at once, the second is refused with the number of the newest', async () => {
  const cluster = await twoFronts();
  const { one, two, level } = cluster;
  await one.as('config', 'PUT', CONFIG, saving(0));
  const answers = await Promise.all([
    one.as('config', 'PUT', CONFIG, saving(1, '{}')),
    two.as('config', 'PUT', CONFIG, saving(1, withLidar('1.2.*'))),
  ]);
  const refused = answers.filter(({ status }) => status === 409);
  expect(refused.map(({ json }) => json)).toEqual([
    {
      type: 'urn:modreg:stale-config',
      title: 'The documents have changed in the meantime',
      status: 409,
      detail: 'this is based on revision 1, and the newest is 2: nothing was saved',
      newest: 2,
      changes: expect.arrayContaining(['machine.json:', `-${EMPTY}`]),
    },
  ]);
  await level();
  const [first, other] = stored(cluster);
  expect(first).toEqual(other);
});

it('[D397] a fragment that is saved at one front gives its machines the same documents at all', async () => {
  const cluster = await twoFronts();
  const { one, two, level } = cluster;
  await one.as('config', 'PUT', '/fragments/base', fragment(withLidar('1.2.*'), 0));
  const uses = { fragments: ['base'] };
  await one.as('config', 'PUT', CONFIG, saving(0, '{}', uses));
  await one.as('config', 'PUT', '/machines/rover-8/config', saving(0, '{}', uses));
  await level();
  const saved = await two.as('config', 'PUT', '/fragments/base', fragment(withLidar('1.3.*'), 1));
  expect(saved.json).toMatchObject({
    revision: 2,
    result: 'saved',
    machines: [
      { machine: 'rover-7', from: 1, to: 2 },
      { machine: 'rover-8', from: 1, to: 2 },
    ],
  });
  await level();
  expect((await one.as(MACHINE, 'GET', CONFIG)).json['config']).toContain('1.3.*');
  const [first, other] = stored(cluster);
  expect(first).toEqual(other);
});

it('[D451] documents are not saved with a fragment that another front has replaced meanwhile', async () => {
  let events = Infinity;
  const toSecond = (stream: EventStream): EventStream => ({
    ...stream,
    read: async (sequence) => (sequence > events ? undefined : await stream.read(sequence)),
    async append(...given) {
      // By now it has compiled the documents.
      events = Infinity;
      return await stream.append(...given);
    },
    last: async () => Math.min(await stream.last(), events),
  });
  const cluster = await twoFronts({ toSecond });
  const { stream, one, two, level } = cluster;
  await one.as('config', 'PUT', '/fragments/base', fragment(withLidar('1.2.*'), 0));
  await one.as('config', 'PUT', CONFIG, saving(0));
  await level();
  events = await stream.last();
  await one.as('config', 'PUT', '/fragments/base', fragment(withLidar('1.3.*'), 1));
  const using = saving(1, '{}', { fragments: ['base'] });
  expect(await two.as('config', 'PUT', CONFIG, using)).toEqual({
    status: 409,
    json: {
      type: 'urn:modreg:stale-config',
      title: 'The documents have changed in the meantime',
      status: 409,
      detail:
        'another person saved a fragment that they use in the meantime: nothing was saved; try again',
      newest: 1,
    },
  });
  expect(await two.as('config', 'PUT', CONFIG, using)).toMatchObject({ json: { revision: 2 } });
  await level();
  expect(one.catalogue.configs.newest('rover-7')?.config).toContain('1.3.*');
  const [first, other] = stored(cluster);
  expect(first).toEqual(other);
});

it('[D451] fronts of an earlier modreg read the event of documents that use fragments', async () => {
  const { stream, one } = await twoFronts();
  await one.as('config', 'PUT', '/fragments/base', fragment(withLidar('1.2.*'), 0));
  await one.as('config', 'PUT', CONFIG, saving(0, '{}', { fragments: ['base'] }));
  const event = await stream.read(await stream.last());
  expect(Object.keys(JSON.parse(event?.body ?? ''))).toEqual([
    'schema',
    'kind',
    'machine',
    'basedOn',
    'config',
    'policy',
    'source',
    'reason',
    'author',
    'at',
  ]);
});

it('[D397] the same documents, made from other fragments, are made from these at all fronts', async () => {
  const { one, two, level } = await twoFronts();
  for (const name of ['base', 'other']) {
    await one.as('config', 'PUT', `/fragments/${name}`, fragment('{}', 0));
  }
  await one.as('config', 'PUT', CONFIG, saving(0, EMPTY, { fragments: ['base'] }));
  await level();
  const again = saving(1, EMPTY, { fragments: ['other'] });
  expect((await two.as('config', 'PUT', CONFIG, again)).json['result']).toBe('unchanged');
  await level();
  const sources = [one, two].map(({ catalogue }) => catalogue.configs.source('rover-7', 1));
  expect(sources.map((source) => source?.fragments)).toEqual([['other'], ['other']]);
});

it('[D397] a signature that one front takes is served by all', async () => {
  const { one, two, level } = await twoFronts();
  const trust = trustOf([role('namespace *', 1, AUTHOR), role('operator', 1, APPROVER)]);
  await one.as('trust', 'PUT', '/trust', { document: trust.text });
  await one.as('config', 'PUT', CONFIG, saving(0));
  await level();
  const newest = two.catalogue.configs.newest('rover-7');
  if (!newest) throw new Error('nothing was saved');
  const signatures = { [APPROVER.id]: APPROVER.sign(signedConfigText('acme-plant', newest)) };
  expect(
    await two.as('config', 'PUT', `${CONFIG}/signatures`, { revision: 1, signatures }),
  ).toMatchObject({ status: 200, json: { result: 'signed' } });
  await level();
  expect((await one.as(MACHINE, 'GET', CONFIG)).json).toMatchObject({ revision: 1, signatures });
});

it('[T793] documents that no event can have are refused, and nothing is saved', async () => {
  const { stream, one } = await twoFronts();
  const before = await stream.last();
  const noise = Array.from({ length: 23_000 }, (_none, place) =>
    createHash('sha256').update(`${place}`).digest('base64'),
  ).join('');
  const config = `// ${noise}\n{}`;
  expect(config.length).toBeLessThan(1024 * 1024);
  const { status, json } = await one.as('config', 'PUT', CONFIG, saving(0, config));
  expect([status, json['type'], String(json['detail']).replaceAll(/\d{4,}/g, 'N')]).toEqual([
    413,
    'urn:modreg:too-large',
    'it has N bytes, N when compressed, and an event of the cluster at most N; nothing was changed',
  ]);
  expect(await stream.last()).toBe(before);
});
