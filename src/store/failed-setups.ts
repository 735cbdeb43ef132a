import { createHmac } from 'node:crypto';
import type { QuarantineEntry } from '../core/plan/machine-memory.ts';
import { retryUnder } from '../core/releases/retry.ts';
import type { Statements } from '../sqlite/statements.ts';

/** The entry whose program failed. */
export interface FailedSetup {
  /** The key of its target. */
  readonly entry: string;
  /** What of the configuration reached its program. */
  readonly setup: string;
}

type Failed = Pick<QuarantineEntry, 'moduleId' | 'version'>;

/** The digests of entries under which releases have failed (D82). */
export interface FailedSetups {
  readonly key: string;
  /** By module, version and entry. */
  readonly digests: ReadonlyMap<string, readonly string[]>;
}

export function failedSetupsIn(sql: Statements): FailedSetups {
  const rows = sql.all('SELECT * FROM failed_setups');
  const digests = Map.groupBy(rows, (row) =>
    keyOf([row['module_id'], row['version'], row['entry']]),
  );
  return {
    key: keyIn(sql),
    digests: new Map(
      [...digests].map(([key, of]) => [key, of.map((row) => String(row['digest']))]),
    ),
  };
}

function keyIn(sql: Statements): string {
  return String(sql.get('SELECT key FROM entry_key')?.['key']);
}

function keyOf(parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

/** A quarantine as it is for an entry, whose edit may give the release another try (D82). */
export function withRetry(
  quarantined: QuarantineEntry,
  { entry, setup }: FailedSetup,
  { key, digests }: FailedSetups,
): QuarantineEntry {
  const failed = digests.get(keyOf([quarantined.moduleId, quarantined.version, entry]));
  if (!failed) return quarantined;
  const retry = retryUnder(failed, digestOf(setup, key));
  return retry === undefined ? quarantined : { ...quarantined, retry };
}

/** Notes that a release, which is in quarantine, failed under this entry. */
export function noteFailedSetup(
  sql: Statements,
  { moduleId, version }: Failed,
  { entry, setup }: FailedSetup,
): void {
  sql.run(NOTE, moduleId, version, entry, digestOf(setup, keyIn(sql)));
}

const NOTE = `
  INSERT OR IGNORE INTO failed_setups (module_id, version, entry, digest) VALUES (?, ?, ?, ?)`;

export function hasFailedSetups(sql: Statements, { moduleId, version }: Failed): boolean {
  const some = 'SELECT 1 FROM failed_setups WHERE module_id = ? AND version = ? LIMIT 1';
  return sql.get(some, moduleId, version) !== undefined;
}

/** From now on no edit gives the release another try. */
export function forgetFailedSetups(sql: Statements, { moduleId, version }: Failed): void {
  sql.run('DELETE FROM failed_setups WHERE module_id = ? AND version = ?', moduleId, version);
}

function digestOf(setup: string, key: string): string {
  return createHmac('sha256', key).update(setup).digest('hex');
}
