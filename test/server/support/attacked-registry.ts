import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { connect as connectPlainly, type Socket } from 'node:net';
import { connect as connectSecurely, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { Catalogue, readRelease, serveRegistry } from '../../../src/server/index.ts';
import { SERVER_LIMITS, type ServerLimits } from '../../../src/server/server-limits.ts';
import type { RegistryEvent } from '../../../src/server/registry-options.ts';
import { moduleId } from '../../support/ask.ts';
import { fixture, tlsFiles } from '../../support/tls.ts';
import { tokenFor } from '../../support/token.ts';

/** More than the kernel buffers for a connection. */
export const LIST_BYTES = 16_000_000;
/** A request for that list. */
export const GET = 'GET /v1/modules/acme/lidar HTTP/1.1\r\nHost: x\r\n\r\n';
const LIDAR = moduleId('acme:lidar');

/** A registry to attack, with a long list. */
export interface Served {
  readonly address: string;
  readonly token: string;
  readonly events: readonly RegistryEvent[];
  /** The responses that the server has created. */
  readonly responses: ServerResponse[];
  /** A new connection to the server that has sent `text`, and reads nothing until it is resumed. */
  readonly client: (text: string) => Socket;
}

/** Serves a registry until the test has ended. */
export async function served(
  protocol: 'http' | 'https',
  limits: Partial<ServerLimits> = {},
): Promise<Served> {
  const catalogue = new Catalogue(':memory:');
  const release = readRelease({ version: '1.0.0' });
  if (release.ok) catalogue.publish(LIDAR, release.value, 0);
  catalogue.yank(LIDAR, '1.0.0', 'x'.repeat(LIST_BYTES));
  const token = tokenFor(catalogue);
  const events: RegistryEvent[] = [];
  const running = await serveRegistry(
    catalogue,
    { host: '127.0.0.1', port: 0 },
    {
      spreadMs: 0,
      limits: { ...SERVER_LIMITS, ...limits },
      log: (event) => events.push(event),
      tls: protocol === 'https' ? tlsFiles() : undefined,
    },
  );
  const responses: ServerResponse[] = [];
  const onRequest = (message: unknown): void => void responses.push(Object(message).response);
  subscribe('http.server.request.start', onRequest);
  const clients: Socket[] = [];
  onTestFinished(async () => {
    unsubscribe('http.server.request.start', onRequest);
    for (const client of clients) client.destroy();
    await running.close();
    catalogue.close();
  });
  const client = (text: string): Socket => {
    const place = { host: '127.0.0.1', port: Number(new URL(running.address).port) };
    const connected = protocol === 'https' ? connectSecurely(place) : connectPlainly(place);
    const socket = connected.pause();
    socket.on('error', () => undefined);
    socket.write(text);
    clients.push(socket);
    return socket;
  };
  return { address: running.address, token, events, responses, client };
}

/** Reads until the server ends the connection. */
export async function rest(client: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  await new Promise((resolve) => client.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

/** Clients of this test file trust the certificates of `tlsFiles`. */
export function trustFixtures(): void {
  const authorities = getCACertificates();
  beforeAll(() =>
    setDefaultCACertificates([...authorities, readFileSync(fixture('authority'), 'utf8')]),
  );
  afterAll(() => setDefaultCACertificates(authorities));
}
