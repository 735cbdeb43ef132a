/* A forward proxy (RFC 9110, 9.3.6; RFC 9112, 3.2.2), to whose names only it knows the way. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { onLoopback } from './loopback-port.ts';

export interface ForwardProxy {
  /** With its user and password, if it has any. */
  readonly address: string;
  /** The method and the target of each request: an address, or the place of a tunnel. */
  readonly requests: string[];
}

/** A proxy that passes everything on to the servers of `hosts`, by host and port. With a `user` (`name:password`), it answers 407 to others. */
export async function forwardProxy(
  hosts: Readonly<Record<string, string>>,
  user?: string,
): Promise<ForwardProxy> {
  const requests: string[] = [];
  const wanted = user && `Basic ${Buffer.from(decodeURIComponent(user)).toString('base64')}`;
  const isDenied = (asked: IncomingMessage): boolean => {
    requests.push(`${asked.method} ${asked.url}`);
    return wanted !== undefined && asked.headers['proxy-authorization'] !== wanted;
  };
  const portOf = (place: string): number => Number(new URL(hosts[place] ?? 'http://x:1').port);
  const server = createServer((asked, response) => {
    if (isDenied(asked)) response.writeHead(407).end();
    else passOn(asked, response, portOf(new URL(asked.url ?? '').host));
  });
  server.on('connect', (asked: IncomingMessage, client: Socket) => {
    client.on('error', () => undefined);
    const port = portOf(asked.url ?? '');
    if (isDenied(asked)) return void client.end('HTTP/1.1 407 denied\r\n\r\n');
    if (port === 1) return void client.end('HTTP/1.1 403 denied\r\n\r\n');
    const onward = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    onward.on('error', () => client.destroy());
    onward.pipe(client).pipe(onward);
  });
  const { port, close } = await onLoopback(server);
  onTestFinished(close);
  return { address: `http://${user ? `${user}@` : ''}127.0.0.1:${port}`, requests };
}

function passOn(asked: IncomingMessage, response: ServerResponse, port: number): void {
  const { pathname, search } = new URL(asked.url ?? '');
  const { method, headers } = asked;
  const options = { host: '127.0.0.1', port, path: pathname + search, method, headers };
  const onward = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  asked.pipe(onward);
}
