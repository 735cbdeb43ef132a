import * as v from 'valibot';
import { tagOf, type ServedConfig } from '../../core/trust/served-config.ts';
import type { RefusedDocuments } from '../../registry/config-documents.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { machinesWithoutToken } from '../tokens/token-table.ts';
import {
  areNewest,
  pruneSources,
  writeSource,
  type ConfigSource,
  type FragmentRevision,
} from './source-table.ts';

/** A revision of a machine's documents, and who saved it. */
export interface StoredRevision extends ServedConfig {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly author: string;
  readonly reason: string;
}

/** What a person saves. */
export interface NewRevision extends Omit<StoredRevision, 'revision' | 'signatures'> {
  /** The newest revision that the person knows; 0 for none. */
  readonly basedOn: number;
  /** What it was made from; undefined if it uses no fragments. */
  readonly source?: ConfigSource | undefined;
  /** The fragments that they were compiled with; absent for a revision that is decided already, such as one in an event (D451). */
  readonly compiledWith?: readonly FragmentRevision[] | undefined;
}

/** What a machine said last of the documents of its site. */
export interface MachineAnswer {
  /** The revision that it runs; undefined if it runs its own documents. */
  readonly applied: number | undefined;
  /** The revision that it does not run, and why; undefined if it refuses none. */
  readonly refused: RefusedDocuments | undefined;
}

/**
 * `sourced`: the documents are the same, and made from other parts. `stale`: another revision was saved in the meantime (D265). `moved`: another
 * one of a fragment was (D451).
 */
export type SaveResult =
  | { readonly kind: 'saved' | 'unchanged' | 'sourced'; readonly revision: number }
  | { readonly kind: 'stale'; readonly newest: number }
  | { readonly kind: 'moved'; readonly newest: number };

/** Of each machine. */
const MOST_REVISIONS = 100;
/** More revisions than a registry loses. What a machine says it runs must not use up the numbers. */
const MOST_LOST = 10_000;

export function newestRevision(sql: Statements, machine: string): StoredRevision | undefined {
  const row = sql.get(
    'SELECT * FROM machine_configs WHERE machine = ? ORDER BY revision DESC LIMIT 1',
    machine,
  );
  return row && revisionIn(row);
}

/** What is served to a machine now, without reading its documents; empty if nothing is: each machine that waits asks it. */
export function newestTag(sql: Statements, machine: string): string {
  const row = sql.get(
    'SELECT revision, signatures FROM machine_configs WHERE machine = ? ORDER BY revision DESC LIMIT 1',
    machine,
  );
  if (!row) return '';
  const revision = Number(row['revision']);
  return tagOf({ revision, signatures: signaturesIn(row) });
}

export function revisionAt(
  sql: Statements,
  machine: string,
  revision: number,
): StoredRevision | undefined {
  const row = sql.get(
    'SELECT * FROM machine_configs WHERE machine = ? AND revision = ?',
    machine,
    revision,
  );
  return row && revisionIn(row);
}

/** The newest first. */
export function revisionsOf(sql: Statements, machine: string): readonly StoredRevision[] {
  return sql
    .all('SELECT * FROM machine_configs WHERE machine = ? ORDER BY revision DESC', machine)
    .map(revisionIn);
}

/** A revision without its documents. */
export interface RevisionSummary extends Omit<StoredRevision, 'config' | 'policy' | 'signatures'> {
  /** How many operators signed it. */
  readonly signatures: number;
}

const MOST_SUMMARIES = 200;

/** The revisions of a machine, or the newest ones of all machines; the newest first. */
export function summariesOf(
  sql: Statements,
  machine: string | undefined,
): readonly RevisionSummary[] {
  const rows = sql.all(
    `SELECT machine, revision, at, author, reason, signatures FROM machine_configs
      WHERE ?1 IS NULL OR machine = ?1 ORDER BY rowid DESC LIMIT ${MOST_SUMMARIES}`,
    machine ?? null,
  );
  return rows.map((row) => ({
    machine: String(row['machine']),
    revision: Number(row['revision']),
    at: Number(row['at']),
    author: String(row['author']),
    reason: String(row['reason']),
    signatures: Object.keys(signaturesIn(row)).length,
  }));
}

function revisionIn(row: Row): StoredRevision {
  return {
    machine: String(row['machine']),
    revision: Number(row['revision']),
    at: Number(row['at']),
    author: String(row['author']),
    reason: String(row['reason']),
    config: String(row['config']),
    policy: row['policy'] === null ? undefined : String(row['policy']),
    signatures: signaturesIn(row),
  };
}

/** Damaged signatures are none: the lists of other machines do not depend on them (T780). */
const SIGNATURES = v.fallback(
  v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string())),
  {},
);

function signaturesIn(row: Row): ServedConfig['signatures'] {
  return v.parse(SIGNATURES, row['signatures']);
}

/** What saving the next revision does, if `basedOn` is the newest (D264, D438). Its number is above all that the machine has run, as far as it said (T672). */
export function judgedRevision(sql: Statements, next: NewRevision): SaveResult {
  const { machine, basedOn, config, policy, compiledWith = [] } = next;
  const newest = newestRevision(sql, machine);
  if (basedOn !== (newest?.revision ?? 0)) return { kind: 'stale', newest: newest?.revision ?? 0 };
  if (!areNewest(sql, compiledWith)) return { kind: 'moved', newest: basedOn };
  const isRefused = answerOf(sql, machine)?.refused?.revision === newest?.revision;
  // One that the machine refused, as it was out of reach under it, is tried again under another number.
  if (newest?.config === config && newest.policy === policy && !isRefused) {
    return { kind: 'unchanged', revision: newest.revision };
  }
  const row = sql.get('SELECT floor, applied FROM config_answers WHERE machine = ?', machine);
  const [floor, applied] = [Number(row?.['floor'] ?? 0), Number(row?.['applied'] ?? 0)];
  const ran = Math.min(applied, basedOn + MOST_LOST);
  // After a restore, a machine without documents may have run some that the backup lacks.
  const lost = basedOn === 0 ? Number(sql.get('SELECT floor FROM config_floor')?.['floor']) : 0;
  return { kind: 'saved', revision: Math.max(basedOn, floor, ran, lost) + 1 };
}

/** Saves the next revision, unless it is stale or the same. */
export function saveRevision(sql: Statements, next: NewRevision): SaveResult {
  const { machine, at, author, reason, config, policy, source } = next;
  const judged = judgedRevision(sql, next);
  if (judged.kind === 'stale' || judged.kind === 'moved') return judged;
  const { kind, revision } = judged;
  if (kind === 'unchanged') {
    return { kind: writeSource(sql, { machine, revision }, source) ? 'sourced' : kind, revision };
  }
  sql.run(
    "INSERT INTO machine_configs VALUES (?, ?, ?, ?, ?, ?, ?, '{}')",
    machine,
    revision,
    at,
    author,
    reason,
    config,
    policy ?? null,
  );
  sql.run(
    `DELETE FROM machine_configs WHERE machine = ?1 AND revision NOT IN
      (SELECT revision FROM machine_configs WHERE machine = ?1 ORDER BY revision DESC LIMIT ${MOST_REVISIONS})`,
    machine,
  );
  writeSource(sql, { machine, revision }, source);
  pruneSources(sql, machine);
  return judged;
}

/** Adds signatures to the newest revision. False if it is another one. */
export function signRevision(
  sql: Statements,
  { machine, revision }: Pick<ServedConfig, 'machine' | 'revision'>,
  signatures: ServedConfig['signatures'],
): boolean {
  const newest = newestRevision(sql, machine);
  if (newest?.revision !== revision) return false;
  sql.run(
    'UPDATE machine_configs SET signatures = ? WHERE machine = ? AND revision = ?',
    JSON.stringify({ ...newest.signatures, ...signatures }),
    machine,
    revision,
  );
  return true;
}

/** Notes what a machine says. Returns whether that differs from what it said last. */
export function noteAnswer(
  sql: Statements,
  machine: string,
  { applied, refused, at }: MachineAnswer & { readonly at: number },
): boolean {
  const before = answerOf(sql, machine);
  sql.run(
    `INSERT INTO config_answers VALUES (?, 0, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      at = excluded.at, applied = excluded.applied, refused = excluded.refused, code = excluded.code, detail = excluded.detail`,
    machine,
    at,
    applied ?? null,
    refused?.revision ?? null,
    refused?.code ?? null,
    refused?.detail ?? null,
  );
  return !before || said(before) !== said({ applied, refused });
}

/** The same text for the same answer. */
function said({ applied, refused }: MachineAnswer): string {
  return JSON.stringify([applied, refused?.revision, refused?.code, refused?.detail]);
}

/** What a machine said last, and when; undefined if it never said anything. */
export function answerOf(
  sql: Statements,
  machine: string,
): (MachineAnswer & { readonly at: number }) | undefined {
  const row = sql.get('SELECT * FROM config_answers WHERE machine = ?', machine);
  if (!row || row['at'] === null) return undefined;
  const { at, applied, refused } = row;
  return {
    at: Number(at),
    applied: applied === null ? undefined : Number(applied),
    refused: refused === null ? undefined : refusalIn(row),
  };
}

/**
 * What each machine refuses that said last that it refuses documents (D450). One whose tokens are all revoked or expired says nothing more: it
 * is left out (D480).
 */
export function refusalsOf(sql: Statements, now: number): ReadonlyMap<string, RefusedDocuments> {
  const rows = sql.all('SELECT * FROM config_answers WHERE refused IS NOT NULL');
  const refusals = new Map(rows.map((row) => [String(row['machine']), refusalIn(row)]));
  for (const machine of refusals.size === 0 ? [] : machinesWithoutToken(sql, refusals, now)) {
    refusals.delete(machine);
  }
  return refusals;
}

function refusalIn({ refused, code, detail }: Row): RefusedDocuments {
  return { revision: Number(refused), code: String(code), detail: String(detail) };
}

/** After a restore, machines may have run revisions that the registry does not know: the next ones are above them (T672). */
export function raiseRevisions(sql: Statements, added: number): void {
  sql.run(
    `INSERT INTO config_answers (machine, floor)
      SELECT machine, max(revision) + ?1 FROM machine_configs WHERE true GROUP BY machine
      ON CONFLICT DO UPDATE SET floor = max(floor, excluded.floor)`,
    added,
  );
  sql.run(
    'UPDATE config_floor SET floor = max(floor, ifnull((SELECT max(revision) FROM machine_configs), 0)) + ?',
    added,
  );
}
