import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { pageApp } from '../../page/app.ts';
import type { Outcome } from '../problem.ts';
import type { World } from '../world.ts';
import { machineOnPage, type PageMachineOptions } from './machine-on-page.ts';
import { pageAssets } from './page-assets.ts';

export interface PageCommandOptions extends PageMachineOptions {
  readonly port?: string;
}

/** `modreg page <machine.json>`: serves the page of this machine until SIGINT or SIGTERM. */
export async function pageCommand(
  path: string,
  options: PageCommandOptions,
  world: World,
): Promise<Outcome> {
  const app = pageApp(machineOnPage(path, options, world), { assets: pageAssets() });
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen({ host: '127.0.0.1', port: Number(options.port ?? 0) }, resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  world.print(`http://127.0.0.1:${port}/`);
  const signal = await world.untilSignal();
  server.closeAllConnections();
  server.close();
  const ending = signal === 'SIGINT' ? 'interrupted' : undefined;
  return { answer: [], notes: [], problems: [], ending };
}
