import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { launch } from '../../../src/agent/process/launch.ts';
import { readinessProbe, type ReadinessProbe } from '../../../src/agent/process/readiness.ts';
import type { Readiness } from '../../../src/core/machine/readiness.ts';
import { systemClock } from '../../../src/registry/index.ts';
import { fakeStart } from '../../support/fake-start.ts';
import { plainServer } from '../../support/plain-server.ts';

function probeOf(readiness: Readiness, staysUpMs = 10_000): ReadinessProbe {
  return readinessProbe(readiness, { clock: systemClock, runAs: undefined, staysUpMs });
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

describe('ready: http', () => {
  it.each([
    [200, true],
    [204, true],
    [301, false],
    [404, false],
    [503, false],
  ])('an answer with %i: healthy %s', async (status, expected) => {
    const { address } = await plainServer((response) => {
      response.writeHead(status, { location: '/other' }).end();
    });
    expect(await probeOf({ kind: 'http', url: `${address}/health` }).isHealthy()).toBe(expected);
  });

  it('no answer, within two seconds', async () => {
    const { address } = await plainServer(() => undefined);
    expect(await probeOf({ kind: 'http', url: address }).isHealthy()).toBe(false);
  });

  it('a module that becomes ready, and then unhealthy', async () => {
    const port = await freePort();
    const probe = probeOf({ kind: 'http', url: `http://127.0.0.1:${port}/` });
    expect(await probe.obstacle()).toBeUndefined();
    const ready = probe.untilReady(new AbortController().signal);
    const fake = fakeStart(['serves', `${port}`]);
    const launched = await launch(fake.start);
    await ready;
    expect(await probe.isHealthy()).toBe(true);
    expect(await probe.obstacle()).toBe(
      `port ${port} of 127.0.0.1 cannot be used (EADDRINUSE): another process has it`,
    );
    if (launched.ok) process.kill(launched.value.pid, 'SIGUSR2');
    await expect.poll(async () => await probe.isHealthy()).toBe(false);
  });
});

describe('ready: tcp', () => {
  it('a port that accepts connections', async () => {
    const port = await freePort();
    const probe = probeOf({ kind: 'tcp', host: '127.0.0.1', port });
    expect(await probe.isHealthy()).toBe(false);
    await listening({ port });
    expect(await probe.isHealthy()).toBe(true);
  });

  it('a signal ends the wait with its reason', async () => {
    const probe = probeOf({ kind: 'tcp', host: '127.0.0.1', port: await freePort() });
    const stopping = new AbortController();
    const ready = probe.untilReady(stopping.signal);
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
    expect([await probe.isHealthy(), await probe.obstacle()]).toEqual([false, undefined]);
    await listening({ path });
    expect(await probe.isHealthy()).toBe(true);
    probe.close();
    expect([await probe.isHealthy(), existsSync(dirname(path))]).toEqual([false, false]);
  });
});

it('ready: none is ready once it has stayed up', async () => {
  const probe = probeOf({ kind: 'none' }, 1);
  await probe.untilReady(new AbortController().signal);
  expect([await probe.isHealthy(), await probe.obstacle()]).toEqual([true, undefined]);
});
