import { expect, it } from 'vitest';
import { textOf } from './support/machine-page.ts';
import { NOW, testSite } from './support/site-page.ts';

it('[D186] the page of a site counts and marks machines that are quiet or silent', async () => {
  const site = testSite();
  await site.report('rover-1', [{}]);
  site.now = NOW + 60_000;
  await site.report('rover-2', [{}]);
  site.now = NOW + 72 * 3_600_000 + 60_000;
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
