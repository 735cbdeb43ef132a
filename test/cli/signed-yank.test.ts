import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { entry } from '../support/planned.ts';
import { servedHere } from '../support/served-here.ts';
import { createdToken, registry } from './support/registry-command.ts';

/** A registry with keys and two releases, and a machine that has the newer one. */
async function site(trust: 'pinned' | 'unsigned') {
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*', 'lidar')] }),
    'deployed.json': '{"lidar":"1.1.0"}',
  });
  const db = `${folder}/registry.db`;
  const init = ['keys', 'init', '--name', 'acme-plant', '--to', folder, '--db', db, '--create'];
  const pin = (await inProcess(init)).stdout.trim();
  const key = ['--key', `${folder}/publish.key`];
  for (const version of ['1.0.0', '1.1.0']) {
    await registry(db, 'publish', 'acme:lidar', version, ...key);
  }
  const { address } = await servedHere(db);
  const terms = { registry: address, on_yank: 'replace' };
  const policy = { ...terms, trust: trust === 'pinned' ? pin : trust };
  writeFileSync(`${folder}/policy.json`, JSON.stringify(policy));
  const planned = async (): Promise<unknown> => {
    const files = ['--policy', `${folder}/policy.json`, '--deployed', `${folder}/deployed.json`];
    const { stdout } = await inProcess(['plan', `${folder}/machine.json`, ...files, '--json']);
    const [row] = JSON.parse(stdout).modules;
    const warnings = Object(row).warnings.map(({ message }: { message: string }) => message);
    return [Object(row).decision, Object(row).target, warnings];
  };
  const token = await createdToken(db, 'yank');
  const yank = async (...args: readonly string[]) =>
    await inProcess(
      [
        'registry',
        'yank',
        'acme:lidar',
        '1.1.0',
        '--reason',
        'drifts',
        '--registry',
        address,
        ...args,
      ],
      { MODREG_TOKEN: token },
    );
  return { db, key, planned, yank };
}

const REPLACED = [
  'downgrade',
  '1.0.0',
  [
    'the deployed version 1.1.0 is yanked: drifts',
    '1.1.0 is yanked: drifts; newest release of 1 that may be selected; a downgrade: module data is shared by all versions',
  ],
];

it('[D165] under a pin, a yank that no author signed moves no machine, and one that is signed does', async () => {
  const { key, planned, yank } = await site('pinned');
  expect((await yank()).exit).toBe(0);
  expect(await planned()).toEqual([
    'ahead',
    '1.1.0',
    [
      'stays at 1.1.0, which is yanked: drifts; the newest release of 1 that may be selected is 1.0.0',
      'the deployed version 1.1.0 is yanked: drifts; it stays, because its author did not sign the yank',
    ],
  ]);
  expect((await yank(...key)).exit).toBe(0);
  expect(await planned()).toEqual(REPLACED);
});

it('[D33] without a pin, any yank does', async () => {
  const { planned, yank } = await site('unsigned');
  await yank();
  expect(await planned()).toEqual(REPLACED);
});

it('[D166] a yank in a file is signed, too, and by no key that may not', async () => {
  const { db, key } = await site('pinned');
  const yank = async (...args: readonly string[]) =>
    await registry(db, 'yank', 'acme:lidar', '1.0.0', ...args);
  const wrong = await yank('--key', key[1]?.replace('publish', 'root-1') ?? '');
  expect([wrong.exit, wrong.stderr.replaceAll(/[0-9a-f]{16}/g, 'ID')]).toEqual([
    2,
    'error[USAGE]: the yank of acme:lidar 1.0.0 has a signature of key ID; nothing was changed\n',
  ]);
  expect((await yank(...key)).exit).toBe(0);
  const catalogue = new Catalogue(db, { mode: 'read' });
  const text = Buffer.from(catalogue.document(moduleId('acme:lidar'))?.bytes ?? '').toString();
  catalogue.close();
  const { yanked, yank_signatures } = JSON.parse(text).releases[0];
  expect([yanked, Object.keys(yank_signatures ?? {}).length]).toEqual(['', 1]);
});
