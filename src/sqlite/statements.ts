import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { translated } from './database.ts';

type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, Value>>;

/** Runs SQL; each statement is prepared once. Every method throws a `DatabaseError` if the file cannot be used. */
export interface Statements {
  /** The path of the file. */
  readonly path: string;
  /** The first row; undefined if there is none. */
  readonly get: (sql: string, ...values: readonly Value[]) => Row | undefined;
  readonly all: (sql: string, ...values: readonly Value[]) => readonly Row[];
  /** The rows, one after another. The statement must not run again before the last one. */
  readonly iterate: (sql: string, ...values: readonly Value[]) => Iterable<Row>;
  readonly run: (sql: string, ...values: readonly Value[]) => ReturnType<StatementSync['run']>;
}

/** Statements on `database`, whose file is at `path`. */
export function statementsOf(database: DatabaseSync, path: string): Statements {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  return {
    path,
    get: (sql, ...values) => translated(path, () => prepare(sql).get(...values) as Row | undefined),
    all: (sql, ...values) => translated(path, () => prepare(sql).all(...values) as Row[]),
    *iterate(sql, ...values) {
      const rows = translated(path, () => prepare(sql).iterate(...values));
      try {
        for (;;) {
          const next = translated(path, () => rows.next());
          if (next.done === true) return;
          yield next.value as Row;
        }
      } finally {
        // A statement that was left before its last row would keep its snapshot of the file.
        rows.return?.();
      }
    },
    run: (sql, ...values) => translated(path, () => prepare(sql).run(...values)),
  };
}
