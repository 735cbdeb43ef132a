import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { checkBackup } from '../../src/server/backup/backup-folder.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { DatabaseError } from '../../src/sqlite/database-error.ts';
import { databaseIn, FILE, NOON, sha256Of, site } from '../support/backups.ts';
import { randomFrom } from '../support/mutate.ts';

const PAGE = 4096;

type Damage = (bytes: Buffer, random: number) => Buffer;

/** With the least number of findings: SQLite does not notice a change in a value, or in unused space such as the end of an empty page. */
const DAMAGES: readonly (readonly [string, number, Damage])[] = [
  ['cut off', 0, (bytes, random) => bytes.subarray(0, Math.floor(random * bytes.length))],
  [
    'cut off after a page',
    1,
    (bytes, random) => bytes.subarray(0, PAGE * Math.floor((random * bytes.length) / PAGE)),
  ],
  [
    'a page of zeros',
    0,
    (bytes, random) => {
      const at = PAGE * Math.floor((random * bytes.length) / PAGE);
      return Buffer.from(bytes).fill(0, at, at + PAGE);
    },
  ],
  ['a page of zeros at the beginning', 1, (bytes) => Buffer.from(bytes).fill(0, 0, PAGE)],
  [
    'a flipped bit',
    0,
    (bytes, random) => {
      const damaged = Buffer.from(bytes);
      const at = Math.floor(random * bytes.length);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << Math.floor((random * 1e6) % 8));
      return damaged;
    },
  ],
];

/** Gives the damaged database of a backup the checksum that the manifest names. */
function signAgain(folder: string, database: string, bytes: Buffer): string {
  const sha256 = sha256Of(bytes);
  const name = `registry-${sha256.slice(0, 16)}.db`;
  const path = `${folder}/manifest.json`;
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as object;
  const signed = { ...manifest, database: { size: bytes.length, sha256, name } };
  writeFileSync(path, JSON.stringify(signed));
  renameSync(database, `${folder}/${name}`);
  return `${folder}/${name}`;
}

/** The findings that do not begin with the path of the damaged file. */
function unnamed(findings: readonly string[], path: string): readonly string[] {
  return findings.filter((finding) => !finding.startsWith(`"${path}": `));
}

/** What is wrong with a registry. Throws any error that does not say what is wrong with the file. */
function wrongIn(path: string): readonly string[] {
  try {
    return checkRegistry(path).findings;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return [error.message];
  }
}

it.each(DAMAGES)('[T104] a backup whose database is damaged: %s', async (_, least, damage) => {
  const { path, folder } = site();
  await backUp(path, folder, NOON);
  let database = databaseIn(folder);
  const bytes = readFileSync(database);
  const random = randomFrom(104);
  for (let round = 0; round < 25; round++) {
    const damaged = damage(bytes, random());
    if (damaged.equals(bytes)) continue;
    writeFileSync(database, damaged);
    const { manifest, findings } = checkBackup(folder);
    expect([manifest?.sequence, findings.length]).toEqual([2, 1]);
    // Even if the checksum is right, no damage is an error of another kind.
    database = signAgain(folder, database, damaged);
    const { findings: named } = checkBackup(folder);
    expect(unnamed(named, database)).toEqual([]);
    expect(named.length).toBeGreaterThanOrEqual(least);
    database = signAgain(folder, database, bytes);
  }
});

it.each(DAMAGES)('[T104] a registry whose database is damaged: %s', (_, least, damage) => {
  const { path } = site();
  const bytes = readFileSync(path);
  const random = randomFrom(105);
  for (let round = 0; round < 25; round++) {
    writeFileSync(path, damage(bytes, random()));
    const findings = wrongIn(path);
    expect(unnamed(findings, path)).toEqual([]);
    expect(findings.length).toBeGreaterThanOrEqual(least);
  }
});

it('[T104] everything that is wrong is named, and nothing is restored', async () => {
  const { path, folder, home } = site();
  await backUp(path, folder, NOON);
  const database = databaseIn(folder);
  const bytes = readFileSync(database);
  writeFileSync(database, bytes.subarray(0, 2 * PAGE));
  rmSync(`${folder}/files/sha256/${FILE}`);
  const cut = sha256Of(bytes.subarray(0, 2 * PAGE));
  expect(checkBackup(folder).findings).toEqual([
    `"${database}": it has 8192 bytes and the sha256 ${cut}, expected ${bytes.length} bytes and ${sha256Of(bytes)}`,
    `the hosted file sha256:${FILE}: there is no such file`,
  ]);
  const result = restore(folder, `${home}/new.db`, { replaces: false, now: NOON });
  expect(result).toMatchObject({ kind: 'damaged', findings: { length: 2 } });
  rmSync(database);
  expect(checkBackup(folder).findings).toEqual([
    `"${database}": there is no such file`,
    `the hosted file sha256:${FILE}: there is no such file`,
  ]);
});
