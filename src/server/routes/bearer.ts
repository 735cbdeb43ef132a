import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Result } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { problem } from '../problem.ts';
import { isOfMachines, missingScope, type Change, type Scope } from '../tokens/scope.ts';
import { lapseOf, type StoredToken } from '../tokens/token.ts';

/** Why a request is refused because of its token. */
export type TokenRefusal =
  | { readonly kind: 'no-token' | 'unknown-token' }
  | {
      readonly kind: 'expired-token' | 'revoked-token';
      readonly token: StoredToken;
      readonly at: number;
    }
  | { readonly kind: 'missing-scope'; readonly token: StoredToken; readonly scope: Scope };

/** The token of a request, whose use is recorded. */
export function tokenOf(
  c: Context,
  catalogue: Catalogue,
  now: number,
): Result<StoredToken, TokenRefusal> {
  const token = validToken(c, catalogue, now);
  if (token.ok) catalogue.recordUse(token.value, now);
  return token;
}

/** The same, but without a record of a machine's token: each machine of a fleet has one, and a record is a write to the catalogue. */
export function readToken(
  c: Context,
  catalogue: Catalogue,
  now: number,
): Result<StoredToken, TokenRefusal> {
  const token = validToken(c, catalogue, now);
  if (token.ok && !isOfMachines(token.value.scopes)) catalogue.recordUse(token.value, now);
  return token;
}

function validToken(
  c: Context,
  catalogue: Catalogue,
  now: number,
): Result<StoredToken, TokenRefusal> {
  const [, text] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
  if (text === undefined) return { ok: false, error: { kind: 'no-token' } };
  const token = catalogue.tokenWith(text);
  if (!token) return { ok: false, error: { kind: 'unknown-token' } };
  const lapse = lapseOf(token, now);
  if (lapse) return { ok: false, error: { kind: `${lapse.kind}-token`, token, at: lapse.at } };
  return { ok: true, value: token };
}

/** Why `token` does not allow a change to the modules of `namespace`; undefined if it does. */
export function scopeRefusal(
  token: StoredToken,
  change: Change,
  namespace: string,
): TokenRefusal | undefined {
  const scope = missingScope(token.scopes, change, namespace);
  return scope && { kind: 'missing-scope', token, scope };
}

/** The response to a refused request, with the challenge of RFC 6750, section 3. */
export function refusalAnswer(refusal: TokenRefusal): Response {
  const detail = detailOf(refusal);
  if (refusal.kind === 'missing-scope') {
    return problem(
      refusal.kind,
      detail,
      challenge({ error: 'insufficient_scope', scope: refusal.scope }),
    );
  }
  const parameters =
    refusal.kind === 'no-token' ? {} : { error: 'invalid_token', error_description: detail };
  return problem('unauthorized', detail, challenge(parameters));
}

function challenge(parameters: Readonly<Record<string, string>>): {
  headers: Record<string, string>;
} {
  const all = Object.entries({ realm: 'modreg', ...parameters });
  // A token's name, a scope and a time contain no quotation mark and no backslash.
  const text = all.map(([name, value]) => `${name}="${value}"`).join(', ');
  return { headers: { 'www-authenticate': `Bearer ${text}` } };
}

function detailOf(refusal: TokenRefusal): string {
  switch (refusal.kind) {
    case 'no-token':
      return 'the request has no bearer token';
    case 'unknown-token':
      return 'this registry did not create the token';
    case 'expired-token':
      return `${subjectOf(refusal.token)} expired at ${formatTime(refusal.at)}`;
    case 'revoked-token':
      return `${subjectOf(refusal.token)} was revoked at ${formatTime(refusal.at)}`;
    case 'missing-scope':
      return `${subjectOf(refusal.token)} does not have the scope ${refusal.scope}`;
  }
}

function subjectOf(token: StoredToken): string {
  return `the ${authorOf(token)}`;
}

/** Who made a change with this token, as it is stored. */
export function authorOf({ id, name }: StoredToken): string {
  return `token ${id} (${name})`;
}

/** The address of the client, or of the proxy in front of the registry; undefined without a connection. */
export function peerOf(c: Context): string | undefined {
  // `serveRegistry` passes the bindings of Node; without a server there are none.
  const { incoming } = Object(c.env) as Partial<HttpBindings>;
  return incoming?.socket.remoteAddress;
}

/** The path of a request for a log. Text in the form of a token is replaced, and the query is not part of it. */
export function loggedPath(c: Context): string {
  return c.req.path.replaceAll(/modreg_[\w-]+/g, '[token]');
}
