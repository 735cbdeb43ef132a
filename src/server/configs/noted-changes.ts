import type { Statements } from '../../sqlite/statements.ts';

/** What is changed without a table that says who did it (D443). */
type NotedKind =
  | 'secret-set'
  | 'secret-removed'
  | 'account-set'
  | 'account-removed'
  | 'account-confirmed'
  | 'machine-retired';

/** A change of one of these kinds. It never has the value of a secret, nor a password. */
export interface NotedChange {
  readonly kind: NotedKind;
  /** The machine that it is about; undefined for accounts. */
  readonly machine?: string;
  /** The name of the secret or of the account; undefined for a machine that is retired. */
  readonly name?: string;
  readonly author: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

/** So many of the newest are kept. */
const MOST_KEPT = 10_000;

export function noteChange(
  sql: Statements,
  { kind, machine, name, author, at }: NotedChange,
): void {
  sql.run(
    'INSERT INTO noted_changes (at, kind, machine, name, author) VALUES (?, ?, ?, ?, ?)',
    at,
    kind,
    machine ?? null,
    name ?? null,
    author,
  );
  sql.run(
    `DELETE FROM noted_changes WHERE id <= (SELECT max(id) FROM noted_changes) - ${MOST_KEPT}`,
  );
}
