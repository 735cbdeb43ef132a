import { expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { blocksOf, pageAt } from '../support/pages.ts';
import { servedHere } from '../support/served-here.ts';

/** `text` without what differs between two runs: times, secrets, ports and the width of columns. */
function masked(text: string): string {
  return text
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"time":\d+/g, '"time":TIME')
    .replaceAll(/modreg_[\w-]+/g, 'SECRET')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/ {2,}/g, '  ');
}

function sessionsOf(path: string): string[] {
  return blocksOf(pageAt(path))
    .filter(({ language }) => language === 'sh-session')
    .map(({ content }) => masked(content));
}

/** What a session with `args` shows. */
async function session(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const { stdout, stderr } = await inProcess(args, environment);
  return masked(`$ modreg ${args.join(' ')}\n${stdout}${stderr}`);
}

const CREATE =
  'registry token create --name ci --scope publish:acme --scope yank:acme --expires 90d'.split(' ');

it('a leaked token is found, revoked and followed as the page shows', async () => {
  const PLATFORM_HOME = temporaryFolder();
  const db = `${PLATFORM_HOME}/registry.db`;
  const catalogue = new Catalogue(db, { mode: 'create' });
  const at = Date.parse('2026-09-01T08:00:00Z');
  const ci = catalogue.createToken({ name: 'ci', scopes: ['publish:acme', 'yank:acme'] }, at);
  catalogue.createToken({ name: 'mirror', scopes: ['import'] }, at + 300_000);
  const release = { version: '1.2.9', publishedAt: at, yanked: undefined } as const;
  const fields = { artifacts: undefined, deprecated: undefined };
  catalogue.publish(moduleId('acme:lidar'), { ...release, ...fields }, at);
  for (const token of catalogue.tokens()) {
    catalogue.recordUse({ ...token, scopes: [] }, Date.now());
  }
  catalogue.close();
  const { address, log } = await servedHere(db);
  const publish = async (path: string): Promise<unknown> =>
    await fetch(`${address}/v1/modules/${path}/releases`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ci.ok ? ci.value.token : ''}`,
        'content-type': 'application/json',
      },
      body: '{"version":"1.3.0"}',
    });
  const shown = [await session(['registry', 'token', 'list'], { PLATFORM_HOME })];
  await publish('acme/lidar');
  await publish('nimbus/gps');
  shown.push(await session(['registry', 'token', 'revoke', 'ci'], { PLATFORM_HOME }));
  await publish('acme/lidar');
  const lines = log()
    .split('\n')
    .filter((line) => line.includes('"token":"t1"'));
  shown.push(masked(`$ grep '"token":"t1"' registry.log\n${lines.join('\n')}\n`));
  shown.push(await session(['registry', 'show', 'acme:lidar'], { PLATFORM_HOME }));
  shown.push(await session(CREATE, { PLATFORM_HOME }));
  expect(sessionsOf('docs/a-token-leaked.md')).toEqual(shown);
});

it('registry.md shows how to create a token and publish with it', async () => {
  const PLATFORM_HOME = temporaryFolder();
  const db = `${PLATFORM_HOME}/registry.db`;
  new Catalogue(db, { mode: 'create' }).close();
  const { address } = await servedHere(db);
  const created = await inProcess(CREATE, { PLATFORM_HOME });
  const shown = [masked(`$ modreg ${CREATE.join(' ')}\n${created.stdout}${created.stderr}`)];
  const publish = ['registry', 'publish', 'acme:lidar', '1.2.9', '--registry', address];
  shown.push(await session(publish, { MODREG_TOKEN: created.stdout.trim() }));
  expect(sessionsOf('docs/running-a-registry.md')).toEqual(shown);
});
