/*
 * A registry that answers what its test says, whatever its protocol: captive portals, overloaded servers, documents that no registry
 * would send.
 */
import { afterEach, beforeEach } from 'vitest';
import { listOf } from './module-document.ts';
import { network, type Answer, type Network } from './network.ts';

/** The requests of a test, and the responses to them. */
interface Answers extends Pick<Network, 'letThrough'> {
  /** The requests so far: the path, then the ETag and the authorization if given. */
  readonly requests: string[];
  /** Sets the responses to the next requests. The last one is repeated. */
  next(...answers: readonly [Answer, ...Answer[]]): void;
}

export const HOST = 'https://registry.example';

/** Intercepts every request to `HOST` in a test file. */
export function answers(): Answers {
  const net = network();
  const requests: string[] = [];
  let queue: Answer[] = [];
  const answer: Answer = async (request) => {
    const next = queue.length > 1 ? queue.shift() : queue[0];
    return next ? await next(request) : new Response('', { status: 500 });
  };
  beforeEach(() => void net.at(HOST, answer, requests));
  afterEach(() => {
    requests.length = 0;
    queue = [];
  });
  return {
    letThrough: net.letThrough,
    requests,
    next: (...list) => {
      queue = [...list];
    },
  };
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

/** A module document with its generation as ETag. */
export function document(
  versions: readonly (string | object)[],
  fields: Readonly<Record<string, unknown>> = {},
): Answer {
  const body = { generation: 57, ...listOf(versions, 57), ...fields };
  return json(body, { etag: `"${body.generation}"` });
}
