import { Hono } from 'hono';
import { DatabaseError } from '../sqlite/database-error.ts';
import { MACHINE_PAGE, type AccessOptions } from './access/access-options.ts';
import { protect } from './access/protection.ts';
import { failure, fileRefusal } from './access/refusal.ts';
import { assetRoutes, type AssetFiles } from './assets.ts';
import { compressed } from './compressed.ts';
import { frameWith, type PageFrame } from './frame.tsx';
import { keepingView } from './kept-view.ts';
import { problemPages } from './problem-pages.tsx';
import type { PagedMachine } from './paged-machine.ts';
import { addHoldRoutes } from './routes/hold-routes.tsx';
import { addUpgradeRoutes } from './routes/upgrade-routes.tsx';
import { addActionRoutes } from './routes/action-routes.tsx';
import { addApiRoutes } from './routes/api-routes.ts';
import { addRecordRoutes } from './routes/record-routes.tsx';
import { addChangeApiRoutes } from './routes/change-api-routes.ts';
import { addConfigApiRoutes } from './routes/config-api-routes.ts';
import { addConfigRoutes } from './routes/config-routes.tsx';
import { addEditRoutes } from './routes/edit-routes.tsx';
import { addLiveRoutes } from './routes/live-routes.ts';
import { addModuleRoutes } from './routes/module-routes.tsx';
import { addUnknownRoutes } from './routes/unknown-routes.ts';

interface PageOptions {
  readonly assets: AssetFiles;
  /** Who may use the page; undefined if all may, as in tests of what it shows. */
  readonly access: AccessOptions | undefined;
  /** Called with each error that ended a request, or a look at the machine for the open pages. */
  readonly onError?: (error: unknown) => void;
}

const MACHINE: PageFrame = {
  tabs: [
    ['/', 'Modules'],
    ['/history', 'History'],
    ['/logs', 'Logs'],
    ['/config', 'Config'],
  ],
  signIn: { command: 'modreg page sign-in', where: 'on the machine' },
};

/** The page of a machine and its JSON API, as a Hono app. */
export function pageApp(paged: PagedMachine, { assets, access, onError }: PageOptions): Hono {
  const { kept: machine, forFeed } = keepingView(paged);
  const app = new Hono();
  app.use(compressed);
  const served = new Hono();
  const frame = frameWith(assetRoutes(served, assets), MACHINE);
  app.use(problemPages(frame));
  if (access) protect(app, access, frame.signIn);
  app.onError((error) => {
    onError?.(error);
    return error instanceof DatabaseError
      ? fileRefusal(error, MACHINE_PAGE)
      : failure(MACHINE_PAGE);
  });
  app.route('/', served);
  addModuleRoutes(app, machine, frame);
  addRecordRoutes(app, machine, frame);
  addActionRoutes(app, machine, frame);
  addHoldRoutes(app, machine, frame);
  addUpgradeRoutes(app, machine, frame);
  addConfigRoutes(app, machine, frame);
  addEditRoutes(app, machine, frame);
  addApiRoutes(app, machine);
  addChangeApiRoutes(app, machine);
  addConfigApiRoutes(app, machine);
  addLiveRoutes(app, forFeed, onError);
  addUnknownRoutes(app, frame);
  return app;
}
