import { http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** One response of a registry. */
export type Answer = (request: Request) => Response | Promise<Response>;

/** The requests of a test, and the responses to them. */
export interface Answers {
  /** The requests so far: the path, then the ETag and the authorization if given. */
  readonly requests: string[];
  /** Sets the responses to the next requests. The last one is repeated. */
  next(...answers: readonly [Answer, ...Answer[]]): void;
}

export const HOST = 'https://registry.example';

/** Intercepts every request to `HOST` in a test file. */
export function answers(): Answers {
  const requests: string[] = [];
  let queue: Answer[] = [];
  const handler = http.all(`${HOST}/*`, async ({ request }) => {
    requests.push(describe(request));
    const answer = queue.length > 1 ? queue.shift() : queue[0];
    return answer ? await answer(request) : new Response('', { status: 500 });
  });
  const server = setupServer(handler);
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
  afterEach(() => {
    requests.length = 0;
    queue = [];
  });
  afterAll(() => server.close());
  return {
    requests,
    next: (...list) => {
      queue = [...list];
    },
  };
}

function describe(request: Request): string {
  const { pathname, search } = new URL(request.url);
  const etag = request.headers.get('if-none-match');
  const authorization = request.headers.get('authorization');
  return [
    `${pathname}${search}`,
    ...(etag === null ? [] : [`known ${etag}`]),
    ...(authorization === null ? [] : [authorization]),
  ].join(' ');
}

/** A JSON response. */
export function json(body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return () => Response.json(body, { headers });
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return () => new Response(null, { status: code, headers });
}

export function text(body: string, type: string): Answer {
  return () => new Response(body, { headers: { 'content-type': type } });
}

/** A module document in the native format, with its generation as ETag. */
export function document(
  versions: readonly (string | object)[],
  fields: Readonly<Record<string, unknown>> = {},
): Answer {
  const releases = versions.map((one) => (typeof one === 'string' ? { version: one } : one));
  const generation = 57;
  const counted = { module_id: 'acme:lidar', generation, count: releases.length, releases };
  const body = { ...counted, ...fields };
  return json(body, { etag: `"${body.generation}"` });
}
