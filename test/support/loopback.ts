import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { onTestFinished } from 'vitest';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import { temporaryFolder } from './folder.ts';

/** An embedded registry on a loopback port. */
export interface Loopback {
  readonly address: string;
  readonly catalogue: Catalogue;
}

export async function loopbackRegistry(): Promise<Loopback> {
  const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  const place = { host: '127.0.0.1', port: 0 };
  const running = await serveRegistry(catalogue, place, { spreadMs: 0 });
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  return { address: running.address, catalogue };
}

/** Where Node says which requests `fetch` and node:http make. */
const REQUESTS = ['undici:request:create', 'http.client.request.start'] as const;

/** Collects the paths of all requests of this process until the end of the test. */
export function requestsMade(): string[] {
  const paths: string[] = [];
  const note = (message: unknown): void => {
    const { request } = message as { readonly request: { readonly path: string } };
    paths.push(request.path);
  };
  for (const channel of REQUESTS) subscribe(channel, note);
  onTestFinished(() => {
    for (const channel of REQUESTS) unsubscribe(channel, note);
  });
  return paths;
}
