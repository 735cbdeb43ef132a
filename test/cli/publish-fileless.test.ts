import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { moduleId } from '../support/ask.ts';
import { readRelease } from '../../src/server/index.ts';
import { tokenFor } from '../support/token.ts';

const ARTIFACT = {
  platform: 'any',
  url: 'https://x.y/z',
  digest: `sha256:${'a'.repeat(64)}`,
  size: 1,
};
const FILE = ['--artifact', 'any=https://x.y/z', '--digest', ARTIFACT.digest, '--size', '1'];
const NOTE =
  "note: 1.1.0 has no file, and none can be added later: modreg's agent cannot install it; publish the next version with --upload <file>";
const WOULD =
  "1.1.0 would have no file, and none could be added later: modreg's agent could not install it; add --upload <file>";

/** What the command says of files after its options, in a registry that has acme:lidar 1.0.0 with a file, and acme:cam 1.0.0 without one. */
async function said(at: 'http' | 'file', ...args: readonly string[]): Promise<unknown> {
  const { address, catalogue } = await loopbackRegistry();
  for (const [id, artifacts] of [
    ['acme:lidar', [ARTIFACT]],
    ['acme:cam', undefined],
  ] as const) {
    const release = readRelease({ version: '1.0.0', artifacts });
    if (release.ok) catalogue.publish(moduleId(id), release.value, Date.now());
  }
  const place = at === 'http' ? ['--registry', address] : ['--db', catalogue.path];
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['publish'], 'author') };
  const ended = await printed(['registry', 'publish', ...args, ...place], { environment });
  return [ended.exit, ended.stderr.filter((line) => / file/.test(line))];
}

it.each<['http' | 'file', readonly string[], readonly string[]]>([
  ['http', ['acme:lidar', '1.1.0'], [NOTE]],
  ['http', ['acme:cam', '1.1.0'], [NOTE]],
  ['http', ['acme:lidar', '1.1.0', ...FILE], []],
  ['http', ['acme:cam', '1.0.0'], []],
  ['http', ['acme:cam', '1.1.0', '--dry-run'], [WOULD]],
  ['http', ['acme:cam', '1.0.0', '--dry-run'], []],
  ['file', ['acme:lidar', '1.1.0'], [NOTE]],
  ['file', ['acme:lidar', '1.1.0', '--dry-run'], [WOULD]],
  ['file', ['acme:lidar', '1.1.0', ...FILE], []],
  ['file', ['acme:cam', '1.1.0'], []],
  ['file', ['acme:arm', '1.1.0'], []],
])('[D491] a release without a file, %s: %j', async (at, args, notes) => {
  expect(await said(at, ...args)).toEqual([0, notes]);
});

it.each([[], ['--dry-run']])('[D491] is a field of --json: %j', async (...args) => {
  const { address, catalogue } = await loopbackRegistry();
  const environment = { MODREG_TOKEN: tokenFor(catalogue, ['publish'], 'author') };
  const of = async (...more: readonly string[]): Promise<unknown> => {
    const all = ['acme:lidar', ...more, ...args, '--json', '--registry', address];
    const { stdout } = await printed(['registry', 'publish', ...all], { environment });
    return JSON.parse(stdout[0] ?? '').without_file;
  };
  expect([await of('1.1.0'), await of('1.2.0', ...FILE)]).toEqual([true, undefined]);
});

it('[D491] several releases of a file may have no files', async () => {
  const folder = temporaryFolder({ 'list.json': '[{"version": "1.1.0"}]' });
  expect(await said('http', 'acme:lidar', '--file', `${folder}/list.json`)).toEqual([0, []]);
});

it('[D491] a file cannot be added later', async () => {
  const folder = temporaryFolder();
  const publish = async (...args: readonly string[]) =>
    await printed(['registry', 'publish', 'acme:lidar', '1.1.0', ...args], {
      environment: { PLATFORM_HOME: folder },
    });
  await publish();
  const { stderr, exit } = await publish(...FILE);
  expect([stderr[0], exit]).toEqual([
    'error[ALREADY_PUBLISHED]: acme:lidar 1.1.0 is already published with different content; nothing was changed',
    1,
  ]);
});
