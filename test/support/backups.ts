import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from './ask.ts';
import { temporaryFolder } from './folder.ts';

export const NOON: number = Date.parse('2026-11-22T12:00:00Z');
export const LIDAR = 'acme:lidar';

/** The sha256 of a text or of bytes, in hexadecimal. */
export function sha256Of(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Publishes a release; with `file`, it has an artifact that the registry at `path` hosts. */
export function publish(path: string, id: string, version: string, file?: string): void {
  const catalogue = new Catalogue(path, { mode: 'create' });
  const sha256 = sha256Of(file ?? '');
  if (file !== undefined) {
    mkdirSync(`${path}-files/sha256`, { recursive: true });
    writeFileSync(`${path}-files/sha256/${sha256}`, file);
  }
  const url = `../../artifacts/sha256/${sha256}`;
  const artifact = { platform: 'any', url, digest: `sha256:${sha256}`, size: file?.length };
  const release = readRelease({
    version,
    ...(file === undefined ? {} : { artifacts: [artifact] }),
  });
  if (!release.ok) throw new Error(release.error.join());
  const result = catalogue.publish(moduleId(id), release.value, NOON);
  catalogue.close();
  if (result !== 'published') throw new Error(result);
}

/** A registry with two releases, one of which has a hosted file, and a folder for backups. */
export function site(): { readonly path: string; readonly folder: string; readonly home: string } {
  const home = temporaryFolder();
  const path = `${home}/registry.db`;
  publish(path, LIDAR, '1.0.0', 'lidar 1.0.0');
  publish(path, LIDAR, '1.1.0');
  return { path, folder: `${home}/backup`, home };
}

/** The name of the database of the backup in `folder`. */
export function databaseIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => /^registry-.*\.db$/.test(name));
  return `${folder}/${names.join()}`;
}

/** The documents of a registry, as text. */
export function documentsOf(path: string): string {
  // Opening a database changes it.
  const copy = `${temporaryFolder()}/registry.db`;
  copyFileSync(path, copy);
  const catalogue = new Catalogue(copy);
  try {
    return catalogue
      .modules()
      .map((id) => Buffer.from(catalogue.document(id)?.bytes ?? []).toString())
      .join('');
  } finally {
    catalogue.close();
  }
}

/** The sha256 of the hosted file of a site. */
export const FILE: string = sha256Of('lidar 1.0.0');

/** Generation, count and versions of a module. */
export function listOf(path: string, id: string): readonly unknown[] {
  const catalogue = new Catalogue(path, { mode: 'read' });
  const document = catalogue.document(moduleId(id));
  catalogue.close();
  const { generation, count, releases } = JSON.parse(
    Buffer.from(document?.bytes ?? []).toString() || '{}',
  ) as { generation: number; count: number; releases: { version: string }[] };
  return [generation, count, ...releases.map(({ version }) => version)];
}

/** Runs SQL on the database at `path`. */
export function sql(path: string, statement: string): void {
  const database = new DatabaseSync(path);
  database.exec(statement);
  database.close();
}

/** Runs SQL as if a table were not STRICT: a column may get a value of any type, as from a damaged disk. */
export function withoutTypes(path: string, table: string, statement: string): void {
  const altered = (text: string): void => {
    const crafting = new DatabaseSync(path, { defensive: false });
    crafting.exec(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = ${text} WHERE type = 'table' AND name = '${table}';
      PRAGMA writable_schema = RESET`);
    crafting.close();
  };
  altered(`substr(sql, 1, length(sql) - length(' STRICT'))`);
  sql(path, statement);
  altered(`sql || ' STRICT'`);
}
