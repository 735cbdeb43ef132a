import { existsSync, renameSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { launch } from '../../../src/agent/process/launch.ts';
import { readinessProbe, type ReadinessProbe } from '../../../src/agent/process/readiness.ts';
import type { Readiness } from '../../../src/core/machine/readiness.ts';
import { systemClock } from '../../../src/registries/index.ts';
import { fakeStart } from '../support/fake-start.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { plainServer } from '../../../mocks/plain-server.ts';

function probeOf(readiness: Readiness, staysUpMs = 10_000): ReadinessProbe {
  return readinessProbe(readiness, {
    clock: systemClock,
    home: temporaryFolder(),
    runAs: undefined,
    staysUpMs,
  });
}

async function listening(
  at: { readonly path: string } | { readonly port: number },
): Promise<Server> {
  const server = createServer((socket) => socket.end());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => {
    server.listen({ host: '127.0.0.1', ...at }, resolve);
  });
  return server;
}

async function freePort(): Promise<number> {
  const server = await listening({ port: 0 });
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const NO_SOCKET = 'it did not open its socket (PLATFORM_MODULE_SOCKET)';

const ignore = (): void => undefined;

describe('ready: http', () => {
  it.each([
    [200, undefined],
    [204, undefined],
    [301, 'answered 301, expected 200 to 299'],
    [404, 'answered 404, expected 200 to 299'],
    [503, 'answered 503, expected 200 to 299'],
  ])('an answer with %i: %s', async (status, expected) => {
    const { address } = await plainServer((response) => {
      response.writeHead(status, { location: '/other' }).end();
    });
    const url = `${address}/health`;
    const what = await probeOf({ kind: 'http', url }).failure?.();
    expect(what).toBe(expected && `${url} ${expected}`);
  });

  it('no answer, within two seconds', async () => {
    const { address } = await plainServer(() => undefined);
    expect(await probeOf({ kind: 'http', url: address }).failure?.()).toBe(
      `${address} gave no answer within 2 s`,
    );
  });

  it('[A13] a port of an IPv6 address that another process has', async (context) => {
    const server = createServer();
    onTestFinished(() => void server.close());
    const isThere = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(0, '::1', () => resolve(true));
    });
    if (!isThere) context.skip('this machine has no IPv6');
    const { port } = server.address() as { readonly port: number };
    const url = `http://[::1]:${port}/health`;
    expect(await probeOf({ kind: 'http', url }).obstacle()).toBe(
      `port ${port} of ::1 cannot be used (EADDRINUSE): another process has it`,
    );
  });

  it('a connection that is closed', async () => {
    const { address } = await plainServer((response) => void response.destroy());
    expect(await probeOf({ kind: 'http', url: address }).failure?.()).toBe(
      `the connection to ${address.slice('http://'.length)} failed (ECONNRESET)`,
    );
  });

  it('a module that becomes ready, and then unhealthy', async () => {
    const port = await freePort();
    const probe = probeOf({ kind: 'http', url: `http://127.0.0.1:${port}/` });
    expect(await probe.obstacle()).toBeUndefined();
    const failures = new Set<string>();
    const ready = probe.untilReady(new AbortController().signal, (what) => failures.add(what));
    const fake = fakeStart(['serves', `${port}`]);
    const launched = await launch(fake.start);
    await ready;
    expect([...failures]).toEqual([`nothing listens on 127.0.0.1:${port}`]);
    expect(await probe.failure?.()).toBeUndefined();
    expect(await probe.obstacle()).toBe(
      `port ${port} of 127.0.0.1 cannot be used (EADDRINUSE): another process has it`,
    );
    if (launched.ok) process.kill(launched.value.pid, 'SIGUSR2');
    const unhealthy = `http://127.0.0.1:${port}/ answered 503, expected 200 to 299`;
    await expect.poll(async () => await probe.failure?.()).toBe(unhealthy);
  });
});

describe('ready: tcp', () => {
  it('a port that accepts connections', async () => {
    const port = await freePort();
    const probe = probeOf({ kind: 'tcp', host: '127.0.0.1', port });
    expect(await probe.failure?.()).toBe(`nothing listens on 127.0.0.1:${port}`);
    await listening({ port });
    expect(await probe.failure?.()).toBeUndefined();
  });

  it('a signal ends the wait with its reason', async () => {
    const probe = probeOf({ kind: 'tcp', host: '127.0.0.1', port: await freePort() });
    const stopping = new AbortController();
    const ready = probe.untilReady(stopping.signal, ignore);
    stopping.abort(new Error('it ended'));
    await expect(ready).rejects.toThrow('it ended');
  });
});

describe('ready: socket', () => {
  it('a socket at a path of its own, which is removed', async () => {
    const probe = probeOf({ kind: 'socket' });
    const { PLATFORM_MODULE_SOCKET: path = '' } = probe.environment;
    expect(path.length).toBeLessThanOrEqual(107);
    expect(probeOf({ kind: 'socket' }).environment['PLATFORM_MODULE_SOCKET']).not.toBe(path);
    expect([await probe.failure?.(), await probe.obstacle()]).toEqual([NO_SOCKET, undefined]);
    const server = await listening({ path });
    expect(await probe.failure?.()).toBeUndefined();
    // A program that is killed leaves its socket behind.
    renameSync(path, `${path}.kept`);
    await new Promise((resolve) => server.close(resolve));
    renameSync(`${path}.kept`, path);
    expect(await probe.failure?.()).toBe('nothing listens on its socket');
    probe.close();
    expect([await probe.failure?.(), existsSync(dirname(path))]).toEqual([NO_SOCKET, false]);
  });
});

it('ready: none is ready once it has stayed up', async () => {
  const probe = probeOf({ kind: 'none' }, 1);
  await probe.untilReady(new AbortController().signal, ignore);
  expect([await probe.failure?.(), await probe.obstacle()]).toEqual([undefined, undefined]);
});
