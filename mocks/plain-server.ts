/*
 * A web server on a real socket, whose test writes each response: for clients in other processes, for TLS, and for responses that
 * stall or break off. A test whose client is in its own process uses `network` instead.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { onTestFinished } from 'vitest';
import { onLoopback } from './loopback-port.ts';

/** A web server on a loopback port, with responses from the test. */
export interface PlainServer {
  readonly address: string;
  /** The path of each request, followed by its authorization header if present. */
  readonly requests: string[];
  /** Closes every connection and stops listening. */
  close(): void;
}

/** With `pem`, a certificate and its key, the server uses TLS. */
export async function plainServer(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
  { pem }: { readonly pem?: string } = {},
): Promise<PlainServer> {
  const requests: string[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const { authorization } = request.headers;
    requests.push([request.url, ...(authorization === undefined ? [] : [authorization])].join(' '));
    answer(response, request);
  };
  const isSecure = pem !== undefined;
  const { port, close } = await onLoopback(
    isSecure ? createSecureServer({ key: pem, cert: pem }, listener) : createServer(listener),
  );
  onTestFinished(close);
  return { address: `http${isSecure ? 's' : ''}://127.0.0.1:${port}`, requests, close };
}

/** Sends `body` as JSON. */
export function send(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}
