import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A web server on a loopback port, with responses from the test. */
export interface PlainServer {
  readonly address: string;
  /** The path of each request, followed by its authorization header if present. */
  readonly requests: string[];
  /** Closes every connection and stops listening. */
  close(): void;
}

export async function plainServer(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<PlainServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    requests.push([request.url, ...(authorization === undefined ? [] : [authorization])].join(' '));
    answer(response, request);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, requests, close };
}

/** Sends `body` as JSON. */
export function send(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
}

/** A module document of `versions`. */
export function listOf(versions: readonly (string | object)[], generation: number): object {
  const releases = versions.map((one) => (typeof one === 'string' ? { version: one } : one));
  return { module_id: 'acme:lidar', generation, count: releases.length, releases };
}
