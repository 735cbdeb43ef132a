import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { ModuleId } from '../core/index.ts';
import { nameOf, namespaceOf } from '../core/releases/module-id.ts';
import { quote } from '../core/text/quote.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { openDatabase, snapshot, transaction, translated } from '../sqlite/database.ts';
import { statementsOf, type Row, type Statements } from '../sqlite/statements.ts';
import type { Changes, ModuleSummary, PublishResult, YankResult } from './catalogue-results.ts';
import { SCHEMA } from './catalogue-schema.ts';
import { historyOf, inodeOf } from './file-identity.ts';
import { makeDocument, type ModuleDocument } from './module-document.ts';
import { contentOf, type PublishedRelease } from './published-release.ts';
import { hashOf, newToken } from './token.ts';

type ModuleRow = { readonly id: number; readonly generation: number };
type CachedDocument = ModuleDocument & { readonly generation: number };

const BUSY_TIMEOUT_MS = 5000;
/** The size of the document cache, in bytes. */
const CACHE_BYTES = 64 * 1024 * 1024;

/**
 * The releases and tokens of a registry in one SQLite file, which several processes may share. When a method
 * returns, its change is on the disk. The constructor and each method throw a DatabaseError if the file cannot
 * be used.
 *
 * @example
 * ```ts
 * import { parseModuleId } from 'modreg';
 * import { Catalogue, readRelease } from 'modreg/server';
 *
 * const lidar = parseModuleId('acme:lidar');
 * const release = readRelease({ version: '1.2.9' });
 * if (!lidar.ok || !release.ok) throw new Error('bad input');
 * const catalogue = new Catalogue('registry.db', { mode: 'create' });
 * console.log(catalogue.publish(lidar.value, release.value, Date.now())); // published
 * console.log(catalogue.yank(lidar.value, '1.2.9', 'loses points in rain')); // done
 * catalogue.close();
 * ```
 */
export class Catalogue {
  /** @internal */
  readonly path: string;
  readonly #database: DatabaseSync;
  /** Identifies the opened file, because its path may point to another file later. */
  readonly #inode: number | undefined;
  readonly #history: string;
  readonly #sql: Statements;
  readonly #documents: LRUCache<string, CachedDocument> = new LRUCache({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });

  /**
   * Opens the file at `path`, which must exist unless the mode is `create`; `read` also accepts a file that cannot
   * be written. A method waits up to `busyTimeoutMs` milliseconds for a lock of another process, and blocks meanwhile.
   */
  constructor(
    path: string,
    {
      mode = 'write',
      busyTimeoutMs = BUSY_TIMEOUT_MS,
    }: { readonly mode?: 'create' | 'write' | 'read'; readonly busyTimeoutMs?: number } = {},
  ) {
    this.path = path;
    this.#database = openDatabase(path, SCHEMA, { mode, busyTimeoutMs });
    this.#sql = statementsOf(this.#database, path);
    this.#inode = inodeOf(path);
    this.#history = historyOf(path);
  }

  /** Closes the file. Closing it again does nothing. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  /**
   * Publishes a release. Its publish time is `now`, in milliseconds since the epoch, unless it has one. A published
   * version never changes: different content is refused, and the same content changes nothing.
   */
  publish(moduleId: ModuleId, release: PublishedRelease, now: number): PublishResult {
    const [publication] = this.publishAll(moduleId, [release], now);
    return publication ?? 'unchanged';
  }

  /** Publishes releases in order: all of them, or none if one exists with different content. One result for each. */
  publishAll(
    moduleId: ModuleId,
    releases: readonly PublishedRelease[],
    now: number,
  ): readonly PublishResult[] {
    return this.#change(() => {
      const results = releases.map((release) => this.#resultOf(moduleId, release));
      if (results.includes('other-content')) return results;
      for (const [place, release] of releases.entries()) {
        // Checked again, because the list may contain a version twice.
        const result = this.#resultOf(moduleId, release);
        if (result === 'published') this.#add(moduleId, release, now);
        else results[place] = result;
        const isYanked = this.#yankAsPublished(moduleId, release);
        if (isYanked && result === 'unchanged') results[place] = 'yanked';
      }
      return results;
    });
  }

  /** Yanks a release that is published as yanked, such as one imported from another registry. Never unyanks. */
  #yankAsPublished(moduleId: ModuleId, { version, yanked }: PublishedRelease): boolean {
    const module = this.#module(moduleId);
    const before = module && this.#release(module, version);
    if (!before || yanked === undefined || before['yanked'] !== null) return false;
    this.#sql.run('UPDATE releases SET yanked = ? WHERE id = ?', yanked, Number(before['id']));
    this.#touch(module.id);
    return true;
  }

  /** @internal Whether a version is published. */
  has(moduleId: ModuleId, version: string): boolean {
    const module = this.#module(moduleId);
    return module !== undefined && this.#release(module, version) !== undefined;
  }

  /** The result that publishing `release` would have. */
  #resultOf(moduleId: ModuleId, release: PublishedRelease): PublishResult {
    const module = this.#module(moduleId);
    const before = module && this.#release(module, release.version);
    if (!before) return 'published';
    const { publishedAt = before['published_at'] } = release;
    const isSame =
      before['content'] === contentOf(release) && before['published_at'] === publishedAt;
    return isSame ? 'unchanged' : 'other-content';
  }

  #add(moduleId: ModuleId, release: PublishedRelease, now: number): void {
    const id = this.#module(moduleId)?.id ?? this.#addModule(moduleId);
    this.#sql.run(
      'INSERT INTO releases (module, version, published_at, content) VALUES (?, ?, ?, ?)',
      id,
      release.version,
      release.publishedAt ?? now,
      contentOf(release),
    );
    this.#touch(id);
  }

  /** Yanks a release for `reason`, which may be empty; null unyanks it. `version` must be exactly as published. */
  yank(moduleId: ModuleId, version: string, reason: string | null): YankResult {
    return this.#change(() => {
      const module = this.#module(moduleId);
      if (!module) return 'unknown-module';
      const release = this.#release(module, version);
      if (!release) return 'unknown-version';
      if (release['yanked'] === reason) return 'unchanged';
      this.#sql.run('UPDATE releases SET yanked = ? WHERE id = ?', reason, Number(release['id']));
      this.#touch(module.id);
      return 'done';
    });
  }

  /** @internal The document that the registry serves for a module; undefined if the module has no releases. */
  document(moduleId: ModuleId): ModuleDocument | undefined {
    const known = this.#documents.get(moduleId);
    if (known && known.generation === this.#module(moduleId)?.generation) return known;
    return this.#read(() => {
      const module = this.#module(moduleId);
      if (!module) return undefined;
      const document = this.#makeDocument(moduleId, module);
      this.#documents.set(moduleId, document);
      return document;
    });
  }

  /** The ids of all modules, or of those in `namespace`, sorted. */
  modules(namespace?: string): ModuleId[] {
    const rows = this.#sql.all(
      `SELECT namespace || ':' || name AS id FROM modules
       WHERE ?1 IS NULL OR namespace = ?1 ORDER BY namespace, name`,
      namespace ?? null,
    );
    return rows.map(moduleIdIn);
  }

  /** @internal All modules, or those in `namespace`, sorted by id. */
  summaries(namespace?: string): ModuleSummary[] {
    const rows = this.#sql.all(
      `SELECT namespace || ':' || name AS id, generation,
         (SELECT count(*) FROM releases WHERE module = modules.id) AS count
       FROM modules WHERE ?1 IS NULL OR namespace = ?1 ORDER BY namespace, name`,
      namespace ?? null,
    );
    return rows.map((row) => ({
      moduleId: moduleIdIn(row),
      generation: Number(row['generation']),
      count: Number(row['count']),
    }));
  }

  /** @internal The modules that changed after the sequence number `after`. */
  changes(after: number): Changes {
    return this.#read(() => {
      const sequence = this.sequence();
      const history = this.#history;
      if (after >= sequence) return { history, sequence, modules: [] };
      const rows = this.#sql.all(
        `SELECT namespace || ':' || name AS id FROM modules WHERE sequence > ? ORDER BY sequence`,
        after,
      );
      return { history, sequence, modules: rows.map(moduleIdIn) };
    });
  }

  /** @internal The sequence number of the last change; 0 for a new catalogue. */
  sequence(): number {
    this.#checkFile();
    return Number(this.#sql.get('SELECT sequence FROM catalogue')?.['sequence']);
  }

  /** Creates a bearer token that may publish and yank. The catalogue stores only its hash and the time `now`. */
  createToken(now: number): string {
    const token = newToken();
    this.#change(() => {
      this.#sql.run('INSERT INTO tokens (hash, created_at) VALUES (?, ?)', hashOf(token), now);
    });
    return token;
  }

  /** @internal Whether this catalogue created `token`. */
  isToken(token: string): boolean {
    return this.#sql.get('SELECT 1 FROM tokens WHERE hash = ?', hashOf(token)) !== undefined;
  }

  #module(moduleId: ModuleId): ModuleRow | undefined {
    const row = this.#sql.get(
      'SELECT id, generation FROM modules WHERE namespace = ? AND name = ?',
      namespaceOf(moduleId),
      nameOf(moduleId),
    );
    return row && { id: Number(row['id']), generation: Number(row['generation']) };
  }

  #release(module: ModuleRow, version: string): Row | undefined {
    return this.#sql.get(
      'SELECT * FROM releases WHERE module = ? AND version = ?',
      module.id,
      version,
    );
  }

  #addModule(moduleId: ModuleId): number {
    const added = this.#sql.run(
      'INSERT INTO modules (namespace, name, generation, sequence) VALUES (?, ?, 0, 0)',
      namespaceOf(moduleId),
      nameOf(moduleId),
    );
    return Number(added.lastInsertRowid);
  }

  /** Records that a module changed. */
  #touch(id: number): void {
    this.#sql.run('UPDATE catalogue SET sequence = sequence + 1');
    this.#sql.run(
      `UPDATE modules SET generation = generation + 1,
         sequence = (SELECT sequence FROM catalogue) WHERE id = ?`,
      id,
    );
  }

  #makeDocument(moduleId: ModuleId, { id, generation }: ModuleRow): CachedDocument {
    const rows = this.#sql.all('SELECT * FROM releases WHERE module = ? ORDER BY id', id);
    const releases = rows.map((row) => ({
      version: String(row['version']),
      publishedAt: Number(row['published_at']),
      content: String(row['content']),
      yanked: row['yanked'] === null ? null : String(row['yanked']),
    }));
    return { generation, ...makeDocument(moduleId, generation, releases) };
  }

  #read<T>(work: () => T): T {
    return translated(this.path, () => snapshot(this.#database, work));
  }

  /** Throws if another file, or none, is at the path: a change to the opened file would then be lost. */
  #checkFile(): void {
    if (inodeOf(this.path) === this.#inode) return;
    throw new DatabaseError('missing', `${quote(this.path)}: the file was replaced or removed`);
  }

  #change<T>(work: () => T): T {
    this.#checkFile();
    return translated(this.path, () => transaction(this.#database, work));
  }
}

/** Only #addModule writes ids, and each is a ModuleId. */
function moduleIdIn(row: Row): ModuleId {
  return String(row['id']) as ModuleId;
}
