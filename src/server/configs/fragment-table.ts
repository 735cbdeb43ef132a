import { hash } from 'node:crypto';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { newestRevision, saveRevision, type NewRevision } from './config-table.ts';
import { sourceOf, type ConfigSource } from './source-table.ts';

/** A revision of what documents of machines share, and who saved it. */
export interface StoredFragment {
  readonly name: string;
  readonly revision: number;
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly author: string;
  readonly reason: string;
  readonly content: string;
}

/** Of each fragment. */
const MOST_REVISIONS = 100;

export function newestFragment(sql: Statements, name: string): StoredFragment | undefined {
  const row = sql.get(
    'SELECT * FROM config_fragments WHERE name = ? ORDER BY revision DESC LIMIT 1',
    name,
  );
  return row && fragmentIn(row);
}

export function fragmentAt(
  sql: Statements,
  name: string,
  revision: number,
): StoredFragment | undefined {
  const row = sql.get(
    'SELECT * FROM config_fragments WHERE name = ? AND revision = ?',
    name,
    revision,
  );
  return row && fragmentIn(row);
}

/** The newest revision of each, in the order of their names. */
export function newestFragments(sql: Statements): readonly StoredFragment[] {
  return sql
    .all(
      `SELECT * FROM config_fragments AS one WHERE revision =
        (SELECT max(revision) FROM config_fragments WHERE name = one.name) ORDER BY name`,
    )
    .map(fragmentIn);
}

function fragmentIn(row: Row): StoredFragment {
  return {
    name: String(row['name']),
    revision: Number(row['revision']),
    at: Number(row['at']),
    author: String(row['author']),
    reason: String(row['reason']),
    content: String(row['content']),
  };
}

/** A machine whose newest documents use a fragment. */
export interface FragmentUser {
  readonly machine: string;
  readonly revision: number;
  readonly source: ConfigSource;
}

/** In the order of their ids. */
export function usersOf(sql: Statements, name: string): readonly FragmentUser[] {
  const rows = sql.all(
    `SELECT machine, revision FROM config_sources AS one
      WHERE EXISTS (SELECT 1 FROM json_each(fragments) WHERE value = ?)
        AND revision = (SELECT max(revision) FROM machine_configs WHERE machine = one.machine) ORDER BY machine`,
    name,
  );
  return rows.flatMap((row) => {
    const [machine, revision] = [String(row['machine']), Number(row['revision'])];
    const source = sourceOf(sql, machine, revision);
    return source ? [{ machine, revision, source }] : [];
  });
}

/** `stale`: another revision was saved in the meantime. `moved`: machines that use the fragment got other documents. */
export type FragmentResult =
  | { readonly kind: 'saved'; readonly revisions: readonly number[] }
  | { readonly kind: 'stale'; readonly newest: number }
  | { readonly kind: 'moved' };

/** A revision, and the documents of the machines that use it, which were compiled for `users` as they were then (D330). */
export interface FragmentChange {
  readonly next: StoredFragment;
  /** What `stateOf` says of them. */
  readonly users: string;
  readonly documents: readonly NewRevision[];
}

export function saveFragment(
  sql: Statements,
  { next, users, documents }: FragmentChange,
): FragmentResult {
  const { name, revision, at, author, reason, content } = next;
  const newest = newestFragment(sql, name)?.revision ?? 0;
  if (newest !== revision - 1) return { kind: 'stale', newest };
  if (stateOf(usersOf(sql, name)) !== users) return { kind: 'moved' };
  sql.run(
    'INSERT INTO config_fragments VALUES (?, ?, ?, ?, ?, ?)',
    name,
    revision,
    at,
    author,
    reason,
    content,
  );
  sql.run(
    'DELETE FROM config_fragments WHERE name = ? AND revision <= ?',
    name,
    revision - MOST_REVISIONS,
  );
  const revisions = documents.map((one) => {
    saveRevision(sql, one);
    return newestRevision(sql, one.machine)?.revision ?? 0;
  });
  return { kind: 'saved', revisions };
}

/** The same text as long as the same machines use a fragment, in the same documents. */
export function stateOf(users: readonly FragmentUser[]): string {
  return hash('sha256', JSON.stringify(users));
}
