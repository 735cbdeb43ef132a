import { randomBytes } from 'node:crypto';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { IS_OF_SINGLE_SERVER } from '../front-file.ts';
import { roleNamed, type Role } from './role.ts';

/** An account of the page of a site (D370). Times are milliseconds since the epoch. */
export interface Account {
  readonly name: string;
  /** Undefined if this modreg does not know the role: the account opens nothing. */
  readonly role: Role | undefined;
  readonly changedAt: number;
  /** False after a restore, until it is confirmed: the account opens nothing. */
  readonly isConfirmed: boolean;
  /** Another one after each change of the account, so that its sessions end (T774). */
  readonly stamp: string;
}

/** What an account is to have. What is undefined stays. */
export interface AccountChange {
  readonly name: string;
  readonly role: Role | undefined;
  /** What is stored of its password. */
  readonly password: string | undefined;
}

const NAME = /^[a-z0-9][a-z0-9._@-]{0,62}$/;
const STAMP_BYTES = 16;

export function isAccountName(text: string): boolean {
  return NAME.test(text);
}

/** All accounts, by name. Those of a registry that became a front of a cluster could not be removed any more, so they open nothing (T777). */
export function accountsIn(sql: Statements): Account[] {
  return sql
    .all(`SELECT * FROM accounts WHERE ${IS_OF_SINGLE_SERVER} ORDER BY name`)
    .map(accountIn);
}

/** The account with this name and what is stored of its password; undefined if there is none. */
export function accountNamed(
  sql: Statements,
  name: string,
): (Account & { readonly password: string }) | undefined {
  const row = sql.get(`SELECT * FROM accounts WHERE name = ? AND ${IS_OF_SINGLE_SERVER}`, name);
  return row && { ...accountIn(row), password: String(row['password']) };
}

/** Adds an account, or changes it; `incomplete` if a new one lacks its role or its password. */
export function setAccount(
  sql: Statements,
  { name, role, password }: AccountChange,
  now: number,
): 'added' | 'changed' | 'incomplete' {
  const known = accountNamed(sql, name);
  const next = { role: role ?? known?.role, password: password ?? known?.password };
  if (next.role === undefined || next.password === undefined) return 'incomplete';
  sql.run(
    `INSERT INTO accounts (name, role, password, stamp, changed_at) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (name) DO UPDATE SET role = ?2, password = ?3, stamp = ?4, changed_at = ?5`,
    name,
    next.role,
    next.password,
    randomBytes(STAMP_BYTES).toString('base64url'),
    now,
  );
  return known ? 'changed' : 'added';
}

/** Lets the account open the page again (D374). `unchanged` if it does already. */
export function confirmAccount(sql: Statements, name: string): 'done' | 'unchanged' | 'unknown' {
  const known = accountNamed(sql, name);
  if (!known) return 'unknown';
  if (known.isConfirmed) return 'unchanged';
  sql.run('UPDATE accounts SET is_confirmed = 1 WHERE name = ?', name);
  return 'done';
}

/** After a restore, an account may be one that was removed, or have an earlier password: none opens anything until it is confirmed (T776). Returns their names. */
export function unconfirmAll(sql: Statements): readonly string[] {
  sql.run('UPDATE accounts SET is_confirmed = 0, stamp = lower(hex(randomblob(16)))');
  return accountsIn(sql).map(({ name }) => name);
}

/** Removes an account. False if there is none with this name. */
export function removeAccount(sql: Statements, name: string): boolean {
  return sql.run('DELETE FROM accounts WHERE name = ?', name).changes > 0;
}

function accountIn(row: Row): Account {
  return {
    name: String(row['name']),
    role: roleNamed(String(row['role'])),
    changedAt: Number(row['changed_at']),
    isConfirmed: row['is_confirmed'] === 1,
    stamp: String(row['stamp']),
  };
}
