import type { ModuleId } from '../../core/index.ts';
import { expectArgument } from '../../core/text/argument.ts';
import { MODULE_ID, nameOf, namespaceOf } from '../../core/releases/module-id.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import type { PublishResult } from './catalogue-results.ts';
import type { StoredRelease } from './module-document.ts';
import { findArtifact, keepArtifact } from '../artifacts/artifact-store.ts';
import { contentOf, hostedArtifacts, type PublishedRelease } from './published-release.ts';

/** A module that has a release. */
export interface ModuleRow {
  readonly id: number;
  readonly generation: number;
}

/** The module with this id; undefined if nothing was ever published for it. */
export function moduleIn(sql: Statements, moduleId: ModuleId): ModuleRow | undefined {
  const row = sql.get(
    'SELECT id, generation FROM modules WHERE namespace = ? AND name = ?',
    namespaceOf(moduleId),
    nameOf(moduleId),
  );
  return row && { id: Number(row['id']), generation: Number(row['generation']) };
}

export function releaseIn(sql: Statements, { id }: ModuleRow, version: string): Row | undefined {
  return sql.get('SELECT * FROM releases WHERE module = ? AND version = ?', id, version);
}

/** The releases of a module in the order of their publication. */
export function storedReleases(sql: Statements, { id }: ModuleRow): StoredRelease[] {
  const rows = sql.all('SELECT * FROM releases WHERE module = ? ORDER BY id', id);
  return rows.map((row) => ({
    version: String(row['version']),
    publishedAt: Number(row['published_at']),
    content: String(row['content']),
    yanked: row['yanked'] === null ? null : String(row['yanked']),
  }));
}

/** The names of its fields, its time and its punctuation. */
const RELEASE_BYTES = 70;

/** About the bytes of the list of a module; 0 if there is none. SQLite does not read the texts for it. */
export function storedSize(sql: Statements, moduleId: ModuleId): number {
  const row = sql.get(
    `SELECT sum(${RELEASE_BYTES} + octet_length(version) + octet_length(content) + coalesce(octet_length(yanked), 0)) AS size
     FROM releases WHERE module = ?`,
    moduleIn(sql, moduleId)?.id ?? null,
  );
  return Number(row?.['size'] ?? 0);
}

/** The result that publishing `release` would have. */
export function publishResultOf(
  sql: Statements,
  moduleId: ModuleId,
  release: PublishedRelease,
): PublishResult {
  const module = moduleIn(sql, moduleId);
  const before = module && releaseIn(sql, module, release.version);
  if (!before) {
    const isStored = hostedArtifacts(release).every(
      ({ sha256, size }) => findArtifact(sql.path, sha256)?.size === size,
    );
    return isStored ? 'published' : 'missing-file';
  }
  const { publishedAt = before['published_at'] } = release;
  const isSame = before['content'] === contentOf(release) && before['published_at'] === publishedAt;
  return isSame ? 'unchanged' : 'other-content';
}

/** Whether nothing of a list is published because of this result. */
export function isRefused(result: PublishResult): boolean {
  return result === 'other-content' || result === 'missing-file';
}

/** Adds a release that is not yet published. The caller has a transaction. */
export function addRelease(
  sql: Statements,
  moduleId: ModuleId,
  release: PublishedRelease,
  now: number,
): void {
  for (const { sha256 } of hostedArtifacts(release)) keepArtifact(sql.path, sha256);
  const id = moduleIn(sql, moduleId)?.id ?? addModule(sql, moduleId);
  sql.run(
    'INSERT INTO releases (module, version, published_at, content) VALUES (?, ?, ?, ?)',
    id,
    release.version,
    release.publishedAt ?? now,
    contentOf(release),
  );
  touch(sql, id);
}

/** Yanks a release for `reason`, or unyanks it if that is null. The caller has a transaction. */
export function setYanked(
  sql: Statements,
  module: ModuleRow,
  release: Row,
  reason: string | null,
): void {
  sql.run('UPDATE releases SET yanked = ? WHERE id = ?', reason, Number(release['id']));
  touch(sql, module.id);
}

/**
 * Yanks a release that is published as yanked, such as one imported from another registry. Never unyanks. Whether it
 * changed anything.
 */
export function yankAsPublished(
  sql: Statements,
  moduleId: ModuleId,
  { version, yanked }: PublishedRelease,
): boolean {
  const module = moduleIn(sql, moduleId);
  const before = module && releaseIn(sql, module, version);
  if (!before || yanked === undefined || before['yanked'] !== null) return false;
  setYanked(sql, module, before, yanked);
  return true;
}

function addModule(sql: Statements, moduleId: ModuleId): number {
  expectArgument('publish()', 'moduleId', moduleId, MODULE_ID);
  const added = sql.run(
    `INSERT INTO modules (namespace, name, generation, sequence)
     VALUES (?, ?, (SELECT first_generation FROM catalogue), 0)`,
    namespaceOf(moduleId),
    nameOf(moduleId),
  );
  return Number(added.lastInsertRowid);
}

/** Records that a module changed. */
function touch(sql: Statements, id: number): void {
  sql.run('UPDATE catalogue SET sequence = sequence + 1');
  sql.run(
    `UPDATE modules SET generation = generation + 1,
       sequence = (SELECT sequence FROM catalogue) WHERE id = ?`,
    id,
  );
}

/** Only addModule writes ids, and each is a ModuleId. */
export function moduleIdIn(row: Row): ModuleId {
  return String(row['id']) as ModuleId;
}
