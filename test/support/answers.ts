import { http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** One answer of a registry. */
export type Answer = (request: Request) => Response | Promise<Response>;

/** What was asked, and what is answered next. */
export interface Answers {
  /** The requests so far: the path, and what was said besides. */
  readonly requests: string[];
  /** The answers to the next requests; the last is given again and again. */
  next(...answers: readonly [Answer, ...Answer[]]): void;
}

export const HOST = 'https://registry.example';

/** Answers every request of the tests in a file. */
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

/** JSON with the headers that are given. */
export function json(body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return () => Response.json(body, { headers });
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return () => new Response(null, { status: code, headers });
}

export function text(body: string, type: string): Answer {
  return () => new Response(body, { headers: { 'content-type': type } });
}

/** A module document of our own format, with an entity tag of its generation. */
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
