import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { networkFetch } from '../../src/registry/http/network.ts';
import { temporaryFolder } from '../support/folder.ts';
import { needs } from '../support/prerequisite.ts';
import { fixture } from '../support/tls.ts';

/** Debian's tinyproxy; undefined if there is none. */
const PROGRAM = process.env['MODREG_TINYPROXY'];

/** An address of this machine that is not loopback: that of a proxied server. */
const OWN = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

async function listening(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A cast: it listens on a port.
  return (server.address() as AddressInfo).port;
}

async function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true));
  socket.once('error', () => resolve(false));
  const isAccepted = await promise;
  socket.destroy();
  return isAccepted;
}

/** The address of a tinyproxy that tunnels to one port, for a user with a password. */
async function tinyproxy(context: TestContext, tunnel: number): Promise<string> {
  needs(context, PROGRAM !== undefined, 'there is no tinyproxy: set MODREG_TINYPROXY');
  const before = createServer();
  const free = await listening(before, '127.0.0.1');
  before.close();
  const lines = [
    `Port ${free}`,
    'Listen 127.0.0.1',
    'Timeout 60',
    'Allow 127.0.0.1',
    'BasicAuth robot pass-word',
    `ConnectPort ${tunnel}`,
  ];
  const folder = temporaryFolder({ 'tinyproxy.conf': `${lines.join('\n')}\n` });
  const child = spawn(PROGRAM ?? '', ['-d', '-c', `${folder}/tinyproxy.conf`], { stdio: 'ignore' });
  onTestFinished(() => void child.kill());
  await expect.poll(async () => await accepts(free)).toBe(true);
  return `127.0.0.1:${free}`;
}

async function answerTo(url: string, proxy: string): Promise<string> {
  const environment = {
    http_proxy: proxy,
    https_proxy: proxy,
    MODREG_CA_FILE: fixture('authority'),
  };
  try {
    const response = await networkFetch(environment)(url);
    return response.status === 200
      ? await new Response(response.body).text()
      : `${response.status}`;
  } catch (error) {
    // A cast: `fetch` rejects with an error whose cause is that of the connection.
    return (error as { readonly cause: NodeJS.ErrnoException }).cause.code ?? '';
  }
}

it('[D113] Debian’s tinyproxy passes requests on, and makes tunnels', async (context) => {
  needs(context, OWN !== undefined, 'this machine has no address besides loopback');
  const plain = await listening(
    createServer((_, to) => void to.end('plain')),
    OWN ?? '',
  );
  const pem = readFileSync(fixture('good'), 'utf8');
  const tls = createSecureServer({ cert: pem, key: pem }, (_, to) => void to.end('tls'));
  const secure = await listening(tls, OWN ?? '');
  const place = await tinyproxy(context, secure);
  const found: Record<string, string> = {};
  for (const user of ['robot:pass-word@', 'robot:wrong@', '']) {
    for (const url of [
      `http://${OWN}:${plain}`,
      `https://${OWN}:${secure}`,
      `https://${OWN}:8443`,
    ]) {
      const scheme = url.replace(`//${OWN}:${plain}`, '').replace(`//${OWN}:${secure}`, '');
      found[`${user}${scheme.replace(OWN ?? '', 'host')}`] = await answerTo(
        url,
        `http://${user}${place}`,
      );
    }
  }
  expect(found).toEqual({
    'robot:pass-word@http:': 'plain',
    // The certificate is for another address: TLS is spoken with the server, and not with the proxy.
    'robot:pass-word@https:': 'ERR_TLS_CERT_ALTNAME_INVALID',
    'robot:pass-word@https://host:8443': '403',
    // It takes a wrong password for a lack of permission.
    'robot:wrong@http:': '401',
    'robot:wrong@https:': '401',
    'robot:wrong@https://host:8443': '401',
    'http:': '407',
    'https:': '407',
    'https://host:8443': '407',
  });
});
