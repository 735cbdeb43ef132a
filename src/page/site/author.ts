import type { Context } from 'hono';

/** So many digits tell the sessions of a page apart, and none opens the page: they are of the hash of its token. */
const DIGITS = 8;

/** Who changes something on the page: the account, or the session of who signed in with a code and has no name (D373). */
export function authorOf(c: Context): string {
  const account = c.get('account');
  if (account !== undefined) return `page (${account})`;
  const session = c.get('session');
  return session === undefined ? 'page' : `page (session ${session.slice(0, DIGITS)})`;
}
