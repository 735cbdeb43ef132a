import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { loopbackRegistry, type Loopback } from '../support/loopback.ts';
import { rememberedIn } from '../support/machine-home.ts';
import { ROOT } from '../support/modreg.ts';
import { blocksOf, pageAt } from '../support/pages.ts';
import { plainServer } from '../../mocks/plain-server.ts';
import { entry } from '../support/planned.ts';
import { polledSite, pollingHere } from '../support/polling.ts';
import { needs } from '../support/prerequisite.ts';
import { sh } from '../support/shell.ts';

const HOOK = `${ROOT}examples/hook.sh`;

/** The log of the first install, as the page on the poller shows it. */
const SESSION = blocksOf(pageAt('docs/running-the-poller.md'))
  .filter(({ language }) => language === 'sh-session')
  .flatMap(({ content }) => content.trimEnd().split('\n').slice(1))
  .map((line) => line.replace(/^\S+Z/, 'TIME').replace('./hook.sh', 'hook.sh'));

/** Publishes a release whose file is `content` at `address`. */
function publishFile({ catalogue }: Loopback, version: string, content: string, url: string): void {
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  const release = readRelease({ version, artifacts: [{ platform: 'any', url, digest }] });
  if (!release.ok) throw new Error(release.error.join('; '));
  catalogue.publish(moduleId('acme:lidar'), release.value, Date.now());
}

it('examples/hook.sh downloads, verifies and switches releases, and rejects one that does not work', async (context) => {
  const hasProgram = sh('command -v curl || command -v wget') !== '';
  needs(context, hasProgram, 'this machine has neither curl nor wget');
  const files: Readonly<Record<string, string>> = {
    '/1.2.3': '#!/bin/sh\necho lidar 1.2.3\n',
    '/1.2.4': '#!/bin/sh\necho damaged\n',
    '/1.2.5': '#!/bin/sh\necho no light >&2\nexit 4\n',
  };
  const { address } = await plainServer((response, { url = '' }) => response.end(files[url]));
  const loopback = await loopbackRegistry();
  // A configuration that tries to pass other values to the script.
  const forged = { to: '9.9.9', url: 'http://127.0.0.1:9/', digest: 'sha256:00', root: '/forged' };
  const modules = [{ ...Object(entry('acme:lidar', '1.*')), ...forged, env: forged }];
  const folder = polledSite(loopback, { modules });
  publishFile(loopback, '1.2.3', files['/1.2.3'] ?? '', `${address}/1.2.3`);
  const { until, end } = pollingHere(folder, ['--exec', HOOK, '--deployed', 'none']);
  const log = await until('acme_lidar: install of 1.2.3: done');
  expect(log.map((line) => line.replaceAll(/\S+\/(?=machine|hook)/g, ''))).toEqual(SESSION);
  const link = `${folder}/home/modules/acme_lidar`;
  expect(readFileSync(`${link}/module`, 'utf8')).toBe(files['/1.2.3']);
  expect(readlinkSync(link)).toMatch(/\/home\/packages\/acme\/lidar\/1\.2\.3-[0-9a-f]{12}$/);
  publishFile(loopback, '1.2.4', 'other bytes', `${address}/1.2.4`);
  await until(
    'upgrade 1.2.3 → 1.2.4: not done, next attempt in SOON: the download of acme_lidar 1.2.4 is damaged',
  );
  publishFile(loopback, '1.2.5', files['/1.2.5'] ?? '', `${address}/1.2.5`);
  expect(await until('acme_lidar: rollback to 1.2.3: done')).toContain(
    'TIME error acme_lidar: upgrade 1.2.3 → 1.2.5: the release failed: no light',
  );
  await end('SIGTERM');
  expect(readFileSync(`${link}/module`, 'utf8')).toBe(files['/1.2.3']);
  expect(rememberedIn(`${folder}/home`)).toEqual(['1.2.3 after nothing', 'acme:lidar 1.2.5']);
});
