import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { testRegistry } from './support/registry.ts';
import { tokenFor } from '../support/token.ts';

const RELEASES = '/v1/modules/acme/lidar/releases';
const MINUTE = 60_000;

describe('the time of the last use', () => {
  it('is recorded at most once a minute, also by a request that lacks a scope', async () => {
    const registry = testRegistry();
    const token = tokenFor(registry.catalogue, ['yank'], 'bot');
    const start = registry.now;
    const seen: (number | undefined)[] = [];
    // The last one is of a clock that was set back.
    for (const ms of [0, MINUTE - 1, MINUTE, MINUTE + 1, 1, 0]) {
      registry.now = start + ms;
      await registry.ask('POST', RELEASES, { headers: { authorization: `Bearer ${token}` } });
      const { lastUsedAt } = registry.catalogue.tokens().find(({ name }) => name === 'bot') ?? {};
      seen.push(lastUsedAt === undefined ? undefined : lastUsedAt - start);
    }
    expect(seen).toEqual([0, 0, MINUTE, MINUTE, MINUTE, 0]);
  });

  it.each([
    [['fleet:read'], true],
    [['machine:rover-1'], false],
  ])('of a token with %j that reads a fleet: %s', async (scopes, isRecorded) => {
    const registry = testRegistry();
    const token = tokenFor(registry.catalogue, scopes, 'reader');
    await registry.ask('GET', '/v1/fleet', { headers: { authorization: `Bearer ${token}` } });
    const { lastUsedAt } = registry.catalogue.tokens().find(({ name }) => name === 'reader') ?? {};
    expect(lastUsedAt !== undefined).toBe(isRecorded);
  });

  it('is recorded by each server at most once a minute, also while the file cannot be written', () => {
    const { catalogue, path } = testRegistry({ busyTimeoutMs: 0 });
    const other = new Catalogue(path, { busyTimeoutMs: 0 });
    const lastUse = (): number | undefined => catalogue.tokens()[0]?.lastUsedAt;
    const use = (server: Catalogue, now: number): number | undefined => {
      const [token] = server.tokens();
      if (token) server.recordUse({ ...token, scopes: [] }, now);
      return lastUse();
    };
    expect([use(catalogue, 1000), use(other, MINUTE), use(other, MINUTE + 1000)]).toEqual([
      1000,
      1000,
      MINUTE + 1000,
    ]);
    const holder = new DatabaseSync(path);
    holder.exec('BEGIN IMMEDIATE');
    expect(use(other, 3 * MINUTE)).toBe(MINUTE + 1000);
    holder.exec('ROLLBACK');
    holder.close();
    // It waited for the lock once, and does so again after a minute.
    expect([use(other, 4 * MINUTE - 1), use(other, 4 * MINUTE)]).toEqual([
      MINUTE + 1000,
      4 * MINUTE,
    ]);
    other.close();
  });

  it('does not make a request fail if the file is locked', async () => {
    const registry = testRegistry();
    await registry.ask('POST', RELEASES, { body: { version: '1.0.0' } });
    registry.catalogue.close();
    const busy = new Catalogue(registry.path, { busyTimeoutMs: 0 });
    const holder = new DatabaseSync(registry.path);
    holder.exec('BEGIN IMMEDIATE');
    const [token] = busy.tokens();
    if (!token) throw new Error('no token');
    busy.recordUse({ ...token, scopes: [] }, registry.now + 2 * MINUTE);
    holder.exec('ROLLBACK');
    holder.close();
    expect(busy.tokens()[0]?.lastUsedAt).toBe(registry.now);
    busy.close();
  });
});
