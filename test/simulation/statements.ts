import { constants, type DatabaseSync, type StatementSync } from 'node:sqlite';

/** What a statement does to the transaction that it is part of. */
type Effect = 'read' | 'write' | 'begin' | 'end' | 'savepoint' | 'release';

/** A statement, and its effect as SQLite tells it to an authorizer: how the statement is written does not matter. */
export interface Statement {
  readonly effect: Effect;
  /** The name of a savepoint. */
  readonly savepoint: string | undefined;
  readonly prepared: StatementSync;
  /** The statements after this one. */
  readonly rest: string;
}

const READING: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
  constants.SQLITE_PRAGMA,
]);

/** Prepares the first statement of `sql`. */
export function statementIn(database: DatabaseSync, sql: string): Statement {
  let effect: Effect = 'read';
  let savepoint: string | undefined;
  database.setAuthorizer((code, first, second) => {
    if (code === constants.SQLITE_TRANSACTION) {
      if (first !== 'ROLLBACK') effect = first === 'BEGIN' ? 'begin' : 'end';
    } else if (code === constants.SQLITE_SAVEPOINT) {
      savepoint = second?.toLowerCase();
      if (first !== 'ROLLBACK') effect = first === 'BEGIN' ? 'savepoint' : 'release';
    } else if (!READING.has(code)) effect = 'write';
    return constants.SQLITE_OK;
  });
  const prepared = database.prepare(sql);
  database.setAuthorizer(null);
  return { effect, savepoint, prepared, rest: sql.slice(prepared.sourceSQL.length).trim() };
}
