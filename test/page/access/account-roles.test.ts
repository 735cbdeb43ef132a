import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { frameWith } from '../../../src/page/frame.tsx';
import { requireRole, ROUTE_ROLES } from '../../../src/page/site/route-roles.ts';
import type { Role } from '../../../src/server/accounts/role.ts';
import { guardedSite, OWN, type GuardedSite } from '../support/guarded-site.ts';
import { linesOf } from '../support/machine-page.ts';
import { testSite } from '../support/site-page.ts';

const ALL: readonly Role[] = ['viewer', 'operator', 'admin'];
const FRAME = { tabs: [], signIn: { command: 'modreg', where: 'here' } };
const CHANGES = Object.entries(ROUTE_ROLES).filter(([route]) => route.startsWith('POST'));

/** An address of a route. */
function addressOf(route: string): string {
  return route
    .replace(':id', 'rover-7')
    .replace(':name', 'acme_lidar')
    .replace(':module', 'acme%3Alidar')
    .replace(':version', '1.3.0')
    .replace(':revision', '1');
}

async function site(): Promise<GuardedSite> {
  const page = guardedSite();
  await page.site.report('rover-7', [{}]);
  for (const role of ALL) page.account(role, role);
  return page;
}

it('[D372] each route of the page has its role', () => {
  const routes = testSite().app.routes.filter(({ method }) => method !== 'ALL');
  const known = routes.map(({ method, path }) => `${method} ${path}`);
  const pages = known.filter((route) => !route.startsWith('GET /assets/'));
  expect(Object.keys(ROUTE_ROLES).toSorted()).toEqual([...new Set(pages)].toSorted());
});

it.each<[Role, readonly string[]]>([
  ['viewer', []],
  [
    'operator',
    [
      'POST /machines/:id/commands/hold',
      'POST /machines/:id/commands/unhold',
      'POST /machines/:id/commands/upgrade',
      'POST /machines/:id/commands/restart',
      'POST /machines/:id/commands/rollback',
      'POST /machines/:id/commands/unquarantine',
      'POST /machines/:id/modules/:name/version',
    ],
  ],
  [
    'admin',
    [
      'POST /machines/:id/documents/:revision/restore',
      'POST /machines/:id/edit/add',
      'POST /machines/:id/edit/remove',
      'POST /machines/:id/edit/window',
      'POST /machines/:id/edit/no-window',
      'POST /machines/:id/edit/blackout',
      'POST /machines/:id/edit/no-blackout',
      'POST /machines/:id/edit/age',
      'POST /rollouts/:module/:version/halt',
      'POST /rollouts/:module/:version/raise',
      'POST /rollouts/:module/:version/resume',
      'POST /rollouts/:module/:version/retract',
    ],
  ],
])('[D372] the changes that need the role %s', (role, expected) => {
  expect(CHANGES.filter(([, needed]) => needed === role).map(([route]) => route)).toEqual(expected);
});

it.each(CHANGES)('[D372] the form of %s needs the same role, %s', (route, needed) => {
  const form = ROUTE_ROLES[route.replace('POST', 'GET')];
  // Restoring has its form on the page of the revision.
  expect(form ?? needed).toBe(needed);
});

it.each(ALL)('[D372] a route without a role needs an admin: %s', async (role) => {
  const app = new Hono();
  app.use(async (c, next) => {
    c.set('role', role);
    await next();
  });
  app.use(requireRole(frameWith({ style: '', script: '' }, FRAME)));
  app.post('/new', (c) => c.text('done'));
  expect((await app.request('/new', { method: 'POST' })).status).toBe(role === 'admin' ? 200 : 403);
});

it('[D372] what is used for all methods changes nothing: it runs before a route, or answers unknown methods', () => {
  const { routes } = testSite().app;
  const paths = new Set(routes.flatMap(({ method, path }) => (method === 'ALL' ? [] : [path])));
  const others = routes.filter(({ method, path }) => method === 'ALL' && !paths.has(path));
  expect([...new Set(others.map(({ path }) => path))]).toEqual(['/*']);
});

describe('[T773] a session without the role of a change', () => {
  it.each(CHANGES)('does nothing with %s, which needs %s', async (route, needed) => {
    const page = await site();
    const request = addressOf(route);
    for (const role of ALL.slice(0, ALL.indexOf(needed))) {
      const answer = await page.ask(request, { ...OWN, cookie: page.sessionOf(role) }, 'key=x');
      expect([answer.status, ...linesOf(await answer.text())]).toEqual([
        403,
        'This was not done',
        `NEEDS_ROLE "${request}" needs the role ${needed}, and ${role} has the role ${role}; nothing was changed`,
        `on the machine of the registry: modreg registry account set ${role} --role ${needed}`,
      ]);
    }
    const allowed = await page.ask(request, { ...OWN, cookie: page.sessionOf(needed) }, 'key=x');
    expect([404, 409, 422]).toContain(allowed.status);
  });

  it.each([
    'POST /machines/rover-7/commands/HOLD',
    'POST /machines/rover-7/commands/hold/',
    'POST //machines/rover-7/commands/hold',
    'PUT /machines/rover-7/commands/hold',
    'POST /machines/rover-7',
  ])('nor with %s', async (request) => {
    const page = await site();
    const answer = await page.ask(request, { ...OWN, cookie: page.sessionOf('viewer') }, 'key=x');
    expect([404, 405]).toContain(answer.status);
  });

  it('nor as a program, nor with a GET or HEAD of its form', async () => {
    const page = await site();
    const token = page.sessionOf('viewer').split('=')[1] ?? '';
    const path = '/machines/rover-7/commands/hold';
    for (const method of ['POST', 'GET', 'HEAD']) {
      const answer = await page.ask(`${method} ${path}`, { authorization: `Bearer ${token}` });
      expect(answer.status).toBe(403);
    }
  });
});
