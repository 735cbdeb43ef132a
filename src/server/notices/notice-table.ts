import type { Statements } from '../../sqlite/statements.ts';

/** So many notices wait for a receiver. */
const MOST_WAITING = 1000;

/** How far the changes of a catalogue were looked at; undefined before the first time. */
export interface NoticedPlace {
  readonly history: string;
  readonly sequence: number;
}

export function noticedPlace(sql: Statements): NoticedPlace | undefined {
  const row = sql.get('SELECT history, sequence FROM noticed_place');
  return row && { history: String(row['history']), sequence: Number(row['sequence']) };
}

export function setNoticedPlace(sql: Statements, { history, sequence }: NoticedPlace): void {
  sql.run('DELETE FROM noticed_place');
  sql.run('INSERT INTO noticed_place VALUES (?, ?)', history, sequence);
}

/** What was so when it was last looked at (D212). */
export function noticed(sql: Statements): ReadonlySet<string> {
  return new Set(sql.all('SELECT key FROM noticed').map(({ key }) => String(key)));
}

export function addNoticed(sql: Statements, key: string): void {
  sql.run('INSERT OR IGNORE INTO noticed VALUES (?)', key);
}

export function removeNoticed(sql: Statements, key: string): void {
  sql.run('DELETE FROM noticed WHERE key = ?', key);
}

/** A notice that waits for a receiver. */
export interface WaitingNotice {
  readonly number: number;
  /** When it was made, in milliseconds since the epoch. */
  readonly at: number;
  readonly event: string;
  readonly body: string;
}

/** Adds a notice for a receiver. Returns how many of the oldest were dropped for it (T613). `isHeld`: only another front sends it. */
export function addWaiting(
  sql: Statements,
  receiver: string,
  notice: Omit<WaitingNotice, 'number'> & { readonly isHeld: boolean },
): number {
  const { at, event, body, isHeld } = notice;
  sql.run(INSERT, receiver, at, event, body, isHeld ? 1 : 0);
  return sql.all(DROP, receiver, receiver, MOST_WAITING).length;
}

const INSERT = 'INSERT INTO notices (receiver, at, event, body, is_held) VALUES (?, ?, ?, ?, ?)';
const DROP = `DELETE FROM notices WHERE receiver = ? AND number <=
  (SELECT number FROM notices WHERE receiver = ? ORDER BY number DESC LIMIT 1 OFFSET ?) RETURNING number`;

/** The notice that is sent to a receiver next. */
export function nextWaiting(sql: Statements, receiver: string): WaitingNotice | undefined {
  const row = sql.get(NEXT, receiver);
  if (!row) return undefined;
  const { number, at, event, body } = row;
  return { number: Number(number), at: Number(at), event: String(event), body: String(body) };
}

const NEXT = `SELECT number, at, event, body FROM notices
  WHERE receiver = ? AND is_held = 0 ORDER BY number LIMIT 1`;

export function removeWaiting(sql: Statements, number: number): void {
  sql.run('DELETE FROM notices WHERE number = ?', number);
}

/** How many notices wait, for all receivers. */
export function countWaiting(sql: Statements): number {
  return Number(sql.get('SELECT count(*) AS n FROM notices WHERE is_held = 0')?.['n']);
}

/** Forgets what another front has sent, and lets this one send the rest if it is its turn. */
export function settleHeld(sql: Statements, since: number, isTurn: boolean): void {
  sql.run('DELETE FROM notices WHERE is_held = 1 AND at < ?', since);
  if (isTurn) sql.run('UPDATE notices SET is_held = 0 WHERE is_held = 1');
}

/** Forgets what waits for receivers that are no longer named. */
export function keepReceivers(sql: Statements, receivers: readonly string[]): void {
  const named = JSON.stringify(receivers);
  sql.run('DELETE FROM notices WHERE receiver NOT IN (SELECT value FROM json_each(?))', named);
}
