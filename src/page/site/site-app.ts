import { Hono, type MiddlewareHandler } from 'hono';
import { DatabaseError } from '../../sqlite/database-error.ts';
import type { AccessOptions, PageNaming } from '../access/access-options.ts';
import { protect } from '../access/protection.ts';
import { failure, fileRefusal } from '../access/refusal.ts';
import { assetRoutes, served, type SiteAssetFiles } from '../assets.ts';
import { compressed } from '../compressed.ts';
import { frameWith, type PageFrame } from '../frame.tsx';
import { problemPages } from '../problem-pages.tsx';
import { addUnknownRoutes } from '../routes/unknown-routes.ts';
import type { PagedSite } from './site-answer.ts';
import { requireRole } from './route-roles.ts';
import { addChangeRoutes } from './routes/change-routes.tsx';
import { addCommandRoutes } from './routes/command-routes.tsx';
import { addDocumentRoutes } from './routes/document-routes.tsx';
import { addEditRoutes } from './routes/edit-routes.tsx';
import { addLogRoutes } from './routes/log-routes.tsx';
import { addMachineRoutes } from './routes/machine-routes.tsx';
import { addRolloutRoutes } from './routes/rollout-routes.tsx';
import { addSiteModuleRoutes } from './routes/site-module-routes.tsx';
import { addWallRoute } from './routes/wall-route.tsx';
import { wallGuests } from './wall-guests.tsx';

interface SitePageOptions {
  readonly assets: SiteAssetFiles;
  readonly naming: PageNaming;
  /** Who may use the page; undefined if all may, as in tests of what it shows. */
  readonly access: AccessOptions | undefined;
  /** Called with each error that ended a request. */
  readonly onError?: (error: unknown) => void;
}

const FOR_PROGRAMS = 'programs use the HTTP API of the registry';

/** The page of a site, as a Hono app. */
export function siteApp(
  site: PagedSite,
  { assets, naming, access, onError }: SitePageOptions,
): Hono {
  const app = new Hono();
  app.use(compressed);
  const files = new Hono();
  const addresses = { ...assetRoutes(files, assets), wall: served(files, 'wall', assets.wall) };
  const frame = frameWith(addresses, frameOf(naming));
  app.use(problemPages(frame));
  if (access) protect(app, access, frame.signIn, wallGuests(site, frame));
  app.onError((error) => {
    onError?.(error);
    return error instanceof DatabaseError ? fileRefusal(error, naming) : failure(naming);
  });
  app.route('/', files);
  if (!access) app.use(asAdmin);
  app.use(requireRole(frame));
  addMachineRoutes(app, site, frame);
  addLogRoutes(app, site, frame);
  addCommandRoutes(app, site, frame);
  addDocumentRoutes(app, site, frame);
  addEditRoutes(app, site, frame);
  addChangeRoutes(app, site, frame);
  addRolloutRoutes(app, site, frame);
  addSiteModuleRoutes(app, site, frame);
  addWallRoute(app, site, addresses);
  addUnknownRoutes(app, frame, FOR_PROGRAMS);
  return app;
}

const asAdmin: MiddlewareHandler = async (c, next) => {
  c.set('role', 'admin');
  return await next();
};

function frameOf({ command }: PageNaming): PageFrame {
  return {
    tabs: [
      ['/', 'Machines'],
      ['/rollouts', 'Rollouts'],
      ['/modules', 'Modules'],
      ['/logs', 'Logs'],
      ['/changes', 'Changes'],
    ],
    signIn: { command: `${command} sign-in`, where: 'on the machine of the registry' },
  };
}
