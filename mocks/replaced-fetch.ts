import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { addAbortSignal, PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Answer } from './network.ts';

/** Does `work` while `answer` is what requests of this process get, by the global `fetch` and by that of commands, which uses `http.request`: for
 * fuzzing, which makes more requests than msw can take, and for errors that msw cannot give. */
export async function answeredBy<T>(answer: Answer, work: () => Promise<T>): Promise<T> {
  const { fetch } = globalThis;
  const { request } = http;
  globalThis.fetch = async (input, init) => await answer(new Request(input, init));
  replaceRequest(answering(answer));
  try {
    return await work();
  } finally {
    globalThis.fetch = fetch;
    replaceRequest(request);
  }
}

function replaceRequest(request: typeof http.request): void {
  http.request = request;
  syncBuiltinESMExports();
}

function answering(answer: Answer): typeof http.request {
  const request = (options: RequestOptions): PassThrough => {
    const sent = new PassThrough();
    if (options.signal) addAbortSignal(options.signal, sent);
    buffer(sent)
      .then(async (body) => await answer(requestOf(options, body)))
      .then(
        (response) => sent.emit('response', messageOf(response)),
        // As `fetch` says it, the cause is what the connection said.
        (error: Error) => sent.emit('error', error.cause ?? error),
      );
    return sent;
  };
  // A cast: what is used of a request is a stream that tells its response.
  return request as unknown as typeof http.request;
}

function requestOf({ method, path, port, headers, signal }: RequestOptions, body: Buffer): Request {
  // A cast: the client gives an object with a text for each name.
  const sent = headers as Record<string, string>;
  const address = `http${port === '443' ? 's' : ''}://${sent['host']}${path}`;
  const init = { method: method ?? 'GET', headers: sent, ...(signal && { signal }) };
  return new Request(address, body.length === 0 ? init : { ...init, body: new Uint8Array(body) });
}

function messageOf({ status, headers, body }: Response): IncomingMessage {
  const headersDistinct = Object.fromEntries(Array.from(headers, ([name, one]) => [name, [one]]));
  const message = body ? Readable.fromWeb(body) : Readable.from([]);
  const facts = { statusCode: status, headersDistinct, complete: true };
  // A cast: what is used of a response is a stream with these members.
  return Object.assign(message, facts) as unknown as IncomingMessage;
}
