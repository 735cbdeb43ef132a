import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkBackup } from '../../src/server/backup/backup-folder.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { site } from '../support/backups.ts';
import { runModreg } from '../support/modreg.ts';
import { registry } from './support/registry-command.ts';

const SEVERAL = [1, 2, 3, 4];

it.each<[string, readonly string[], RegExp]>([
  [
    'to a new path',
    [],
    /^(error\[LOCKED\]: .* another process restores it|error\[USAGE\]: .* exists)/,
  ],
  [
    'with --replace',
    ['--replace'],
    /^error\[LOCKED\]: .* (another process restores|a process uses) it/,
  ],
])(
  '[T105] of several restores at once %s, each is complete or refused',
  async (_, args, refusal) => {
    const { path, folder, home } = site();
    await registry(path, 'backup', folder);
    const target = args.length > 0 ? path : `${home}/new.db`;
    const command = ['registry', 'restore', folder, '--db', target, ...args];
    const ended = await Promise.all(SEVERAL.map(() => runModreg(command)));
    const refused = ended.filter(({ exit }) => exit !== 0);
    expect(refused.length).toBeLessThan(SEVERAL.length);
    for (const { stderr } of refused) expect(stderr).toMatch(refusal);
    expect(checkRegistry(target).findings).toEqual([]);
    expect(readdirSync(home).filter((name) => name.includes('.part'))).toEqual([]);
  },
);

it('[T105] several backups into a folder at once are made one after the other', async () => {
  const { path, folder } = site();
  const command = ['registry', 'backup', folder, '--db', path];
  const ended = await Promise.all(SEVERAL.map(() => runModreg(command)));
  expect(ended.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
  expect(checkBackup(folder)).toMatchObject({ manifest: { sequence: 2 }, findings: [] });
});
