import type { Result } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import { machinesOf, parseScope, SCOPE_FORMS, type Scope } from './scope.ts';
import { hashOf, lapseOf, newCode, newToken, type StoredToken } from './token.ts';

/** What a new token is for. */
export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: number | undefined;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const ID = /^t[1-9]\d{0,8}$/;

/** Adds a token. The error is one escaped line about the request; nothing was changed then. */
export function addToken(
  sql: Statements,
  { name, scopes: texts, expiresAt }: TokenRequest,
  now: number,
): Result<{ readonly id: string; readonly token: string }, string> {
  const complaint = nameComplaint(sql, name) ?? expiryComplaint(expiresAt, now);
  if (complaint !== undefined) return { ok: false, error: complaint };
  const scopes = scopesOf(texts);
  if (!scopes.ok) return scopes;
  const isInvitation = scopes.value.some((scope) => scope.startsWith('join:'));
  const token = isInvitation ? newCode() : newToken();
  const added = sql.run(
    'INSERT INTO tokens (token_hash, name, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
    hashOf(token),
    name,
    scopes.value.join(' '),
    now,
    expiresAt ?? null,
  );
  return { ok: true, value: { id: `t${added.lastInsertRowid}`, token } };
}

/** All tokens, the oldest first. */
export function tokensIn(sql: Statements): StoredToken[] {
  return sql.all('SELECT * FROM tokens ORDER BY id').map(tokenIn);
}

/**
 * Those of `machines` whose tokens are all revoked or expired. One that never had a token is none of them. Only the tokens of `machines` are
 * parsed: a fleet has one for each machine, and few refuse documents.
 */
export function machinesWithoutToken(
  sql: Statements,
  machines: { readonly has: (machine: string) => boolean },
  now: number,
): readonly string[] {
  const [valid, lapsed] = [new Set<string>(), new Set<string>()];
  for (const row of sql.all('SELECT scopes, expires_at, revoked_at FROM tokens')) {
    const named = machinesOf(String(row['scopes']).split(' ')).filter((one) => machines.has(one));
    if (named.length === 0) continue;
    const times = { expiresAt: timeIn(row, 'expires_at'), revokedAt: timeIn(row, 'revoked_at') };
    const to = lapseOf(times, now) ? lapsed : valid;
    for (const machine of named) to.add(machine);
  }
  return [...lapsed].filter((machine) => !valid.has(machine));
}

/** The token with this text; undefined if the catalogue did not create it. */
export function tokenWith(sql: Statements, text: string): StoredToken | undefined {
  const row = sql.get('SELECT * FROM tokens WHERE token_hash = ?', hashOf(text));
  return row && tokenIn(row);
}

/** Revokes the token with this id or text, or the token with this name that is not revoked. */
export function revokeToken(
  sql: Statements,
  named: string,
  now: number,
): 'done' | 'unchanged' | 'unknown-token' {
  const idOrName = tokenWith(sql, named)?.id ?? named;
  const key = ID.test(idOrName) ? Number(idOrName.slice(1)) : null;
  const revoked = sql.run(
    'UPDATE tokens SET revoked_at = ?1, is_shared = 0 WHERE revoked_at IS NULL AND (id = ?2 OR name = ?3)',
    now,
    key,
    idOrName,
  );
  if (revoked.changes > 0) return 'done';
  const known = sql.get('SELECT 1 FROM tokens WHERE id = ? OR name = ?', key, idOrName);
  return known ? 'unchanged' : 'unknown-token';
}

/** Records when a token was last used. */
export function recordUse(sql: Statements, { id }: StoredToken, now: number): void {
  sql.run('UPDATE tokens SET last_used_at = ? WHERE id = ?', now, Number(id.slice(1)));
}

function nameComplaint(sql: Statements, name: string): string | undefined {
  if (ID.test(name)) return `the name ${quote(name)} has the form of a token's id`;
  if (!NAME.test(name)) {
    return `${quote(name)} is not a token's name, expected up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit`;
  }
  const holder = sql.get('SELECT id FROM tokens WHERE name = ? AND revoked_at IS NULL', name);
  return (
    holder &&
    `the token ${idIn(holder)} is called ${quote(name)}: choose another name, or revoke it first`
  );
}

function expiryComplaint(expiresAt: number | undefined, now: number): string | undefined {
  if (expiresAt === undefined || (Number.isSafeInteger(expiresAt) && expiresAt > now)) return;
  return 'the token would have expired already';
}

function scopesOf(texts: readonly string[]): Result<readonly Scope[], string> {
  if (texts.length === 0) return { ok: false, error: `no scope is named, expected ${SCOPE_FORMS}` };
  const scopes = new Set<Scope>();
  for (const text of texts) {
    const scope = parseScope(text);
    if (!scope.ok) return scope;
    scopes.add(scope.value);
  }
  return { ok: true, value: [...scopes] };
}

function idIn(row: Row): string {
  return `t${Number(row['id'])}`;
}

/** A scope that this modreg does not know, from a later one or a damaged file, allows nothing. */
function tokenIn(row: Row): StoredToken {
  const scopes = String(row['scopes']).split(' ').map(parseScope);
  return {
    id: idIn(row),
    name: String(row['name']),
    scopes: scopes.flatMap((scope) => (scope.ok ? [scope.value] : [])),
    createdAt: Number(row['created_at']),
    expiresAt: timeIn(row, 'expires_at'),
    lastUsedAt: timeIn(row, 'last_used_at'),
    revokedAt: timeIn(row, 'revoked_at'),
  };
}

function timeIn(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : Number(row[column]);
}
