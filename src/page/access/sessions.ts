import { randomBytes } from 'node:crypto';
import type { SignedInAccount } from '../../server/accounts/catalogue-accounts.ts';
import type { Statements } from '../../sqlite/statements.ts';
import { hashOf } from './secret-hash.ts';

const HOUR_MS = 3_600_000;
/** A session ends when it was not used for so long. */
const UNUSED_MS = 12 * HOUR_MS;
/** No session lasts longer. */
export const SESSION_MS: number = 7 * 24 * HOUR_MS;

const TOKEN_BYTES = 32;
/** A use is recorded so often at most: each record is a write to the disk. */
const RECORDED_EVERY_MS = 60_000;
/** A session has not ended. A clock that was set back makes none last longer. */
const LASTS = `abs(?1 - created_at) <= ${SESSION_MS} AND abs(?1 - used_at) <= ${UNUSED_MS}`;

const TABLES = ['sessions', 'account_sessions'] as const;

/** A session that has not ended: of an account (D371), or of who signed in with a code. */
export interface Session {
  /** Undefined for a code. */
  readonly account: SignedInAccount | undefined;
}

/** Adds a session, and returns its token. */
export function newSession(
  sql: Statements,
  now: number,
  account: SignedInAccount | undefined,
): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const hash = hashOf(token);
  if (account) {
    const { name, stamp } = account;
    sql.run('INSERT INTO account_sessions VALUES (?1, ?2, ?2, ?3, ?4)', hash, now, name, stamp);
  } else sql.run('INSERT INTO sessions VALUES (?1, ?2, ?2)', hash, now);
  return token;
}

/** The session with this token; undefined if there is none, or if it has ended. */
export function sessionWith(sql: Statements, token: string, now: number): Session | undefined {
  const row = sql.get(
    `SELECT NULL AS account, NULL AS stamp FROM sessions WHERE hash = ?2 AND ${LASTS}
     UNION ALL SELECT account, stamp FROM account_sessions WHERE hash = ?2 AND ${LASTS}`,
    now,
    hashOf(token),
  );
  if (!row) return undefined;
  const { account, stamp } = row;
  if (account === null) return { account: undefined };
  return { account: { name: String(account), stamp: String(stamp) } };
}

export function noteUse(sql: Statements, token: string, now: number): void {
  const hash = hashOf(token);
  for (const table of TABLES) {
    const row = sql.get(`SELECT used_at FROM ${table} WHERE hash = ?`, hash);
    if (!row || Math.abs(now - Number(row['used_at'])) < RECORDED_EVERY_MS) continue;
    sql.run(`UPDATE ${table} SET used_at = ? WHERE hash = ?`, now, hash);
  }
}

export function endSession(sql: Statements, token: string): void {
  for (const table of TABLES) sql.run(`DELETE FROM ${table} WHERE hash = ?`, hashOf(token));
}

export function endUnusedSessions(sql: Statements, now: number): void {
  for (const table of TABLES) sql.run(`DELETE FROM ${table} WHERE NOT (${LASTS})`, now);
}
