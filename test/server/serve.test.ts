import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Catalogue, serveRegistry, type RunningRegistry } from '../../src/server/index.ts';
import type { RegistryEvent } from '../../src/server/registry-options.ts';
import { tokenFor } from '../support/token.ts';
import { temporaryFolder } from '../support/folder.ts';

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
    expect(registry.events).toEqual([
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

  it('closes while idle and slow clients are connected', async () => {
    const registry = await served();
    const { port } = new URL(registry.address);
    const clients = ['', 'GET /v1/modules HTTP/1.1\r\nHost: x\r\n'].map((text) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(text);
      return socket;
    });
    const ends = clients.map(
      async (socket) => await new Promise((resolve) => socket.once('close', resolve)),
    );
    await fetch(`${registry.address}/v1/modules`);
    await registry.close();
    expect(await Promise.all(ends)).toHaveLength(2);
    // Closing again does nothing.
    await registry.close();
    // The test opened the catalogue, and may still use it.
    expect(registry.catalogue.modules()).toEqual([]);
  });
});
