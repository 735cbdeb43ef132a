import { getEventListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  openRegistries,
  RegistryError,
  type CachedRegistry,
  type Limits,
} from '../../src/registries/index.ts';
import { moduleId } from '../support/ask.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';

const LIDAR = moduleId('acme:lidar');
/** A list is requested again if it takes longer; a poll may take longer. */
const LIMITS = { answerMs: 400, totalMs: 800 };
const HOUR = 3_600_000;

/** Answers a request that the registry has held. */
type Poll = (response: ServerResponse, request: IncomingMessage) => void;

interface Held {
  readonly registry: CachedRegistry;
  /** The path of each request since the lists were read. */
  readonly requests: string[];
  readonly retries: string[];
}

/** A registry on a real socket, which can stall and break, at number 7 of its feed, that answers polls with `poll`. Its lists were read once. */
async function held(poll: Poll, limits: Partial<Limits> = {}): Promise<Held> {
  const retries: string[] = [];
  const { address, requests } = await plainServer((response, request) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://h');
    if (pathname !== '/v1/changes') return send(response, listOf(['1.0.0'], 1));
    if (searchParams.has('wait')) return poll(response, request);
    const modules = searchParams.get('after') === '0' ? [LIDAR] : [];
    send(response, { history: 'h', sequence: 7, modules });
  });
  const opened = openRegistries({
    limits: { ...LIMITS, ...limits },
    onRetry: ({ kind }) => retries.push(kind),
  });
  const registry = opened.registryFor({ registry: address });
  await registry.readAll([LIDAR]);
  requests.length = 0;
  retries.length = 0;
  return { registry, requests, retries };
}

/** Answers with `body` after `ms` milliseconds. */
function after(ms: number, body: object): Poll {
  return (response) => void setTimeout(() => send(response, body), ms);
}

const CHANGED = { history: 'h', sequence: 8, modules: [LIDAR], spread_ms: 900 };
const START = { 'content-type': 'application/json' };

/** The result of waiting for at most `waitMs`; `kind: message` of a RegistryError. */
async function waited({ registry }: Held, waitMs: number): Promise<unknown> {
  try {
    return await registry.awaitChange([LIDAR], waitMs);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return `${error.kind}: ${error.message.replace(/http:\S+/, '@')}`;
  }
}

describe('[T117] a long poll that a registry holds', () => {
  it.each<[string, Poll, Partial<Limits> & { readonly waitMs?: number }, unknown]>([
    [
      'ends with the answer of the registry, later than other answers may begin',
      after(500, CHANGED),
      {},
      { hasChanged: true, spreadMs: 900 },
    ],
    [
      'ends with an answer that takes longer than other answers may take',
      (response) => {
        setTimeout(() => response.writeHead(200, START).write('{"history":"h",'), 650);
        setTimeout(() => response.end('"sequence":8,"modules":["acme:lidar"]}'), 900);
      },
      {},
      { hasChanged: true, spreadMs: 0 },
    ],
    [
      'ends because the registry dies',
      (response) => setTimeout(() => response.destroy(), 20),
      {},
      'registry-unreachable: the registry @ cannot be reached (UND_ERR_SOCKET)',
    ],
    [
      'ends because the registry dies in the middle of its answer',
      (response) => {
        response.writeHead(200, START).write('{"history":"h",');
        setTimeout(() => response.destroy(), 20);
      },
      {},
      'registry-unreachable: the registry @ closed the connection before the end of its response',
    ],
    [
      'ends because the registry stalls in the middle of its answer',
      (response) => void response.writeHead(200, START).write('{"history":"h",'),
      { idleMs: 300 },
      'registry-timeout: the registry @ stalled: it sent nothing more for 0.3 s',
    ],
    [
      'ends because the registry answers too slowly',
      (response) => {
        response.writeHead(200, START);
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
      { slowAfterMs: 300 },
      'registry-timeout: the registry @ is too slow',
    ],
    [
      'ends because the registry holds it for longer than was asked',
      () => undefined,
      { waitMs: 100 },
      'registry-timeout: the registry @ did not begin its response within 0.5 s',
    ],
    [
      'ends because the registry asks to retry later',
      (response) => response.writeHead(503, { 'retry-after': '7' }).end(),
      {},
      'registry-busy: the registry @ is busy or failing (503), and asks to retry after 7 s',
    ],
    [
      'ends because the registry answers with half of a document',
      (response) => response.writeHead(200, START).end('{"history":"h",'),
      {},
      'not-a-registry: the registry @ does not respond like a registry: it is not JSON at line 1 column 16',
    ],
    [
      'ends without a result if the feed is gone',
      (response) => response.writeHead(404).end(),
      {},
      undefined,
    ],
    [
      'ends without a result if the registry does not hold it',
      after(0, { history: 'h', sequence: 7, modules: [] }),
      {},
      undefined,
    ],
    [
      'ends without a change if only other modules change',
      after(40, { history: 'h', sequence: 8, modules: ['acme:arm'] }),
      { waitMs: 30 },
      { hasChanged: false, spreadMs: 0 },
    ],
    [
      'ends with the catalogue of another history',
      after(0, { history: 'other', sequence: 900, modules: [], spread_ms: 9 }),
      {},
      { hasChanged: true, spreadMs: 9 },
    ],
  ])('%s', async (_, poll, { waitMs = HOUR, ...limits }, expected) => {
    const machine = await held(poll, limits);
    const found = await waited(machine, waitMs);
    // The measured rate differs from run to run.
    expect(typeof found === 'string' ? found.replace(/: \d+ bytes in .*/, '') : found).toEqual(
      expected,
    );
    expect([machine.requests, machine.retries]).toEqual([
      [`/v1/changes?after=7&wait=${Math.min(waitMs / 1000, 25)}&modules=acme:lidar`],
      [],
    ]);
  });

  it('is requested once more if it ends with 304, which nothing asked for', async () => {
    const machine = await held((response) => response.writeHead(304).end());
    expect(await waited(machine, HOUR)).toBe(
      'not-a-registry: the registry @ does not respond like a registry: got 304 to a request without an entity tag',
    );
    expect(machine.requests).toHaveLength(2);
  });

  it('is closed when the caller aborts, and leaves nothing behind', async () => {
    const controller = new AbortController();
    const { promise: closed, resolve: close } = Promise.withResolvers<undefined>();
    const { registry, requests } = await held((_, request) => {
      request.socket.on('close', () => close(undefined));
      controller.abort(new Error('stopped'));
    });
    const wait = registry.awaitChange([LIDAR], HOUR, controller.signal);
    await expect(wait).rejects.toThrow('stopped');
    expect(await closed).toBeUndefined();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    // The same connection pool then reads the lists.
    expect((await registry.readAll([LIDAR])).get(LIDAR)?.ok).toBe(true);
    expect(requests).toEqual([
      '/v1/changes?after=7&wait=25&modules=acme:lidar',
      '/v1/changes?after=7',
    ]);
  });

  it('does not delay a round that begins meanwhile', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<ServerResponse>();
    const { registry } = await held(resolve);
    const wait = registry.awaitChange([LIDAR], HOUR);
    const response = await arrived;
    expect((await registry.readAll([LIDAR])).get(LIDAR)?.ok).toBe(true);
    send(response, CHANGED);
    expect(await wait).toEqual({ hasChanged: true, spreadMs: 900 });
  });
});
