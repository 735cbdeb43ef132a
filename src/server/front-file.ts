import type { Statements } from '../sqlite/statements.ts';

/** Whether a file of a registry is that of a front of a cluster: from its first event until it is restored as a single server. In SQL. */
const IS_OF_FRONT = 'EXISTS (SELECT 1 FROM catalogue WHERE shared_history IS NOT NULL)';

/** The same, asked now. */
export function isOfFront(sql: Statements): boolean {
  return sql.get(`SELECT 1 WHERE ${IS_OF_FRONT}`) !== undefined;
}

/** Whether it is that of a single server, in SQL. A file that lacks the row of its catalogue is that of neither. */
export const IS_OF_SINGLE_SERVER = 'EXISTS (SELECT 1 FROM catalogue WHERE shared_history IS NULL)';

/** The same, asked now. */
export function isOfSingleServer(sql: Statements): boolean {
  return sql.get(`SELECT 1 WHERE ${IS_OF_SINGLE_SERVER}`) !== undefined;
}
