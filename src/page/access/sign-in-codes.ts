import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { hashOf } from './secret-hash.ts';

/** How long a code is accepted. */
export const CODE_MS: number = 5 * 60_000;

/** One of 128 bits cannot be guessed, so wrong codes end none: they would keep everyone out (T128). */
const CODE_BYTES = 16;
/** A person who starts the page again and again needs only the last code. */
const MOST_CODES = 8;

/** Adds a code, inside a transaction of the caller: `0123-4567-…`, which a person can type. */
export function newCode(sql: Statements, now: number): string {
  const digits = randomBytes(CODE_BYTES).toString('hex');
  endLapsed(sql, now);
  sql.run(
    'DELETE FROM codes WHERE hash NOT IN (SELECT hash FROM codes ORDER BY created_at DESC LIMIT ?)',
    MOST_CODES - 1,
  );
  sql.run('INSERT INTO codes (hash, created_at) VALUES (?, ?)', hashOf(digits), now);
  return digits.replaceAll(/.{4}(?!$)/g, '$&-');
}

/** Whether there is such a code. It only reads: wrong codes keep no other person from the file. */
export function isCode(sql: Statements, text: string, now: number): boolean {
  const typed = typedHash(text);
  // All are compared, so that the time does not tell which one is similar.
  const found = sql
    .all('SELECT hash FROM codes WHERE abs(? - created_at) <= ?', now, CODE_MS)
    .filter((row) => isHash(row, typed));
  return found.length > 0;
}

/** Uses up the code `text`, inside a transaction of the caller. False if there is no such code. */
export function useCode(sql: Statements, text: string, now: number): boolean {
  endLapsed(sql, now);
  if (!isCode(sql, text, now)) return false;
  sql.run('DELETE FROM codes WHERE hash = ?', typedHash(text));
  return true;
}

function typedHash(text: string): Buffer {
  return hashOf(text.toLowerCase().replaceAll(/[\s-]/g, ''));
}

function isHash({ hash }: Row, expected: Buffer): boolean {
  return (
    hash instanceof Uint8Array && hash.length === expected.length && timingSafeEqual(hash, expected)
  );
}

/** A clock that was set back makes no code last longer. */
function endLapsed(sql: Statements, now: number): void {
  sql.run('DELETE FROM codes WHERE abs(? - created_at) > ?', now, CODE_MS);
}
