import { expect, it } from 'vitest';
import type { Hono } from 'hono';
import { textOf } from './support/machine-page.ts';
import { NOW, testSite } from './support/site-page.ts';

const DAY = 86_400_000;

async function idsAt(app: Hono, path: string): Promise<string[]> {
  const lines = await textOf(app, path);
  return lines.flatMap((line) => /^(rover-\d) /.exec(line)?.[1] ?? []);
}

it('[D186] the page of a site counts and marks machines that are quiet or silent', async () => {
  const site = testSite();
  await site.report('rover-1', [{}]);
  site.now = NOW + 60_000;
  await site.report('rover-2', [{}]);
  site.now = NOW + 3 * DAY + 60_000;
  const lines = await textOf(site.app, '/');
  expect(lines).toContain('1 silent');
  expect(lines.filter((line) => line.startsWith('rover-'))).toEqual([
    'rover-1 3 d ago silent 1',
    'rover-2 3 d ago 1',
  ]);
  expect((await textOf(site.app, '/machines/rover-1')).slice(0, 2)).toEqual([
    'rover-1',
    'seen 3 d ago silent',
  ]);
});

it('[D218] the page of a site finds the machines that are quiet or silent, page by page', async () => {
  const site = testSite();
  site.every = 60_000;
  await site.report('rover-1', [{}]);
  site.now = NOW + 2 * DAY;
  for (const id of ['rover-2', 'rover-3']) await site.report(id, [{}]);
  site.now += 3_600_000;
  await site.report('rover-4', [{}]);
  expect(await idsAt(site.app, '/?condition=silent')).toEqual(['rover-1']);
  expect(await idsAt(site.app, '/?condition=quiet')).toEqual(['rover-2', 'rover-3']);
  expect(await textOf(site.app, '/?condition=quiet')).toContain('2 machines match');
  expect(await idsAt(site.app, '/?condition=quiet&id=3')).toEqual(['rover-3']);
  const next = await site.app.request('/?condition=quiet&after=rover-2');
  const html = await next.text();
  expect(html).toContain('<option value="quiet" selected="">quiet</option>');
  expect(html).toContain('<a href="/?condition=quiet">First page</a>');
});
