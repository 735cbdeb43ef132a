import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RegistryEvent, ServeOptions } from '../../src/server/registry-options.ts';
import type { RequestObserver } from '../../src/server/request-observer.ts';
import { Catalogue, serveRegistry, type RunningRegistry } from '../../src/server/index.ts';
import { tokenFor } from '../support/token.ts';
import { temporaryFolder } from '../support/folder.ts';

type EndedRequest = Parameters<ReturnType<RequestObserver>>[0];

interface Served extends RunningRegistry {
  readonly path: string;
  readonly catalogue: Catalogue;
  readonly token: string;
  readonly events: readonly RegistryEvent[];
}

async function served(log: (event: RegistryEvent) => void = () => undefined): Promise<Served> {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create', busyTimeoutMs: 50 });
  const token = tokenFor(catalogue);
  const events: RegistryEvent[] = [];
  const running = await serveRegistry(
    catalogue,
    { host: '127.0.0.1', port: 0 },
    { spreadMs: 0, log: (event) => (events.push(event), log(event)) },
  );
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  return { ...running, path, catalogue, token, events };
}

async function send(
  { address, token }: Served,
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream,
): Promise<[number, unknown]> {
  const response = await fetch(`${address}/v1/modules/acme/lidar/releases${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body, duplex: 'half' }),
  });
  const { detail, result, yanked } = Object(await response.json());
  return [response.status, detail ?? result ?? yanked];
}

/** A body sent in chunks, without a content-length. */
function chunked(...parts: readonly string[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
}

describe('a log that fails', () => {
  // An unhandled rejection would fail the run.
  it.each<[string, () => void]>([
    [
      'at once',
      () => {
        throw new Error('no log');
      },
    ],
    ['later', async () => await Promise.reject(new Error('no log'))],
  ])('%s changes no answer', async (_, log) => {
    const registry = await served(log);
    expect(await send(registry, 'POST', '', '{"version":"1.0.0"}')).toEqual([201, 'published']);
    const stranger = { ...registry, token: 'x' };
    expect((await send(stranger, 'POST', '', '{"version":"1.0.1"}'))[0]).toBe(401);
    expect(registry.events.map(({ kind }) => kind)).toEqual(['published', 'refused']);
  });
});

describe('a served registry', () => {
  it('has an address with brackets for IPv6, and the default spread', async () => {
    const catalogue = new Catalogue(':memory:');
    const running = await serveRegistry(catalogue, { host: '::1', port: 0 });
    expect(running.address).toMatch(/^http:\/\/\[::1\]:\d+$/);
    const changes = await fetch(`${running.address}/v1/changes`);
    expect(await changes.json()).toMatchObject({ sequence: 0, spread_ms: 1000 });
    await running.close();
  });

  it('leaves the catalogue as it was if the address is in use', async () => {
    const { address } = await served();
    const catalogue = new Catalogue(':memory:');
    const place = { host: '127.0.0.1', port: Number(new URL(address).port) };
    await expect(serveRegistry(catalogue, place)).rejects.toThrow('EADDRINUSE');
    expect(catalogue.watchers.size).toBe(0);
  });

  it('refuses options that no compiler checked', async () => {
    const options = { tls: { certificate: 'cert.pem', key: 7 } } as unknown as ServeOptions;
    const place = { host: '127.0.0.1', port: 0 };
    await expect(serveRegistry(new Catalogue(':memory:'), place, options)).rejects.toThrow(
      new TypeError('serveRegistry(): found the number 7 as options.tls.key, expected text'),
    );
  });

  it('says what it has to do', async () => {
    const registry = await served();
    const load = { connections: 0, unsentBytes: 0, healthy: 1, certificateExpiry: undefined };
    expect(registry.load()).toEqual(load);
    const socket = connect(Number(new URL(registry.address).port), '127.0.0.1');
    await once(socket, 'connect');
    await expect.poll(() => registry.load()).toEqual({ ...load, connections: 1 });
    socket.destroy();
    await expect.poll(() => registry.load()).toEqual(load);
    registry.catalogue.close();
    await expect.poll(() => registry.load()).toEqual({ ...load, healthy: 0 });
  });

  it('serves metrics if it has any', async () => {
    const type = 'text/plain; version=0.0.4';
    const metrics = async () => await Promise.resolve({ text: 'up 1\n', type });
    const place = { host: '127.0.0.1', port: 0 };
    const running = await serveRegistry(new Catalogue(':memory:'), place, { metrics });
    const scraped = await fetch(`${running.address}/metrics`);
    const { status, headers } = scraped;
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      type,
      'no-store',
    ]);
    expect(await scraped.text()).toBe('up 1\n');
    const posted = await fetch(`${running.address}/metrics`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
    await running.close();
  });

  it('tells an observer of each request, in words from a fixed set', async () => {
    const seen: [string, EndedRequest][] = [];
    const arrived: string[] = [];
    const observe: RequestObserver = (route) => {
      arrived.push(route);
      return (ended) => void seen.push([route, ended]);
    };
    const place = { host: '127.0.0.1', port: 0 };
    const running = await serveRegistry(new Catalogue(':memory:'), place, { observe });
    const port = Number(new URL(running.address).port);
    const asked = (head: string): Socket => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`${head} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      return socket.resume();
    };
    const poll = asked('GET /v1/changes?wait=60');
    await expect.poll(() => arrived).toEqual(['/v1/changes']);
    poll.destroy();
    await expect.poll(() => seen).toHaveLength(1);
    for (const head of [
      'GET /v1/modules/acme/lidar?x=/v1/modules',
      'PUT /v1/modules/a/b/releases/1.0.0+b/yank',
      `HEAD /v1/artifacts/sha256/${'ab'.repeat(32)}`,
      'PROPFIND /nothing/here',
      ...['POST', 'PATCH', 'DELETE'].map((method) => `${method} /v1/changes`),
      'GET /v1/changes?wait=0.3',
    ]) {
      await once(asked(head), 'close');
    }
    await expect.poll(() => seen).toHaveLength(9);
    expect(seen.map(([route, { method, status }]) => [route, method, status])).toEqual([
      ['/v1/changes', 'GET', 'none'],
      ['/v1/modules/{namespace}/{name}', 'GET', '404'],
      ['/v1/modules/{namespace}/{name}/releases/{version}/yank', 'PUT', '401'],
      ['/v1/artifacts/sha256/{sha256}', 'HEAD', '404'],
      ['other', 'other', '404'],
      ['/v1/changes', 'POST', '405'],
      ['/v1/changes', 'PATCH', '405'],
      ['/v1/changes', 'DELETE', '405'],
      ['/v1/changes', 'GET', '200'],
    ]);
    // Not in milliseconds.
    expect(Math.round(Number(seen.at(-1)?.[1].seconds) / 60)).toBe(0);
    await running.close();
  });

  it('reads bodies with a length, in chunks, and empty ones', async () => {
    const registry = await served();
    expect(await send(registry, 'POST', '', '{"version":"1.0.0"}')).toEqual([201, 'published']);
    expect(await send(registry, 'POST', '', chunked('{"version":', '"1.0.1"}'))).toEqual([
      201,
      'published',
    ]);
    expect(await send(registry, 'PUT', '/1.0.0/yank', '{"reason":"stops"}')).toEqual([
      200,
      'stops',
    ]);
    expect(await send(registry, 'PUT', '/1.0.1/yank')).toEqual([200, '']);
    expect(await send(registry, 'DELETE', '/1.0.1/yank')).toEqual([200, null]);
    expect(await send(registry, 'POST', '')).toEqual([400, 'the body is not JSON']);
  });

  it('refuses a body that is too large or is not UTF-8', async () => {
    const registry = await served();
    const tooLarge = [413, 'the body may have at most 1048576 bytes'];
    const most = '{"version":"1.0.0"}'.padEnd(1_048_576);
    expect(await send(registry, 'POST', '', most)).toEqual([201, 'published']);
    expect(await send(registry, 'POST', '', chunked(most))).toEqual([200, 'unchanged']);
    expect(await send(registry, 'POST', '', ' '.repeat(1_048_577))).toEqual(tooLarge);
    const parts = Array.from({ length: 20 }, () => ' '.repeat(65_536));
    expect(await send(registry, 'POST', '', chunked(...parts))).toEqual(tooLarge);
    const latin = Buffer.from('{"version":"1.0.0-\u00e9"}', 'latin1');
    expect(await send(registry, 'POST', '', new Uint8Array(latin))).toEqual([
      400,
      'the body is not UTF-8',
    ]);
    const request = { method: 'POST', path: '/v1/modules/acme/lidar/releases' };
    const refused = { kind: 'refused', ...request, tokenId: 't1', peer: '127.0.0.1' };
    expect(registry.events.slice(1)).toEqual([
      { ...refused, status: 413 },
      { ...refused, status: 413 },
      { ...refused, status: 400 },
    ]);
  });

  it('continues to read while another process locks the file', async () => {
    const registry = await served();
    await send(registry, 'POST', '', '{"version":"1.0.0"}');
    const holder = new DatabaseSync(registry.path);
    holder.exec('BEGIN IMMEDIATE');
    const writing = send(registry, 'POST', '', '{"version":"1.0.1"}');
    const reading = await fetch(`${registry.address}/v1/modules/acme/lidar`);
    expect(await reading.json()).toMatchObject({ count: 1 });
    expect(await writing).toEqual([503, 'nothing was changed']);
    holder.exec('ROLLBACK');
    holder.close();
    expect(await send(registry, 'POST', '', '{"version":"1.0.1"}')).toEqual([201, 'published']);
    expect(registry.events).toMatchObject([
      { kind: 'published', tokenId: 't1', peer: '127.0.0.1' },
      { kind: 'refused', status: 503, tokenId: 't1', peer: '127.0.0.1' },
      { kind: 'failed' },
      { kind: 'published', tokenId: 't1', peer: '127.0.0.1' },
    ]);
  });
});
