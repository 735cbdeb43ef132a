import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { testRegistry } from './support/registry.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';

it('[T103] logs each change that failed, with its token', async () => {
  const registry = testRegistry({ busyTimeoutMs: 0 });
  await registry.ask('POST', RELEASES, { body: { version: '1.0.0' } });
  const holder = new DatabaseSync(registry.path);
  holder.exec('BEGIN IMMEDIATE');
  const yank = `${RELEASES}/1.0.0/yank`;
  expect((await registry.ask('POST', RELEASES, { body: { version: '1.0.1' } })).status).toBe(503);
  const locked503 = await registry.ask('PUT', yank);
  expect([locked503.status, locked503.headers.get('retry-after')]).toEqual([503, '1']);
  expect(locked503.json).toMatchObject({
    type: 'urn:modreg:locked',
    detail: 'nothing was changed',
  });
  holder.close();
  registry.catalogue.close();
  // Not even the token can be read.
  expect((await registry.ask('DELETE', yank)).status).toBe(500);
  const refused = { kind: 'refused', reason: undefined, peer: undefined };
  const locked = { kind: 'failed', error: expect.objectContaining({ kind: 'locked' }) as unknown };
  expect(registry.events.slice(1)).toEqual([
    { ...refused, method: 'POST', path: RELEASES, status: 503, tokenId: 't1' },
    locked,
    { ...refused, method: 'PUT', path: yank, status: 503, tokenId: 't1' },
    locked,
    { ...refused, method: 'DELETE', path: yank, status: 500, tokenId: undefined },
    { kind: 'failed', error: expect.anything() as unknown },
  ]);
});

it('[T103] says that a release is published even if its list cannot be read afterwards', async () => {
  const registry = testRegistry();
  registry.catalogue.watchers.add(() => {
    const database = new DatabaseSync(registry.path);
    database.exec('ALTER TABLE releases RENAME TO lost');
    database.close();
  });
  const { status, json } = await registry.ask('POST', RELEASES, { body: { version: '1.0.0' } });
  expect([status, json]).toEqual([
    201,
    { module_id: 'acme:lidar', version: '1.0.0', result: 'published' },
  ]);
  expect(registry.events).toMatchObject([{ kind: 'published', version: '1.0.0' }]);
  expect((await registry.ask('GET', '/v1/modules/acme/lidar')).status).toBe(500);
});
