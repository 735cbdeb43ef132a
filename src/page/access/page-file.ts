import { randomBytes } from 'node:crypto';
import type { SignedInAccount } from '../../server/accounts/catalogue-accounts.ts';
import { openDatabase, transaction, translated } from '../../sqlite/database.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { statementsOf, type Statements } from '../../sqlite/statements.ts';
import { PAGE_LAYOUT } from './page-layout.ts';
import {
  endSession,
  endUnusedSessions,
  newSession,
  noteUse,
  sessionWith,
  type Session,
} from './sessions.ts';
import { isCode, newCode, useCode } from './sign-in-codes.ts';

/** What a page keeps about who may use it. Times are milliseconds since the epoch. Methods throw a `DatabaseError`. */
export interface PageFile {
  /** The first label of the page's host name on loopback: random, and the same for as long as the file exists. */
  readonly label: string;
  /** Where the page listened last; undefined if it never has. */
  address(): string | undefined;
  setAddress(address: string): void;
  /** A new code, with which one person may sign in within the next five minutes. */
  newCode(now: number): string;
  /** Uses up a code, and returns the token of a new session; undefined if the code is not accepted. */
  signIn(code: string, now: number): string | undefined;
  /** The token of a new session of an account. */
  signInAs(account: SignedInAccount, now: number): string;
  /** The session of `token`; undefined if there is none, or if it has ended. That of an account lasts no longer than its stamp. */
  session(token: string, now: number): Session | undefined;
  /** Records that a session was used, unless the file cannot be written: a full disk ends no session. */
  noteUse(token: string, now: number): void;
  signOut(token: string): void;
  close(): void;
}

/** The name of the file, beside `machine.db`. */
export const PAGE_FILE = 'page.db';

/** Opens or creates the file at `path`. Throws a `DatabaseError`. */
export function openPageFile(path: string, busyTimeoutMs: number): PageFile {
  const database = openDatabase(path, PAGE_LAYOUT, { mode: 'create', busyTimeoutMs });
  const sql = statementsOf(database, path);
  const atomically = <T>(work: () => T): T =>
    translated(path, () => transaction(database, () => work()));
  return {
    label: labelIn(sql),
    address: () =>
      (sql.get('SELECT address FROM page')?.['address'] ?? undefined) as string | undefined,
    setAddress(address) {
      sql.run('UPDATE page SET address = ?1 WHERE address IS NOT ?1', address);
    },
    newCode: (now) => atomically(() => newCode(sql, now)),
    signIn(code, now) {
      if (!isCode(sql, code, now)) return undefined;
      return atomically(() => {
        if (!useCode(sql, code, now)) return undefined;
        endUnusedSessions(sql, now);
        return newSession(sql, now, undefined);
      });
    },
    signInAs: (account, now) =>
      atomically(() => {
        endUnusedSessions(sql, now);
        return newSession(sql, now, account);
      }),
    session: (token, now) => sessionWith(sql, token, now),
    noteUse(token, now) {
      try {
        noteUse(sql, token, now);
      } catch (error) {
        if (!(error instanceof DatabaseError && PASSING.has(error.kind))) throw error;
      }
    },
    signOut: (token) => endSession(sql, token),
    close: () => database.close(),
  };
}

const PASSING: ReadonlySet<DatabaseError['kind']> = new Set(['locked', 'unwritable']);
const LABEL_BYTES = 10;

function labelIn(sql: Statements): string {
  const label = sql.get('SELECT label FROM page')?.['label'];
  if (label !== undefined) return String(label);
  const made = randomBytes(LABEL_BYTES).toString('hex');
  // Another process may have made one meanwhile.
  sql.run('INSERT INTO page (id, label) VALUES (1, ?) ON CONFLICT DO NOTHING', made);
  return String(sql.get('SELECT label FROM page')?.['label']);
}
