import { Hono } from 'hono';
import { assetRoutes, type AssetFiles } from './assets.ts';
import { frameWith } from './frame.tsx';
import type { PagedMachine } from './paged-machine.ts';
import { addApiRoutes } from './routes/api-routes.ts';
import { addRecordRoutes } from './routes/record-routes.tsx';
import { addModuleRoutes } from './routes/module-routes.tsx';

interface PageOptions {
  readonly assets: AssetFiles;
}

/** The page of a machine and its JSON API, as a Hono app. */
export function pageApp(machine: PagedMachine, { assets }: PageOptions): Hono {
  const app = new Hono();
  const frame = frameWith(assetRoutes(app, assets));
  addModuleRoutes(app, machine, frame);
  addRecordRoutes(app, machine, frame);
  addApiRoutes(app, machine);
  return app;
}
