import { expect, it } from 'vitest';
import { PAGE_OPENAPI } from '../../src/page/openapi.ts';
import { changedPage } from './support/changed-page.ts';

const { paths } = PAGE_OPENAPI as { readonly paths: Record<string, Record<string, object>> };

/** Routes of other parts of the app: the live feed and signing in. */
const ELSEWHERE = /live|sign-/;

function ofThisPart(all: readonly string[]): string[] {
  return [...new Set(all)].filter((one) => !ELSEWHERE.test(one)).toSorted();
}

it('the OpenAPI document of the page has exactly the routes of its API', async () => {
  const { app } = await changedPage();
  const routes = app.routes
    .filter(({ method, path }) => path.startsWith('/v1/') && method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(ofThisPart(routes)).toEqual(ofThisPart(documented));
});

it.each([
  ['/v1/machine', 200],
  ['/v1/modules/acme_lidar/explain', 200],
  ['/v1/modules/nothing/explain', 404],
  ['/v1/modules/acme_lidar/compare', 200],
  ['/v1/history', 200],
  ['/v1/history?module=nothing', 404],
  ['/v1/logs', 200],
  ['/v1/openapi.json', 200],
])('GET %s has the documented shape: %i', async (path, status) => {
  const { ask } = await changedPage();
  expect((await ask('GET', path)).status).toBe(status);
});

it('POST /v1/look has no content: a registry that it cannot reach is shown in the plan', async () => {
  const { ask } = await changedPage();
  const { status, json } = await ask('POST', '/v1/look');
  expect([status, json]).toEqual([204, undefined]);
});
