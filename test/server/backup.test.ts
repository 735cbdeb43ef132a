import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { checkBackup } from '../../src/server/backup/backup-folder.ts';
import { restore } from '../../src/server/backup/restore.ts';
import {
  databaseIn,
  documentsOf,
  FILE,
  LIDAR,
  NOON,
  publish,
  sha256Of,
  site,
  sql,
} from '../support/backups.ts';

const CREATES = { replaces: false, now: NOON };

describe('[T75] a backup', () => {
  it('has the database, the hosted files and a manifest, which only their owner can read', async () => {
    const { path, folder } = site();
    const result = await backUp(path, folder, NOON);
    expect(result).toMatchObject({
      kind: 'done',
      manifest: {
        schema: 'modreg/registry-backup@1',
        created_at: '2026-11-22T12:00:00Z',
        sequence: 2,
        modules: 1,
        releases: 2,
        tokens: 0,
        files: [{ sha256: FILE, size: 11 }],
      },
    });
    expect(documentsOf(databaseIn(folder))).toBe(documentsOf(path));
    expect(readFileSync(`${folder}/files/sha256/${FILE}`, 'utf8')).toBe('lidar 1.0.0');
    const modes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
      (statSync(`${folder}/${name}`).mode & 0o777).toString(8),
    );
    expect([statSync(folder).mode & 0o777, new Set(modes)]).toEqual([
      0o700,
      new Set(['600', '700']),
    ]);
    expect(checkBackup(folder).findings).toEqual([]);
  });

  it('is made while another process changes the registry', async () => {
    const { path, folder } = site();
    const writer = new DatabaseSync(path);
    writer.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; UPDATE releases SET yanked = 'half'");
    expect(await backUp(path, folder, NOON)).toMatchObject({ kind: 'done' });
    writer.exec('ROLLBACK');
    writer.close();
    expect(documentsOf(databaseIn(folder))).toBe(documentsOf(path));
  });

  it('replaces an earlier one, and keeps only what it needs', async () => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    const before = databaseIn(folder);
    publish(path, LIDAR, '1.2.0', 'lidar 1.2.0');
    writeFileSync(`${folder}/files/sha256/${'a'.repeat(64)}`, 'of no release');
    writeFileSync(`${folder}/registry.db.part`, 'of a killed process');
    await backUp(path, folder, NOON);
    expect([existsSync(before), readdirSync(folder).toSorted()]).toEqual([
      false,
      ['backup.lock', 'files', 'manifest.json', databaseIn(folder).slice(folder.length + 1)],
    ]);
    expect(readdirSync(`${folder}/files/sha256`).toSorted()).toEqual(
      [FILE, sha256Of('lidar 1.2.0')].toSorted(),
    );
    expect(checkBackup(folder)).toMatchObject({ manifest: { sequence: 3 }, findings: [] });
  });

  it('[T75] keeps an earlier one if the manifest of the new one cannot be written', async () => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    const before = databaseIn(folder);
    publish(path, LIDAR, '1.2.0');
    mkdirSync(`${folder}/manifest.json.part`);
    await expect(backUp(path, folder, NOON)).rejects.toThrow('EISDIR');
    expect(existsSync(before)).toBe(true);
    expect(checkBackup(folder)).toMatchObject({ manifest: { sequence: 2 }, findings: [] });
  });

  it('repairs a hosted file that an earlier one has damaged', async () => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    writeFileSync(`${folder}/files/sha256/${FILE}`, 'lidar 1.0.1');
    expect(checkBackup(folder).findings).toHaveLength(1);
    await backUp(path, folder, NOON);
    expect(checkBackup(folder).findings).toEqual([]);
  });

  it('is made in a folder with everything that killed backups may leave, which is then gone', async () => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    rmSync(`${folder}/files/sha256/${FILE}`);
    const kept = readdirSync(folder).toSorted();
    const names = [
      'manifest.json.part',
      'registry.db.part',
      'registry.db.part-journal',
      'registry-0123456789abcdef.db',
      `files/sha256/${FILE}.part`,
    ];
    for (const name of names) writeFileSync(`${folder}/${name}`, 'half');
    writeFileSync(`${folder}/backup.lock-journal`, '');
    expect(await backUp(path, folder, NOON)).toMatchObject({ kind: 'done' });
    expect(readdirSync(folder).toSorted()).toEqual(expect.arrayContaining(kept));
    for (const name of names)
      expect([name, existsSync(`${folder}/${name}`)]).toEqual([name, false]);
    expect(checkBackup(folder).findings).toEqual([]);
  });

  it('[T75] has a hosted file of several megabytes, byte for byte', async () => {
    const { path, folder, home } = site();
    const large = 'lidar '.repeat(500_000);
    publish(path, LIDAR, '3.0.0', large);
    expect(await backUp(path, folder, NOON)).toMatchObject({ kind: 'done' });
    expect(restore(folder, `${home}/new.db`, CREATES)).toMatchObject({ kind: 'done' });
    const restored = `${home}/new.db-files/sha256/${sha256Of(large)}`;
    expect(readFileSync(restored, 'utf8') === large).toBe(true);
  });

  it.each<[string, string, (path: string) => void, string]>([
    [
      'a hosted file is missing',
      'damaged-files',
      (path) => rmSync(`${path}-files/sha256/${FILE}`),
      `the hosted file sha256:${FILE}: there is no such file`,
    ],
    [
      'a hosted file has other bytes',
      'damaged-files',
      (path) => writeFileSync(`${path}-files/sha256/${FILE}`, 'lidar 1.0.1'),
      `the hosted file sha256:${FILE}: it has 11 bytes and the sha256 ${sha256Of('lidar 1.0.1')}`,
    ],
    [
      'a release has no module',
      'damaged',
      (path) => sql(path, 'PRAGMA foreign_keys = OFF; UPDATE releases SET module = 9 WHERE id = 2'),
      'PATH: row 2 of releases refers to a row of modules that does not exist',
    ],
    [
      'a document does not decode',
      'damaged',
      (path) =>
        sql(path, `UPDATE releases SET content = '{"artifacts":7,"deprecated":null}' WHERE id = 2`),
      'acme:lidar: /releases/1/artifacts is the number 7, expected a list of at most 1000 artifacts',
    ],
  ])('keeps the earlier one if %s', async (_, kind, damage, finding) => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    const before = readFileSync(`${folder}/manifest.json`, 'utf8');
    rmSync(`${folder}/files/sha256/${FILE}`);
    damage(path);
    const result = await backUp(path, folder, NOON + 1000);
    expect(result).toMatchObject({
      kind,
      findings: expect.arrayContaining([finding.replace('PATH', `"${path}"`)]),
    });
    // Nor a part of it.
    expect(readdirSync(`${folder}/files/sha256`)).toEqual([]);
    expect(readFileSync(`${folder}/manifest.json`, 'utf8')).toBe(before);
    expect(existsSync(databaseIn(folder))).toBe(true);
  });

  it.each([
    'registry.db',
    'my-manifest.json',
    'manifest.json.bak',
    'files-of-mine',
    'registry-0123456789abcde.db',
    'backup.lock.old',
  ])('is not written into a folder with %s', async (name) => {
    const { path, folder } = site();
    mkdirSync(folder);
    writeFileSync(`${folder}/${name}`, '');
    expect(await backUp(path, folder, NOON)).toEqual({ kind: 'other-folder', name });
    expect(readdirSync(folder)).toEqual([name]);
  });

  it('says why the folder cannot be written', async () => {
    const { path, folder } = site();
    writeFileSync(folder, 'a file');
    await expect(backUp(path, folder, NOON)).rejects.toMatchObject({
      kind: 'unwritable',
      message: `"${folder}": it cannot be used (EEXIST)`,
    });
  });

  it('[T850] says that the folder is in a place that takes no folders', async () => {
    await expect(backUp(site().path, '/proc/modreg/backup', NOON)).rejects.toMatchObject({
      kind: 'unwritable',
      message: '"/proc/modreg/backup": it cannot be used (ENOENT)',
    });
  });
});
