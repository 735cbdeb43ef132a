import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { expect, it, describe, onTestFinished, vi } from 'vitest';
import {
  Catalogue,
  readRelease,
  serveRegistry,
  type RunningRegistry,
  type ServeOptions,
} from '../../src/server/index.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import type { RegistryEvent } from '../../src/server/registry-options.ts';
import type { RequestObserver } from '../../src/server/request-observer.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tlsFiles } from '../support/tls.ts';

interface Served extends RunningRegistry {
  readonly catalogue: Catalogue;
  readonly events: readonly RegistryEvent[];
}

async function served(options: ServeOptions = {}): Promise<Served> {
  const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  const events: RegistryEvent[] = [];
  const place = { host: '127.0.0.1', port: 0 };
  const log: ServeOptions['log'] = (event) => events.push(event);
  const running = await serveRegistry(catalogue, place, { ...options, log });
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  return { ...running, catalogue, events };
}

/** Publishes a list that is longer than what the kernel buffers for a connection. */
function publishLongList({ catalogue }: Served): void {
  const lidar = moduleId('acme:lidar');
  const release = readRelease({ version: '1.0.0' });
  if (release.ok) catalogue.publish(lidar, release.value, 0);
  catalogue.yank(lidar, '1.0.0', 'x'.repeat(16_000_000));
}

describe('the connections of a served registry', () => {
  it('continues after a client that resets its connection before its first byte', async () => {
    const registry = await served();
    const socket = connect(Number(new URL(registry.address).port), '127.0.0.1');
    await expect.poll(() => registry.load().connections).toBe(1);
    // An error without a listener would end the process.
    socket.resetAndDestroy();
    await expect.poll(() => registry.load().connections).toBe(0);
    expect((await fetch(`${registry.address}/v1/modules`)).status).toBe(200);
    expect(registry.events).toEqual([]);
  });

  it('has the limits of Node that its own limits are enforced with', async () => {
    const registry = await served();
    const servers: Server[] = [];
    const onRequest = (message: unknown): void => void servers.push(Object(message).server);
    subscribe('http.server.request.start', onRequest);
    onTestFinished(() => void unsubscribe('http.server.request.start', onRequest));
    await fetch(`${registry.address}/v1/modules`);
    const [server] = servers;
    if (!server) throw new Error('no request');
    const { headersTimeout, requestTimeout, timeout, maxConnections } = server;
    expect({ headersTimeout, requestTimeout, timeout, maxConnections }).toEqual({
      headersTimeout: SERVER_LIMITS.headers,
      // The upload of a large file takes any time.
      requestTimeout: 0,
      timeout: SERVER_LIMITS.idle,
      maxConnections: SERVER_LIMITS.connections,
    });
  });
});

describe('an observed request', () => {
  it.each([
    ['in the middle of its response', '/v1/modules/acme/lidar', '200'],
    ['before its response', '/v1/changes?after=2&wait=60', 'none'],
  ])('whose client hangs up %s has the status that was sent', async (_, path, status) => {
    const seen: string[] = [];
    const observe: RequestObserver = (route) => {
      seen.push(route);
      return ({ method, status: sent }) => seen.push(`${method} ${sent}`);
    };
    const registry = await served({ observe });
    publishLongList(registry);
    const socket = connect(Number(new URL(registry.address).port), '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(() => seen).toHaveLength(1);
    if (status !== 'none') await once(socket, 'readable');
    socket.destroy();
    await expect.poll(() => seen.at(-1)).toBe(`GET ${status}`);
    expect(seen).toHaveLength(2);
  });
});

describe('closing a served registry', () => {
  it('ends, after five seconds, a response that its client does not read', async () => {
    const registry = await served();
    publishLongList(registry);
    const socket = connect(Number(new URL(registry.address).port), '127.0.0.1');
    socket
      .on('error', () => undefined)
      .write('GET /v1/modules/acme/lidar HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let isClosed = false;
    const closing = registry.close().then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(4999);
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([isClosed, registry.load().connections]).toEqual([false, 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await closing).toBe(true);
  });

  it.each([
    ['http', undefined],
    ['https', tlsFiles],
  ] as const)('leaves no timer when it is closed, over %s', async (_, files) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
    const place = { host: '127.0.0.1', port: 0 };
    const arrived: string[] = [];
    const observe: RequestObserver = (route) => {
      arrived.push(route);
      return () => undefined;
    };
    const running = await serveRegistry(catalogue, place, { tls: files?.(), observe });
    const port = Number(new URL(running.address).port);
    const socket = files
      ? connectSecurely({ host: '127.0.0.1', port, rejectUnauthorized: false })
      : connect(port, '127.0.0.1');
    socket.write('GET /v1/changes?wait=60 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    while (arrived.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await Promise.all([once(socket, 'close'), running.close()]);
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(vi.getTimerCount()).toBe(0);
    catalogue.close();
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
