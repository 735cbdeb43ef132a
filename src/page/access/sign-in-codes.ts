import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { hashOf } from './secret-hash.ts';

/** How long a code is accepted. */
export const CODE_MS: number = 5 * 60_000;
/** So many wrong codes end those that exist. */
const MOST_FAILURES = 5;

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

/**
 * Uses up the code `text`, inside a transaction of the caller. False if there is no such code: then each code that exists is a
 * failure closer to its end, because one of them may be guessed.
 */
export function useCode(sql: Statements, text: string, now: number): boolean {
  endLapsed(sql, now);
  const typed = hashOf(text.toLowerCase().replaceAll(/[\s-]/g, ''));
  if (sql.all('SELECT hash FROM codes').some((row) => isHash(row, typed))) {
    sql.run('DELETE FROM codes WHERE hash = ?', typed);
    return true;
  }
  sql.run('UPDATE codes SET failures = failures + 1');
  sql.run('DELETE FROM codes WHERE failures >= ?', MOST_FAILURES);
  return false;
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
