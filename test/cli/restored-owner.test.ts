import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { FILE, NOON, site } from '../support/backups.ts';
import { needs } from '../support/prerequisite.ts';
import { sh } from '../support/shell.ts';

/** Users without an account. */
const SERVICE = 54_321;
const OTHER = 54_322;

function ownersIn(folder: string): Record<string, number> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(names.map((name) => [name, lstatSync(`${folder}/${name}`).uid]));
}

describe('[T106] what root restores', () => {
  beforeEach((context) => needs(context, process.geteuid?.() === 0, 'only root can change owners'));

  it('belongs to the owner of the folder', async () => {
    const { path, folder, home } = site();
    await backUp(path, folder, NOON);
    chownSync(home, SERVICE, SERVICE);
    restore(folder, `${home}/new/r.db`, { replaces: false, now: NOON });
    expect(lstatSync(`${home}/new`).uid).toBe(SERVICE);
    expect(ownersIn(`${home}/new`)).toEqual({
      'r.db': SERVICE,
      'r.db-restore.lock': SERVICE,
      'r.db-files': SERVICE,
      'r.db-files/incoming': SERVICE,
      'r.db-files/sha256': SERVICE,
      [`r.db-files/sha256/${FILE}`]: SERVICE,
    });
  });

  it('belongs to the owner of the registry that it replaces', async () => {
    const { path, folder, home } = site();
    await backUp(path, folder, NOON);
    chownSync(home, SERVICE, SERVICE);
    chownSync(path, OTHER, OTHER);
    const result = restore(folder, path, { replaces: true, now: NOON });
    expect(result).toMatchObject({ kind: 'done' });
    expect(ownersIn(home)).toMatchObject({
      'registry.db': OTHER,
      'registry.db.replaced-20261122T120000Z': OTHER,
      'registry.db-files': OTHER,
      [`registry.db-files/sha256/${FILE}`]: OTHER,
    });
  });

  it('stays as it is if root of a container cannot give it away', async () => {
    const { path, folder, home } = site();
    await backUp(path, folder, NOON);
    mkdirSync(`${home}/new`);
    chownSync(`${home}/new`, SERVICE, SERVICE);
    chmodSync(`${home}/new`, 0o777);
    const command = `unshare -r ./bin/modreg registry restore ${folder} --db ${home}/new/r.db`;
    expect(sh(command)).toContain('r.db" is restored from 2026-11-22T12:00:00Z');
    expect(lstatSync(`${home}/new/r.db`).uid).toBe(0);
  });
});
