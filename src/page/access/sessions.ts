import { randomBytes } from 'node:crypto';
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

/** Adds a session, and returns its token. */
export function newSession(sql: Statements, now: number): string {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  sql.run('INSERT INTO sessions VALUES (?1, ?2, ?2)', hashOf(token), now);
  return token;
}

export function isSession(sql: Statements, token: string, now: number): boolean {
  return (
    sql.get(`SELECT 1 FROM sessions WHERE hash = ?2 AND ${LASTS}`, now, hashOf(token)) !== undefined
  );
}

export function noteUse(sql: Statements, token: string, now: number): void {
  const hash = hashOf(token);
  const row = sql.get('SELECT used_at FROM sessions WHERE hash = ?', hash);
  if (!row || Math.abs(now - Number(row['used_at'])) < RECORDED_EVERY_MS) return;
  sql.run('UPDATE sessions SET used_at = ? WHERE hash = ?', now, hash);
}

export function endSession(sql: Statements, token: string): void {
  sql.run('DELETE FROM sessions WHERE hash = ?', hashOf(token));
}

export function endUnusedSessions(sql: Statements, now: number): void {
  sql.run(`DELETE FROM sessions WHERE NOT (${LASTS})`, now);
}
