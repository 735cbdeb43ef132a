import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { SESSION_MS } from './sessions.ts';

/** Browsers accept this prefix only from the host itself, for all of its paths, and never from scripts of another host. */
const NAME = '__Host-modreg-page';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export function cookieToken(c: Context): string | undefined {
  return getCookie(c, NAME);
}

/** The value of `Set-Cookie` for a session; without a token, it removes the cookie. */
export function sessionCookie(token: string | undefined): string {
  if (token === undefined) return `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;
  return `${NAME}=${token}; Max-Age=${SESSION_MS / 1000}; ${ATTRIBUTES}`;
}
