import type { DatabaseSync } from 'node:sqlite';
import type { ModuleId, Result } from '../../core/index.ts';
import { snapshot, transaction, translated } from '../../sqlite/database.ts';
import { foundTwice } from '../../sqlite/database-error.ts';
import { expectWritable } from '../../sqlite/writable.ts';
import { statementsOf, type Statements } from '../../sqlite/statements.ts';
import type { Changes, ModuleSummary, PublishResult } from './catalogue-results.ts';
import { openCatalogueDatabase } from './catalogue-database.ts';
import { identityOf, type FileIdentity } from './file-identity.ts';
import { listedArtifacts } from './listed-artifacts.ts';
import { documentCache, makeDocument, type ModuleDocument } from './module-document.ts';
import type { PublishedRelease } from './published-release.ts';
import { catalogueRollouts, type CatalogueRollouts } from './catalogue-rollouts.ts';
import { moduleIdIn, moduleIn, releaseIn } from './module-row.ts';
import { publishReleases, storedReleases, storedSize } from './release-table.ts';
import { catalogueNotes, type CatalogueNotes } from './release-notes.ts';
import { FIRST_STEP_OF_NONE, rollingRelease, type FirstStep } from './rollout-start.ts';
import { catalogueTrust, type CatalogueTrust } from './trust-table.ts';
import { catalogueAccounts, type CatalogueAccounts } from '../accounts/catalogue-accounts.ts';
import { catalogueConfigs, type CatalogueConfigs } from '../configs/catalogue-configs.ts';
import { yankedReleases, type YankedRelease } from './yanked-releases.ts';
import { storesFile } from '../artifacts/artifact-store.ts';
import { applyChange } from './catalogue-change.ts';
import type { CatalogueChange, ChangeKind, ChangeResults } from './catalogue-change.ts';
import { changeLog, ownChange, type ChangeLog } from './change-log.ts';
import { addToken, revokeToken, tokensIn, tokenWith } from '../tokens/token-table.ts';
import { tokenUses } from '../tokens/token-uses.ts';
import type { StoredToken } from '../tokens/token.ts';

/**
 * The releases and tokens of a registry in one SQLite file, which several processes may share. When a method returns, its
 * change is on the disk. The constructor and each method throw a DatabaseError if the file cannot be used.
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
  readonly #identity: FileIdentity;
  /** @internal Called after each write of this object. */
  readonly watchers: Set<() => void> = new Set();
  readonly #sql: Statements;
  /** @internal The size of each hosted file that a release lists, by its sha256. */
  readonly listedArtifacts: () => ReadonlyMap<string, number>;
  /** @internal The staged rollouts. */
  readonly rollouts: CatalogueRollouts;
  /** @internal The trust documents. */
  readonly trust: CatalogueTrust;
  /** @internal The notes of releases. */
  readonly notes: CatalogueNotes;
  /** @internal The documents of machines. */
  readonly configs: CatalogueConfigs;
  /** @internal Who signs in to the page of a site. */
  readonly accounts: CatalogueAccounts;
  /** @internal For a front of a cluster. */
  readonly log: ChangeLog;
  /** @internal The first step of the rollout of a release that is published. */
  firstStep: FirstStep = FIRST_STEP_OF_NONE;
  /** @internal Records that a request used a token, once a minute. Never throws because the file cannot be written. */
  readonly recordUse: (token: StoredToken, now: number) => void;
  readonly #documents: ReturnType<typeof documentCache> = documentCache();

  /**
   * Opens the file at `path`, which must exist unless the mode is `create`; `read` also accepts a file that cannot
   * be written. The path `:memory:` is a new database in memory. A method waits up to `busyTimeoutMs` milliseconds for a lock of another process, and blocks meanwhile.
   */
  constructor(
    path: string,
    options: { readonly mode?: 'create' | 'write' | 'read'; readonly busyTimeoutMs?: number } = {},
  ) {
    this.path = path;
    this.#database = openCatalogueDatabase(path, options);
    this.#sql = statementsOf(this.#database, path);
    this.listedArtifacts = listedArtifacts(this.#sql);
    this.recordUse = tokenUses(this.#sql);
    this.#identity = identityOf(path);
    this.rollouts = catalogueRollouts(this.#sql);
    this.trust = catalogueTrust(this.#sql, (work) => this.#ownChange(work));
    this.configs = catalogueConfigs(this.#sql, (work) => this.#ownChange(work));
    this.accounts = catalogueAccounts(this.#sql, (work) => this.#ownChange(work));
    this.notes = catalogueNotes(this.#sql);
    this.log = changeLog(this.#sql, (work) => this.#change(work), this.configs.applied);
  }

  /** Closes the file. Closing it again does nothing. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  /**
   * Publishes a release at `now`, in milliseconds since the epoch, unless it has a publish time. A published version never changes:
   * different content is refused, and the same content changes nothing, except that signatures are added.
   */
  publish(moduleId: ModuleId, release: PublishedRelease, now: number): PublishResult {
    return this.publishAll(moduleId, [release], now)[0] ?? 'unchanged';
  }

  /** Publishes releases in order: all of them, or none if one exists with different content or lacks a file. One result for each. */
  publishAll(
    moduleId: ModuleId,
    releases: readonly PublishedRelease[],
    now: number,
  ): readonly PublishResult[] {
    return this.#ownChange(() =>
      publishReleases(this.#sql, moduleId, releases, {
        now,
        startOf: (release) => this.firstStep(moduleId, rollingRelease(release), now),
        hasFile: storesFile(this.path),
      }),
    );
  }

  /** @internal Makes a change of a single server. `by` says who makes it, where that is kept. */
  apply<K extends ChangeKind>(change: CatalogueChange<K>, by?: string): ChangeResults[K] {
    const hasFile = storesFile(this.path);
    const result = this.#ownChange(() => applyChange(this.#sql, change, { hasFile, by }));
    this.configs.applied(change);
    return result;
  }

  /** @internal Whether a published version is yanked; undefined if the version is not published. */
  isYanked(moduleId: ModuleId, version: string): boolean | undefined {
    const module = moduleIn(this.#sql, moduleId);
    const release = module && releaseIn(this.#sql, module, version);
    return release && release['yanked'] !== null;
  }

  /** @internal The yanked releases of a module. */
  readonly yanked = (moduleId: ModuleId): readonly YankedRelease[] =>
    yankedReleases(this.#sql, moduleId);

  /** Yanks a release for `reason`, which may be empty; null unyanks it. `version` must be exactly as published. Only `done` changed something. */
  yank(
    moduleId: ModuleId,
    version: string,
    reason: string | null,
    now: number = Date.now(),
  ): 'done' | 'unchanged' | 'unknown-module' | 'unknown-version' {
    return this.apply({ kind: 'yank', moduleId, version, reason, now });
  }

  /** @internal The document that the registry serves for a module; undefined if the module has no releases. */
  document(moduleId: ModuleId): ModuleDocument | undefined {
    const known = this.#documents.get(moduleId);
    if (known && known.generation === moduleIn(this.#sql, moduleId)?.generation) return known;
    return this.#read(() => {
      const module = moduleIn(this.#sql, moduleId);
      if (!module) return undefined;
      const document = {
        generation: module.generation,
        ...makeDocument(moduleId, module.generation, storedReleases(this.#sql, module)),
      };
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
      const history = this.history();
      if (after >= sequence) return { history, sequence, modules: [] };
      const rows = this.#sql.all(
        `SELECT namespace || ':' || name AS id FROM modules WHERE sequence > ? ORDER BY sequence`,
        after,
      );
      return { history, sequence, modules: rows.map(moduleIdIn) };
    });
  }

  /** @internal Identifies the series of changes that generations and sequence numbers count. */
  history(): string {
    const row = this.#sql.get('SELECT history, shared_history AS shared FROM catalogue');
    // All fronts of a cluster have the same, although each has another file.
    if (typeof row?.['shared'] === 'string') return row['shared'];
    return this.#identity.historyOf(String(row?.['history']));
  }

  /** @internal About the size of a release list in bytes, without reading it. */
  readonly listSize = (moduleId: ModuleId): number => storedSize(this.#sql, moduleId);
  /** @internal Throws a DatabaseError if the file cannot be written now. Writes nothing. */
  readonly expectWritable = (): void => expectWritable(this.#database, this.path);

  /** @internal The sequence number of the last change; 0 for a new catalogue. */
  sequence(): number {
    this.#identity.check();
    const row = foundTwice(() => this.#sql.get('SELECT sequence FROM catalogue'));
    return Number(row?.['sequence']);
  }

  /**
   * Creates a bearer token at the time `now`. The catalogue stores only its hash, so the result is the only place that
   * contains its text. The error is a line for a person: a wrong name or scope, a name in use, or an expiry in the past.
   */
  createToken(
    request: {
      /** Up to 63 letters, digits, `.`, `_` and `-`; no other token that is not revoked may have it. */
      readonly name: string;
      /**
       * `publish`, `yank` or `import` (publish with any publish time), each for all namespaces or for one
       * (`publish:acme`); `outcomes:<namespace>`; `machine:<id>`; `fleet:read`; `commands`; `trust`; `logs:read`. At least one.
       */
      readonly scopes: readonly string[];
      /** From when the token is refused, in milliseconds since the epoch; absent: never. */
      readonly expiresAt?: number | undefined;
    },
    now: number,
  ): Result<
    {
      /** Names the token in logs and in `revokeToken`. */
      readonly id: string;
      /** The text of the token. */
      readonly token: string;
    },
    string
  > {
    return this.#change(() => addToken(this.#sql, request, now));
  }

  /** All tokens that were ever created, the oldest first, without their texts. Times are milliseconds since the epoch. */
  tokens(): readonly {
    /** Names the token in logs and in `revokeToken`. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
    /** What it may do. */
    readonly scopes: readonly string[];
    /** When it was created. */
    readonly createdAt: number;
    /** From when it is refused; undefined: never. */
    readonly expiresAt: number | undefined;
    /** When a request last used it, to about a minute; undefined: never. */
    readonly lastUsedAt: number | undefined;
    /** When it was revoked; undefined if it was not. */
    readonly revokedAt: number | undefined;
  }[] {
    return tokensIn(this.#sql);
  }

  /** Revokes the token with this id or this text, or the one with this name that is not yet revoked. Only `done` changed something. */
  revokeToken(token: string, now: number): 'done' | 'unchanged' | 'unknown-token' {
    return this.#change(() => revokeToken(this.#sql, token, now));
  }

  /** @internal The token with this text; undefined if this catalogue did not create it. */
  readonly tokenWith = (text: string): StoredToken | undefined => tokenWith(this.#sql, text);
  #read<T>(work: () => T): T {
    return translated(this.path, () => snapshot(this.#database, work));
  }

  #ownChange<T>(work: () => T): T {
    return this.#change(() => ownChange(this.#sql, work));
  }

  #change<T>(work: () => T): T {
    this.#identity.check();
    const result = translated(this.path, () => transaction(this.#database, work));
    for (const watcher of this.watchers) watcher();
    return result;
  }
}
