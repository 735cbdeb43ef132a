import { expect, it } from 'vitest';
import type { MaintenanceWindow } from '../../src/config/fields/maintenance-window.ts';
import { lidarReport } from '../support/reported-facts.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

/** A window of two hours. It is 12:00 UTC on a Wednesday. */
function at(start: string, timeZone = 'UTC'): readonly MaintenanceWindow[] {
  return [{ start, durationMs: 7_200_000, timeZone }];
}

async function waiting(
  site: TestSite,
  id: string,
  windows: readonly MaintenanceWindow[],
): Promise<void> {
  await site.report(id, [lidarReport({ deployed: '1.2.8', windows }, NOW)]);
}

async function shownBy({ app }: TestSite, path = '/'): Promise<string[]> {
  const html = await (await app.request(path)).text();
  const [, section = ''] = /<section aria-labelledby="windows">(.*?)<\/section>/s.exec(html) ?? [];
  return section
    .replaceAll(/<(?:tr|p|h2)\b[^>]*>/g, '\n')
    .replaceAll(/<\/(?:td|th)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

it('[D442] the page of machines says which windows open within 24 hours, and what waits for each', async () => {
  expect(await shownBy(testSite())).toEqual([]);
  const site = testSite();
  await site.report('crane-1', [
    lidarReport({ deployed: '1.2.9', windows: at('0 13 * * *') }, NOW),
  ]);
  for (const id of ['rover-4', 'rover-1', 'rover-3', 'rover-2', 'retired']) {
    await waiting(site, id, at('0 22 * * *'));
  }
  await waiting(site, 'berlin', at('0 22 * * *', 'Europe/Berlin'));
  await waiting(site, 'sunday', at('0 22 * * 0'));
  await waiting(site, 'never', at('0 0 31 2 *'));
  await site.retire('retired', 'alice');
  const night = lidarReport({ deployed: '1.2.8', windows: at('0 22 * * *') }, NOW);
  await site.report('rover-0', [{ ...night, stops: ['lidar0'] }]);
  await site.report('held', [{ ...night, held_by: 'operator' }]);
  expect(await shownBy(site)).toEqual([
    'In the next 24 hours',
    'window opens machines what waits for it',
    '21:00 UTC berlin acme:lidar 1.2.8 → 1.2.9',
    '22:00 UTC rover-0, rover-1, rover-2 and 2 more acme:lidar 1.2.8 → 1.2.9',
    'Later, or not known here: 2',
  ]);
  expect(await shownBy(site, '/?id=rover')).toEqual([]);
});

it('[D442] [T827] windows that no page can evaluate are counted, and stop no others', async () => {
  const site = testSite();
  const [good] = [lidarReport({ deployed: '1.2.8', windows: at('0 22 * * *') }, NOW)];
  const text = JSON.stringify(good);
  await site.report('a', [JSON.parse(text.replace('"UTC"', '"Mars/Base"'))]);
  await site.report('b', [JSON.parse(text.replace('"0 22 * * *"', '"every night"'))]);
  await site.report('c', [{ ...good, facts: null }]);
  expect(await shownBy(site)).toEqual([
    'In the next 24 hours',
    'No window opens for what waits.',
    'Later, or not known here: 3',
  ]);
});

it('[D442] a restart that waits for a window is named so', async () => {
  const site = testSite();
  const night = lidarReport({ deployed: '1.2.8', windows: at('0 22 * * *') }, NOW);
  await site.report('rover-0', [{ ...night, target: '1.2.8' }]);
  expect((await shownBy(site)).slice(2)).toEqual(['22:00 UTC rover-0 restart of acme:lidar 1.2.8']);
});
