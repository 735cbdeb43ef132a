import { expect, it } from 'vitest';
import { decodeEvent, encodeEvent } from '../../src/cluster/event.ts';
import { moduleId } from '../support/ask.ts';
import { AUTHOR, APPROVER, signed, STRANGER, trustOf, type TestKey } from '../support/signed.ts';
import { testRegistry } from './support/registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const ONE = { version: '1.0.0', published_at: '2026-11-21T01:02:03Z' };

function by(reason: string, ...keys: readonly TestKey[]): Readonly<Record<string, string>> {
  const text = `modreg/yank@1\nacme:lidar\n1.0.0\n${JSON.stringify(reason)}\n`;
  return Object.fromEntries(keys.map((one) => [one.id, one.sign(text)]));
}

/** A registry with a release, and what its list says of the yank. */
async function site() {
  const registry = testRegistry();
  registry.catalogue.trust.store(trustOf().text);
  const body = signed('acme:lidar', ONE, AUTHOR, APPROVER);
  await registry.ask('POST', RELEASES, { body });
  const yank = async (change: object | undefined) => {
    const method = change ? 'PUT' : 'DELETE';
    const answer = await registry.ask(method, `${RELEASES}/1.0.0/yank`, change && { body: change });
    const list = Object((await registry.ask('GET', '/v1/modules/acme/lidar')).json);
    const { yanked, yank_signatures } = list.releases[0];
    return [answer.status, Object(answer.json).detail, list.generation, yanked, yank_signatures];
  };
  return { ...registry, yank, body };
}

it('[D166] a yank has signatures in the list, until it is reverted or has another reason', async () => {
  const registry = await site();
  const { yank, body } = registry;
  const other = by('other', APPROVER);
  const [one, both] = [by('why', AUTHOR), by('why', AUTHOR, APPROVER)];
  const steps: [object | undefined, number, string | null, object | undefined][] = [
    [{ reason: 'why' }, 2, 'why', undefined],
    [{ reason: 'why', signatures: one }, 3, 'why', one],
    [{ reason: 'why', signatures: one }, 3, 'why', one],
    // Without any, it stays as it is.
    [{ reason: 'why' }, 3, 'why', one],
    [{ reason: 'why', signatures: by('why', APPROVER) }, 4, 'why', both],
    [{ reason: 'other', signatures: other }, 5, 'other', other],
    [{ reason: '' }, 6, '', undefined],
    [{ reason: 'why', signatures: both }, 7, 'why', both],
    [undefined, 8, null, undefined],
  ];
  for (const [change, ...expected] of steps) {
    expect(await yank(change)).toEqual([200, undefined, ...expected]);
  }
  // It is no part of what was published.
  const again = await registry.ask('POST', RELEASES, { body });
  expect(Object(again.json).result).toBe('unchanged');
});

it('[D166] an imported release brings the signatures of its yank', async () => {
  const registry = testRegistry();
  const { catalogue } = registry;
  const signatures = by('why', AUTHOR);
  await registry.ask('POST', RELEASES, {
    body: { ...ONE, yanked: 'why', yank_signatures: signatures },
  });
  const list = JSON.parse(
    Buffer.from(catalogue.document(moduleId('acme:lidar'))?.bytes ?? '').toString(),
  );
  expect(list.releases[0]).toMatchObject({ yanked: 'why', yank_signatures: signatures });
});

it.each<[string, object, string]>([
  ['of another key', by('why', STRANGER), `a signature of key ${STRANGER.id}`],
  [
    'of another reason',
    by('other', AUTHOR),
    `a signature of key ${AUTHOR.id} that is not of this yank`,
  ],
])('[D166] a registry with keys takes no signature %s', async (_title, signatures, found) => {
  const { yank } = await site();
  const detail = `/signatures: the yank of acme:lidar 1.0.0 has ${found}`;
  expect(await yank({ reason: 'why', signatures })).toEqual([422, detail, 1, null, undefined]);
  // A brake needs none.
  expect(await yank({ reason: 'why' })).toEqual([200, undefined, 2, 'why', undefined]);
});

it('[D166] a deprecation has no signatures', async () => {
  const registry = await site();
  const body = { reason: 'why', signatures: by('why', AUTHOR) };
  expect((await registry.ask('PUT', `${RELEASES}/1.0.0/deprecation`, { body })).status).toBe(422);
});

it.each([
  [by('why', AUTHOR), 2],
  [undefined, 1],
])('[T530] the yank of a front with the signatures %j has schema %s', (signatures, schema) => {
  const id = moduleId('acme:lidar');
  const yank = {
    kind: 'yank',
    moduleId: id,
    version: '1.0.0',
    reason: 'why',
    now: 5,
    signatures,
  } as const;
  const text = encodeEvent(yank);
  expect(Object(JSON.parse(text)).schema).toBe(schema);
  const read = decodeEvent(text);
  expect(read.ok && read.value.event).toEqual(yank);
});
