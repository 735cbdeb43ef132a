import { type BigIntStats, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/registry/clock.ts';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import { healthOf } from '../../src/server/routes/health.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testRegistry } from './support/registry.ts';

interface Served {
  readonly path: string;
  /** The clock of the registry, in milliseconds. */
  monotonic: number;
  readonly errors: string[];
  readonly ask: () => Promise<[status: number, retryAfter: string | null, detail: unknown]>;
}

async function served(): Promise<Served> {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create', busyTimeoutMs: 20 });
  const clock = { ...systemClock, monotonic: () => registry.monotonic };
  const log = (event: object): void => void registry.errors.push(String(Object(event).error));
  const place = { host: '127.0.0.1', port: 0 };
  const running = await serveRegistry(catalogue, place, { clock, log });
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  const registry: Served = {
    path,
    monotonic: 0,
    errors: [],
    ask: async () => {
      const response = await fetch(`${running.address}/healthz`);
      const { detail, status } = Object(await response.json());
      const { status: code, headers } = response;
      expect(headers.get('cache-control')).toBe('no-store');
      return [code, headers.get('retry-after'), detail ?? status];
    },
  };
  return registry;
}

const OK = [200, null, 'ok'];

function written({ size, mtimeNs }: BigIntStats): readonly bigint[] {
  return [size, mtimeNs];
}

describe('GET /healthz', () => {
  it('[T81] is as OpenAPI describes it, and needs no token', async () => {
    const registry = testRegistry();
    const { status, json, headers } = await registry.ask('GET', '/healthz');
    expect([status, json, headers.get('cache-control')]).toEqual([
      200,
      { status: 'ok' },
      'no-store',
    ]);
    const posted = await registry.ask('POST', '/healthz');
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('[T81] writes nothing, and changes no sequence', async () => {
    const registry = await served();
    expect(await registry.ask()).toEqual(OK);
    const files = ['', '-wal'].map((suffix) => registry.path + suffix);
    const before = files.map((path) => statSync(path, { bigint: true }));
    for (registry.monotonic = 1000; registry.monotonic < 10_000; registry.monotonic += 1000) {
      expect(await registry.ask()).toEqual(OK);
    }
    const after = files.map((path) => statSync(path, { bigint: true }));
    expect(after.map(written)).toEqual(before.map(written));
  });

  it.each<[string, (path: string) => void, string]>([
    ['removed', (path) => rmSync(path), 'the registry file was replaced or removed'],
    [
      'replaced',
      (path) => renameSync(`${path}-wal`, path),
      'the registry file was replaced or removed',
    ],
    ['truncated', (path) => truncateSync(path), 'the registry file is damaged'],
  ])('[T81] is 503 once the file was %s, and logs it once', async (_, spoil, detail) => {
    const registry = await served();
    expect(await registry.ask()).toEqual(OK);
    spoil(registry.path);
    registry.monotonic = 999;
    expect(await registry.ask()).toEqual(OK);
    for (registry.monotonic = 1000; registry.monotonic < 4000; registry.monotonic += 1000) {
      expect(await registry.ask()).toEqual([503, '5', detail]);
    }
    expect(registry.errors).toHaveLength(1);
    expect(registry.errors[0]).toContain(registry.path);
  });

  it('[T81] looks again a second after the end of a look, which may have waited for a lock', () => {
    const path = `${temporaryFolder()}/registry.db`;
    const catalogue = new Catalogue(path, { mode: 'create' });
    const times = [0, 900, 1000, 1899, 1900, 1900];
    const clock = { ...systemClock, monotonic: () => times.shift() ?? 0 };
    const health = healthOf(catalogue, { clock, log: undefined });
    expect(health()).toBeUndefined();
    rmSync(path);
    expect([health(), health(), health()?.kind]).toEqual([undefined, undefined, 'missing']);
    catalogue.close();
  });

  it('[T81] is 503 while another process has locked the file', async () => {
    const registry = await served();
    const holder = new DatabaseSync(registry.path);
    holder.exec('BEGIN IMMEDIATE');
    expect(await registry.ask()).toEqual([
      503,
      '5',
      'another process has locked the registry file',
    ]);
    holder.exec('ROLLBACK');
    holder.close();
    registry.monotonic = 1000;
    expect(await registry.ask()).toEqual(OK);
  });

  it('[T81] logs a trouble that follows another one, and one that is back', async () => {
    const registry = await served();
    const holder = new DatabaseSync(registry.path);
    const [lock, remove] = [
      'another process has locked',
      'the registry file was replaced or removed',
    ];
    const steps: readonly (readonly [() => void, string])[] = [
      [() => holder.exec('BEGIN IMMEDIATE'), lock],
      [() => undefined, lock],
      [() => holder.exec('ROLLBACK'), 'ok'],
      [() => holder.exec('BEGIN IMMEDIATE'), lock],
      [() => rmSync(registry.path), remove],
      [() => undefined, remove],
    ];
    const logged: number[] = [];
    for (const [change, detail] of steps) {
      change();
      expect(String((await registry.ask())[2])).toContain(detail);
      logged.push(registry.errors.length);
      registry.monotonic += 1000;
    }
    holder.close();
    expect(logged).toEqual([1, 1, 1, 2, 3, 3]);
  });
});
