import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { quote } from '../../core/text/quote.ts';
import { mayAs, type Role } from '../../server/accounts/role.ts';
import type { Frame } from '../frame.tsx';

/** The role that each route of the page needs (D372). One that is not listed needs an admin. */
export const ROUTE_ROLES: Readonly<Record<string, Role>> = {
  'GET /': 'viewer',
  'GET /wall': 'viewer',
  'GET /changes': 'viewer',
  'GET /logs': 'viewer',
  'GET /logs.txt': 'viewer',
  'GET /modules': 'viewer',
  'GET /modules/:module': 'viewer',
  'GET /modules/:module/notes': 'viewer',
  'GET /modules/:module/outcomes': 'viewer',
  'GET /modules/:module/what-if': 'viewer',
  'GET /rollouts': 'viewer',
  'GET /rollouts/:module/:version': 'viewer',
  'GET /machines/:id': 'viewer',
  'GET /machines/:id/logs': 'viewer',
  'GET /machines/:id/logs.txt': 'viewer',
  'GET /machines/:id/commands': 'viewer',
  'GET /machines/:id/documents': 'viewer',
  'GET /machines/:id/documents/:revision': 'viewer',
  'GET /machines/:id/commands/hold': 'operator',
  'POST /machines/:id/commands/hold': 'operator',
  'GET /machines/:id/commands/unhold': 'operator',
  'POST /machines/:id/commands/unhold': 'operator',
  'GET /machines/:id/commands/upgrade': 'operator',
  'POST /machines/:id/commands/upgrade': 'operator',
  'GET /machines/:id/commands/restart': 'operator',
  'POST /machines/:id/commands/restart': 'operator',
  'GET /machines/:id/commands/rollback': 'operator',
  'POST /machines/:id/commands/rollback': 'operator',
  'GET /machines/:id/commands/unquarantine': 'operator',
  'POST /machines/:id/commands/unquarantine': 'operator',
  'GET /machines/:id/modules/:name/version': 'operator',
  'POST /machines/:id/modules/:name/version': 'operator',
  'POST /machines/:id/documents/:revision/restore': 'admin',
  'GET /machines/:id/edit': 'admin',
  'GET /machines/:id/edit/add': 'admin',
  'POST /machines/:id/edit/add': 'admin',
  'GET /machines/:id/edit/remove': 'admin',
  'POST /machines/:id/edit/remove': 'admin',
  'GET /machines/:id/edit/window': 'admin',
  'POST /machines/:id/edit/window': 'admin',
  'GET /machines/:id/edit/no-window': 'admin',
  'POST /machines/:id/edit/no-window': 'admin',
  'GET /machines/:id/edit/blackout': 'admin',
  'POST /machines/:id/edit/blackout': 'admin',
  'GET /machines/:id/edit/no-blackout': 'admin',
  'POST /machines/:id/edit/no-blackout': 'admin',
  'GET /machines/:id/edit/age': 'admin',
  'POST /machines/:id/edit/age': 'admin',
  'GET /rollouts/:module/:version/halt': 'admin',
  'POST /rollouts/:module/:version/halt': 'admin',
  'GET /rollouts/:module/:version/raise': 'admin',
  'POST /rollouts/:module/:version/raise': 'admin',
  'GET /rollouts/:module/:version/resume': 'admin',
  'POST /rollouts/:module/:version/resume': 'admin',
  'GET /rollouts/:module/:version/retract': 'admin',
  'POST /rollouts/:module/:version/retract': 'admin',
};

/** Answers requests for which the role of who is signed in is not enough with 403 (T773). It has to be used before the routes are added. */
export function requireRole(frame: Frame): MiddlewareHandler {
  return async (c, next) => {
    // Those of all methods change nothing: what is used before each route, and the answers to unknown methods.
    const route = matchedRoutes(c).find(({ method }) => method !== 'ALL');
    if (!route) return await next();
    const needed = ROUTE_ROLES[`${route.method} ${route.path}`] ?? 'admin';
    // Guests see what a viewer sees, and a code may do all.
    const { role = 'viewer', account = '' } = c.var;
    if (mayAs(role, needed)) return await next();
    const asked = quote(`${c.req.method} ${c.req.path}`);
    const message = `${asked} needs the role ${needed}, and ${account} has the role ${role}; nothing was changed`;
    const hint = `on the machine of the registry: modreg registry account set ${account} --role ${needed}`;
    return await frame.failed(c, [{ code: 'NEEDS_ROLE', message, hint }], 403);
  };
}
