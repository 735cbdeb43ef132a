import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { quote } from '../../core/text/quote.ts';
import { giveName } from '../../files/replace-file.ts';
import { syncFile } from '../../files/sync.ts';
import { asDatabaseError } from '../../sqlite/database-error.ts';
import { openDatabase } from '../../sqlite/database.ts';
import { holdExclusively } from '../../sqlite/exclusive-lock.ts';
import { createPrivate } from '../../sqlite/private-file.ts';
import { openCopy } from '../../sqlite/other-openings.ts';
import { statementsOf } from '../../sqlite/statements.ts';
import { artifactPath, namesIn } from '../artifacts/artifact-store.ts';
import { SCHEMA } from '../catalogue/catalogue-schema.ts';
import { catalogueFindings, contentsOf, type Contents, type Finding } from './catalogue-check.ts';
import { copyDurably, isSame, makeDurableFolders, PART, summaryOf } from './durable-files.ts';
import { mismatch } from './file-check.ts';
import { asFolderError } from './folder-error.ts';
import { DATABASE, databaseOf, manifestOf, writeManifest, type Manifest } from './manifest.ts';
import { backupFile } from './backup-folder.ts';

/** The database while it is copied, and its journal. */
const COPY = `registry.db${PART}`;
const LOCK = 'backup.lock';
/** All names in a folder with a backup, complete or not. */
const OWN_NAMES =
  /^(manifest\.json(\.part)?|registry-[0-9a-f]{16}\.db|registry\.db\.part(-[a-z]+)?|files|backup\.lock(-[a-z]+)?)$/;
const BUSY_TIMEOUT_MS = 5000;
/** All pages in one step: after a change by another process, SQLite would begin again. */
const ALL_PAGES = 2 ** 31 - 1;

/** The result of a backup. Only `done` changed the backup in the folder. */
export type BackupResult =
  | { readonly kind: 'done'; readonly manifest: Manifest }
  /** The folder contains something else. */
  | { readonly kind: 'other-folder'; readonly name: string }
  /** The registry is damaged, so that its copy would replace a good backup. */
  | { readonly kind: 'damaged'; readonly findings: readonly Finding[] }
  /** Only hosted files are missing or damaged. */
  | { readonly kind: 'damaged-files'; readonly findings: readonly Finding[] };

/**
 * Copies the registry at `path` to `folder`, also while it is served and changed. The folder is new or has an earlier
 * backup, which is kept until the new one is complete and on the disk (T75). Throws a DatabaseError.
 */
export async function backUp(path: string, folder: string, now: number): Promise<BackupResult> {
  try {
    makeDurableFolders(folder);
    const name = readdirSync(folder).find((one) => !OWN_NAMES.test(one));
    if (name !== undefined) return { kind: 'other-folder', name };
    const release = holdExclusively(`${folder}/${LOCK}`, BUSY_TIMEOUT_MS);
    try {
      return await written(path, folder, now);
    } finally {
      release();
    }
  } catch (error) {
    throw asFolderError(folder, error);
  }
}

async function written(path: string, folder: string, now: number): Promise<BackupResult> {
  const part = `${folder}/${COPY}`;
  removeNames(folder, (name) => name.startsWith(COPY));
  await copyDatabase(path, part);
  const copy = openCopy(part);
  let contents: Contents;
  try {
    const findings = [...catalogueFindings(copy, part)].map((line) =>
      line.replaceAll(quote(part), quote(path)),
    );
    if (findings.length > 0) return { kind: 'damaged', findings };
    contents = contentsOf(statementsOf(copy, part));
  } finally {
    copy.close();
  }
  const missing = copyFiles(path, folder, contents.files);
  if (missing.length > 0) return { kind: 'damaged-files', findings: missing };
  const database = databaseOf(summaryOf(part));
  giveName(part, `${folder}/${database.name}`);
  const manifest = manifestOf(contents, database, now);
  writeManifest(folder, manifest);
  removeEarlier(folder, manifest);
  return { kind: 'done', manifest };
}

async function copyDatabase(path: string, part: string): Promise<void> {
  const source = openDatabase(path, SCHEMA, { mode: 'write', busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    createPrivate(part);
    await backup(source, part, { rate: ALL_PAGES });
  } catch (error) {
    throw asDatabaseError(error, path);
  } finally {
    source.close();
  }
  // The copy is one file, which needs no log beside it.
  const copy = openDatabase(part, SCHEMA, { mode: 'write', busyTimeoutMs: BUSY_TIMEOUT_MS });
  withoutLog(copy);
  chmodSync(part, 0o600);
  syncFile(part);
}

/** Moves the write-ahead log of an open database into its file, and closes it. */
export function withoutLog(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA journal_mode = DELETE');
  } finally {
    database.close();
  }
}

/** Copies the hosted files that an earlier backup does not have yet. Those that cannot be copied are findings. */
function copyFiles(path: string, folder: string, files: ReadonlyMap<string, number>): Finding[] {
  if (files.size === 0) return [];
  makeDurableFolders(`${folder}/files/sha256`);
  const findings: Finding[] = [];
  for (const [sha256, size] of files) {
    const place = backupFile(folder, sha256);
    if (existsSync(place) && mismatch(place, sha256, size) === undefined) continue;
    const source = artifactPath(path, sha256);
    const found = existsSync(source) ? copyDurably(source, place, { sha256, size }) : undefined;
    if (found && isSame(found, { sha256, size })) continue;
    const differs = found
      ? `it has ${found.size} bytes and the sha256 ${found.sha256}`
      : 'there is no such file';
    findings.push(`the hosted file sha256:${sha256}: ${differs}`);
  }
  return findings;
}

/** What the new manifest does not name is no longer needed. */
function removeEarlier(folder: string, { database, files }: Manifest): void {
  removeNames(
    folder,
    (name) => (DATABASE.test(name) && name !== database.name) || name.startsWith(COPY),
  );
  const kept = new Set(files.map(({ sha256 }) => sha256));
  removeNames(`${folder}/files/sha256`, (name) => !kept.has(name));
}

function removeNames(folder: string, isUnneeded: (name: string) => boolean): void {
  for (const name of namesIn(folder))
    if (isUnneeded(name)) rmSync(`${folder}/${name}`, { force: true });
}
