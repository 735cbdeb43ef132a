import { connect } from 'node:net';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenForPage } from '../../src/page/listen/page-server.ts';
import { hosting } from './support/hosting.ts';

const PLACE = { host: '127.0.0.1', port: 0 };

async function registryPort(): Promise<number> {
  const { address } = await hosting();
  return Number(new URL(address).port);
}

/** The port of a page: that of a machine and that of a site listen in the same way. */
async function pagePort(): Promise<number> {
  const app = new Hono().get('/healthz', (c) => c.text('ok'));
  const page = await listenForPage(app, PLACE, { tls: undefined, idleMs: undefined });
  onTestFinished(() => page.close());
  return page.port;
}

/** The statuses of the answers to what is sent, until the server closes the connection. */
async function statuses(port: number, text: string): Promise<string[]> {
  const socket = connect(port, PLACE.host);
  onTestFinished(() => void socket.destroy());
  socket.write(text);
  let answer = '';
  for await (const part of socket) answer += String(part);
  return [...answer.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status = '']) => status);
}

const HOST = 'Host: a\r\n';
const END = 'Connection: close\r\n';

describe.each([
  ['a registry', registryPort],
  ['a page', pagePort],
])('[T290] %s', (_, portOf) => {
  it.each([
    ['one host', HOST, '200'],
    ['two hosts', `${HOST}Host: b\r\n`, '400'],
    ['the same host twice, in other case', `${HOST}hOST: a\r\n`, '400'],
    ['no host', '', '400'],
    ['two tokens', `${HOST}Authorization: Bearer a\r\nauthorization: Bearer b\r\n`, '400'],
    ['two lengths', `${HOST}Content-Length: 0\r\nContent-Length: 1\r\n`, '400'],
    ['a length and chunks', `${HOST}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n`, '400'],
    ['two other headers', `${HOST}X-Seen: a\r\nX-Seen: b\r\n`, '200'],
  ])('with %s: a request is answered as it must be', async (_title, headers, status) => {
    const text = `GET /healthz HTTP/1.1\r\n${headers}${END}\r\n`;
    expect(await statuses(await portOf(), text)).toEqual([status]);
  });

  it('answers the requests before one with two hosts, and none after it', async () => {
    const head = 'GET /healthz HTTP/1.1\r\n';
    const text = `${head}${HOST}\r\n${head}${HOST}${HOST}\r\n${head}${HOST}\r\n`;
    expect(await statuses(await portOf(), text)).toEqual(['200', '400']);
  });
});
