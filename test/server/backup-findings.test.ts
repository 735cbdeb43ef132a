import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { checkBackup } from '../../src/server/backup/backup-folder.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { databaseIn, FILE, NOON, sha256Of, site, sql } from '../support/backups.ts';

function edit(folder: string, from: string | RegExp, to: string): void {
  const path = `${folder}/manifest.json`;
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}

/** Gives the changed database of a backup the name and checksum that its manifest needs. */
function signAgain(folder: string): void {
  const before = databaseIn(folder);
  const bytes = readFileSync(before);
  const sha256 = sha256Of(bytes);
  const name = `registry-${sha256.slice(0, 16)}.db`;
  renameSync(before, `${folder}/${name}`);
  const database = JSON.stringify({ name, size: bytes.length, sha256 });
  edit(folder, /"database": \{[^}]*\}/, `"database": ${database}`);
}

const CREATES = { replaces: false, now: NOON };

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
      'other numbers in everything that it counts',
      (folder) => {
        for (const key of ['sequence', 'modules', 'tokens'])
          edit(folder, new RegExp(`"${key}": \\d+`), `"${key}": 7`);
        edit(folder, /"history": "\w+"/, '"history": "x"');
      },
      () => [
        expect.stringMatching(/^manifest\.json: history is x, and the database has \w{32}$/),
        'manifest.json: sequence is 7, and the database has 2',
        'manifest.json: modules is 7, and the database has 1',
        'manifest.json: tokens is 7, and the database has 0',
      ],
    ],
    ...(
      [
        [/"schema": "[^"]*"/, '"schema": "x"', '/schema expected "modreg/registry-backup@1"'],
        [/"created_at": "[^"]*"/, '"created_at": 7', '/created_at expected text'],
        [/"history": "\w+"/, '"history": 7', '/history expected text'],
        ['"tokens": 0', '"tokens": "0"', '/tokens expected a number'],
        ['"tokens": 0', '"tokens": 0.5', '/tokens expected a whole number'],
        ['"tokens": 0', '"tokens": -1', '/tokens expected 0 or more'],
        [/"files": \[[^\]]*\]/, '"files": 7', '/files expected a list'],
        [`"sha256": "${FILE}"`, '"sha256": "ab"', '/files/0/sha256 expected 64 hexadecimal digits'],
        ['"size": 11', '"size": 11, "path": "x"', '/files/0/path '],
        ['"tokens": 0', '"tokens": 0, "x": 1', '/x expected the fields of a manifest'],
      ] as const
    ).map(([from, to, finding]): [string, (folder: string) => void, () => unknown[]] => [
      `a manifest with ${to}`,
      (folder) => edit(folder, from, to),
      () => [expect.stringContaining(finding)],
    ]),
    [
      'a file that no release lists',
      (folder) => {
        writeFileSync(`${folder}/files/sha256/${sha256Of('x')}`, 'x');
        edit(folder, '"files": [', `"files": [{"sha256": "${sha256Of('x')}", "size": 1},`);
      },
      () => ['manifest.json: its files are not those that the releases list'],
    ],
    [
      'the database of another program',
      (folder) => {
        sql(databaseIn(folder), 'PRAGMA application_id = 7');
        signAgain(folder);
      },
      (folder) => [`"${databaseIn(folder)}": it is not a registry that this modreg can use`],
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
        'acme:lidar: /releases/1/platforn: unknown field; a release has version, published_at, artifacts, deprecated, yanked, requires, floor, signatures, yank_signatures and rollout',
      ],
    ],
    [
      '[T225] text that is not JSON',
      "UPDATE releases SET content = '{x}' WHERE id = 2",
      [
        expect.stringMatching(
          /^"[^"]+": row 2 of releases, column content: the content of acme:lidar 1\.\d+\.\d+ is not that of a release$/,
        ),
      ],
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
      'no sequence',
      'DELETE FROM catalogue',
      [expect.stringMatching(/^"[^"]+": 0 sequences, expected one$/)],
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
