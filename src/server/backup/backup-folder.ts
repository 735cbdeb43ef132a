import { existsSync, statSync } from 'node:fs';
import { quote } from '../../core/text/quote.ts';
import { asDatabaseError, DatabaseError } from '../../sqlite/database-error.ts';
import { isUsable, schemaIn } from '../../sqlite/schema.ts';
import { openCopy } from '../../sqlite/other-openings.ts';
import { statementsOf } from '../../sqlite/statements.ts';
import { SCHEMA } from '../catalogue/catalogue-schema.ts';
import { catalogueFindings, contentsOf, type Contents, type Finding } from './catalogue-check.ts';
import { isSame, summaryOf } from './durable-files.ts';
import { fileFindings } from './file-check.ts';
import { asFolderError } from './folder-error.ts';
import { manifestPath, readManifest, type Manifest } from './manifest.ts';

/** The path of a hosted file in a backup. */
export function backupFile(folder: string, sha256: string): string {
  return `${folder}/files/sha256/${sha256}`;
}

/** A backup that was checked. It can be restored if there are no findings. */
export interface CheckedBackup {
  readonly manifest: Manifest | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Checks the backup in `folder`: its manifest, its checksums, the database, and each hosted file (T77). Throws a DatabaseError
 * if it does not exist, or cannot be read.
 */
export function checkBackup(folder: string): CheckedBackup {
  try {
    const read = readManifest(folder);
    if (!read && !existsSync(folder)) {
      throw new DatabaseError('missing', `${quote(folder)}: there is no such folder`);
    }
    if (!read) {
      const found = `${quote(manifestPath(folder))}: there is no such file, so this is not a complete backup`;
      return { manifest: undefined, findings: [found] };
    }
    if (!read.ok) return { manifest: undefined, findings: [read.error] };
    return { manifest: read.value, findings: [...backupFindings(folder, read.value)] };
  } catch (error) {
    throw asFolderError(folder, error);
  }
}

function* backupFindings(folder: string, manifest: Manifest): Generator<Finding> {
  yield* databaseFindings(`${folder}/${manifest.database.name}`, manifest);
  const files = new Map(manifest.files.map(({ sha256, size }) => [sha256, size]));
  yield* fileFindings(files, (sha256) => backupFile(folder, sha256));
}

function* databaseFindings(path: string, manifest: Manifest): Generator<Finding> {
  const { database } = manifest;
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    yield `${quote(path)}: there is no such file`;
    return;
  }
  const found = summaryOf(path);
  if (!isSame(found, database)) {
    // It is not opened: SQLite only says in which ways other bytes are no database (T104).
    yield `${quote(path)}: it has ${found.size} bytes and the sha256 ${found.sha256}, expected ${database.size} bytes and ${database.sha256}`;
    return;
  }
  try {
    yield* contentFindings(path, manifest);
  } catch (error) {
    const damage = asDatabaseError(error, path);
    if (!(damage instanceof DatabaseError)) throw error;
    yield damage.message;
  }
}

function* contentFindings(path: string, manifest: Manifest): Generator<Finding> {
  const copy = openCopy(path);
  try {
    if (schemaIn(copy).applicationId !== SCHEMA.applicationId || !isUsable(copy, SCHEMA)) {
      yield `${quote(path)}: it is not a registry that this modreg can use`;
      return;
    }
    const findings = [...catalogueFindings(copy, path)];
    yield* findings;
    if (findings.length > 0) return;
    yield* differences(manifest, contentsOf(statementsOf(copy, path)));
  } finally {
    copy.close();
  }
}

function* differences(manifest: Manifest, contents: Contents): Generator<Finding> {
  for (const key of ['history', 'sequence', 'modules', 'releases', 'tokens'] as const) {
    if (manifest[key] === contents[key]) continue;
    yield `manifest.json: ${key} is ${manifest[key]}, and the database has ${contents[key]}`;
  }
  const listed = new Map(manifest.files.map(({ sha256, size }) => [sha256, size]));
  const isOther =
    listed.size !== contents.files.size ||
    [...contents.files].some(([sha256, size]) => listed.get(sha256) !== size);
  if (isOther) yield 'manifest.json: its files are not those that the releases list';
}
