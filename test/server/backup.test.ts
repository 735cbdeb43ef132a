import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { checkBackup } from '../../src/server/backup/backup-folder.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
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

function edit(folder: string, from: string | RegExp, to: string): void {
  const path = `${folder}/manifest.json`;
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

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

  it.each<[string, (path: string) => void, string]>([
    [
      'a hosted file is missing',
      (path) => rmSync(`${path}-files/sha256/${FILE}`),
      `the hosted file sha256:${FILE}: there is no such file`,
    ],
    [
      'a hosted file has other bytes',
      (path) => writeFileSync(`${path}-files/sha256/${FILE}`, 'lidar 1.0.1'),
      `the hosted file sha256:${FILE}: it has 11 bytes and the sha256 ${sha256Of('lidar 1.0.1')}`,
    ],
    [
      'a document does not decode',
      (path) =>
        sql(path, `UPDATE releases SET content = '{"artifacts":7,"deprecated":null}' WHERE id = 2`),
      'acme:lidar: /releases/1/artifacts is the number 7, expected a list of at most 1000 artifacts',
    ],
  ])('keeps the earlier one if %s', async (_, damage, finding) => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    const before = readFileSync(`${folder}/manifest.json`, 'utf8');
    rmSync(`${folder}/files/sha256/${FILE}`);
    damage(path);
    const result = await backUp(path, folder, NOON + 1000);
    expect(result).toMatchObject({
      kind: expect.stringMatching(/^damaged/),
      findings: expect.arrayContaining([finding]),
    });
    expect(readFileSync(`${folder}/manifest.json`, 'utf8')).toBe(before);
    expect(existsSync(databaseIn(folder))).toBe(true);
  });

  it('is not written into a folder with other files', async () => {
    const { path, home } = site();
    expect(await backUp(path, home, NOON)).toEqual({ kind: 'other-folder', name: 'registry.db' });
  });

  it('says why the folder cannot be written', async () => {
    const { path, folder } = site();
    writeFileSync(folder, 'a file');
    await expect(backUp(path, folder, NOON)).rejects.toMatchObject({
      kind: 'unwritable',
      message: `"${folder}": it cannot be used (EEXIST)`,
    });
  });
});

describe('[T77] what is wrong with a backup', () => {
  it.each<[string, (folder: string) => void, (folder: string) => readonly unknown[]]>([
    [
      'no manifest',
      (folder) => rmSync(`${folder}/manifest.json`),
      (folder) => [
        `"${folder}/manifest.json": there is no such file, so this is not a complete backup`,
      ],
    ],
    [
      'a manifest that is not JSON',
      (folder) => writeFileSync(`${folder}/manifest.json`, '{'),
      (folder) => [`"${folder}/manifest.json": expected the fields of a manifest`],
    ],
    [
      'a manifest that names a file elsewhere',
      (folder) => edit(folder, /"name": "[^"]*"/, '"name": "../registry.db"'),
      (folder) => [`"${folder}/manifest.json": /database/name expected registry-<16 digits>.db`],
    ],
    [
      'other counts',
      (folder) => edit(folder, '"releases": 2', '"releases": 3'),
      () => ['manifest.json: releases is 3, and the database has 2'],
    ],
    [
      'other files',
      (folder) => edit(folder, '"size": 11', '"size": 12'),
      () => [
        'manifest.json: its files are not those that the releases list',
        `the hosted file sha256:${FILE}: it has 11 bytes, expected 12`,
      ],
    ],
    [
      'no database',
      (folder) => renameSync(databaseIn(folder), `${folder}/backup.lock`),
      () => [expect.stringMatching(/^".*registry-[0-9a-f]{16}\.db": there is no such file$/)],
    ],
    [
      'a database with more bytes',
      (folder) => appendFileSync(databaseIn(folder), 'x'),
      () => [
        expect.stringMatching(
          / bytes and the sha256 [0-9a-f]{64}, expected \d+ bytes and [0-9a-f]{64}$/,
        ),
      ],
    ],
    [
      'no hosted file',
      (folder) => rmSync(`${folder}/files/sha256/${FILE}`),
      () => [`the hosted file sha256:${FILE}: there is no such file`],
    ],
    [
      'a link instead of a hosted file',
      (folder) => {
        rmSync(`${folder}/files/sha256/${FILE}`);
        symlinkSync('/etc/hostname', `${folder}/files/sha256/${FILE}`);
      },
      () => [`the hosted file sha256:${FILE}: it is not a file`],
    ],
    [
      'a hosted file with other bytes',
      (folder) => writeFileSync(`${folder}/files/sha256/${FILE}`, 'lidar 1.0.1'),
      () => [
        `the hosted file sha256:${FILE}: its content has the sha256 ${sha256Of('lidar 1.0.1')}`,
      ],
    ],
  ])('%s', async (_, damage, findings) => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    damage(folder);
    expect(checkBackup(folder).findings).toEqual(findings(folder));
    const target = `${path}.restored`;
    expect(restore(folder, target, CREATES)).toMatchObject({ kind: 'damaged' });
    expect(existsSync(target)).toBe(false);
  });
});

describe('[T77] what is wrong with a registry', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'a version that is none',
      "UPDATE releases SET version = '1.0' WHERE id = 1",
      [
        'acme:lidar: /releases/0/version is "1.0"',
        'acme:lidar: /releases/0/version: "1.0" is not a version',
      ],
    ],
    [
      'a field that nothing writes',
      `UPDATE releases SET content = '{"deprecated":null,"platforn":1}' WHERE id = 2`,
      [
        'acme:lidar: /releases/1/platforn: unknown field; a release has version, published_at, artifacts, deprecated and yanked',
      ],
    ],
    [
      'text that is not JSON',
      "UPDATE releases SET content = '{x}' WHERE id = 2",
      [expect.stringContaining('acme:lidar: ')],
    ],
    [
      'a module id that is none',
      "UPDATE modules SET name = 'a b'",
      ['"acme:a b": "acme:a b" is not a module id'],
    ],
    [
      'a generation below the number of releases',
      'UPDATE modules SET generation = 1',
      ['acme:lidar: generation 1 with 2 releases, expected at least one for each'],
    ],
    [
      'a sequence that no module has',
      'UPDATE catalogue SET sequence = 7',
      ['the sequence is 7, and the last change of a module has 2'],
    ],
    [
      'a release without a module',
      'PRAGMA foreign_keys = OFF; UPDATE releases SET module = 9 WHERE id = 2',
      [expect.stringContaining('row 2 of releases refers to a row of modules')],
    ],
  ])('%s', (_, statement, findings) => {
    const { path } = site();
    sql(path, statement);
    expect(checkRegistry(path).findings).toEqual(findings);
  });

  it('a page with other bytes', () => {
    const { path } = site();
    sql(path, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096 + 8, 4096 + 100);
    writeFileSync(path, bytes);
    expect(checkRegistry(path).findings).not.toEqual([]);
  });
});
