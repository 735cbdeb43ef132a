/*
 * The network of a test file: the servers that stand in for others, and nothing else. msw intercepts the requests of this process,
 * so there are no sockets, and addresses are those of the real world.
 */
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { http, passthrough } from 'msw';
import { setupServer } from 'msw/node';
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';
import { onLoopback } from './loopback-port.ts';

/** A server that stands in for another one. `Response.error()` breaks the connection before it answers. */
export type Answer = (request: Request) => Response | Promise<Response>;

export interface Network {
  /** Answers requests below `address` until the end of the test, and adds them to `requests`, which it returns. */
  at(address: string, answer: Answer, requests?: string[]): string[];
  /** Lets requests below `address` reach a real socket until the end of the test. */
  readonly letThrough: (address: string) => void;
}

/** Intercepts every request in a test file. One to an address where nothing answers is an error. */
export function network(): Network {
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
  afterEach(() => server.resetHandlers());
  afterAll(() => server.close());
  return {
    at: (address, answer, requests = []) => {
      const handler = http.all(`${address}/*`, async ({ request }) => {
        requests.push(described(request));
        return await answer(request);
      });
      server.use(handler);
      return requests;
    },
    letThrough: (address) => server.use(http.all(`${address}*`, () => passthrough())),
  };
}

/** Never answers. */
export const silence = async (): Promise<Response> => await new Promise<never>(() => undefined);

/** The path, then the ETag and the authorization if given. */
function described({ url, headers }: Request): string {
  const { pathname, search } = new URL(url);
  const etag = headers.get('if-none-match');
  const parts = [`${pathname}${search}`, etag && `known ${etag}`, headers.get('authorization')];
  return parts.filter((part) => part !== null).join(' ');
}

/** Answers on a real socket until the end of the test: for clients in other processes. Returns the address. */
export async function served(answer: Answer): Promise<string> {
  const listener = getRequestListener(
    async (request, { outgoing }) => {
      const response = await answer(request);
      if (response.type !== 'error') return response;
      outgoing.destroy();
      return RESPONSE_ALREADY_SENT;
    },
    { overrideGlobalObjects: false },
  );
  const { port, close } = await onLoopback(createServer((...io) => void listener(...io)));
  onTestFinished(close);
  return `http://127.0.0.1:${port}`;
}
