import { expect, it, onTestFinished } from 'vitest';
import { Catalogue, readRelease, serveRegistry } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { homeAfter } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { machinePage, textOf } from './support/machine-page.ts';
import { moduleId, NOW } from './support/site-page.ts';

const LIDAR = { kind: 'module', name: 'acme_lidar', moduleId: moduleId('acme:lidar') } as const;
const NOTES = '/modules/acme_lidar/notes';

/** The page of a machine with 1.2.8 of a lidar, whose registry has 1.2.9 with notes, and the end of that registry. */
async function notedPage(version = '1.*', noted = '1.2.9') {
  const path = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(path, { mode: 'create' });
  for (const one of ['1.2.8', '1.2.9']) {
    const release = readRelease({ version: one });
    if (!release.ok) throw new Error(release.error.join('\n'));
    catalogue.publish(LIDAR.moduleId, release.value, NOW - 86_400_000);
  }
  const notes = '# Fixes\n<b>drift</b> in \u202ethe rain';
  catalogue.apply({ kind: 'notes', moduleId: LIDAR.moduleId, version: noted, notes });
  const server = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => await server.close());
  const home = homeAfter((state) => state.report(LIDAR, '1.2.8', 1));
  const machine = { modules: [entry('acme:lidar', version)] };
  const app = machinePage({ home, now: NOW, machine, policy: {}, registry: server.address });
  await app.request('/look', { method: 'POST' });
  return { app, server };
}

it('[D415] a card leads to the notes of its target, which stay a text', async () => {
  const { app } = await notedPage();
  const html = await (await app.request('/')).text();
  expect(html).toContain(`<a href="${NOTES}">Release notes of 1.2.9</a>`);
  expect(await textOf(app, NOTES)).toEqual([
    'Release notes of acme:lidar 1.2.9# Fixes',
    '<b>drift</b> in \\u{202e}the rain',
    'acme:lidar',
  ]);
});

it.each([
  ['1.2.8', '1.2.9'],
  ['1.*', '1.2.8'],
])('[D415] constraint %s, and notes of %s: none are offered', async (version, noted) => {
  const { app } = await notedPage(version, noted);
  expect(await (await app.request('/')).text()).not.toContain('Release notes');
  expect((await app.request(NOTES)).status).toBe(404);
  expect((await textOf(app, NOTES))[1]).toBe(
    'UNKNOWN_REFERENCE "acme_lidar" gets no release that has notes',
  );
});

it('[T809] the registry does not answer: the page of the notes says so', async () => {
  const { app, server } = await notedPage();
  await server.close();
  expect((await app.request(NOTES)).status).toBe(409);
  expect(await textOf(app, NOTES)).toEqual([
    'This cannot be shown',
    `REGISTRY_UNREACHABLE the registry ${server.address} refused the connection`,
    'its notes are read from the registry when they are opened, and are not kept here',
  ]);
});
