import type { Context } from 'hono';

/** So many digits tell the sessions of a page apart, and none opens the page: they are of the hash of its token. */
const DIGITS = 8;

/** Who changes something on the page: who has signed in has no name, so it is the session. */
export function authorOf(c: Context): string {
  const session = c.get('session');
  return session === undefined ? 'page' : `page (session ${session.slice(0, DIGITS)})`;
}
