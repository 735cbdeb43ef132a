import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { AccessOptions, Guests, SignInView } from './access-options.ts';
import { setHeaders } from './headers.ts';
import { signInLeadingTo } from './own-path.ts';
import { foreign, refusal } from './refusal.ts';
import { hashOf } from './secret-hash.ts';
import { bearerOf, hostNameOf, senderOf } from './sender.ts';
import { cookieToken } from './session-cookie.ts';
import type { Role } from '../../server/accounts/role.ts';
import { addSignIn } from './sign-in-routes.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** Whether the session of a request has not ended since; undefined on a page that needs no session. */
    isSignedIn?: () => boolean;
    /** The hash of the token of that session; undefined in the same case. */
    session?: string;
    /** The name of the account that is signed in; undefined for who signed in with a code. */
    account?: string | undefined;
    /** What who is signed in may do; undefined for guests. */
    role?: Role;
  }
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
/** Scripts and styles, which need no session: they contain nothing of the machine. */
const ASSETS = '/assets/';
const SIGN_IN_FIRST =
  'sign in at /sign-in, or send the token of a session: Authorization: Bearer <token>';

/**
 * Protects all routes that are added to `app` afterwards, and adds those of signing in and out: each response has the page's
 * headers, and each request needs a known host name, a session, and, to change something, the page itself as its origin. Guests need
 * no session for their page.
 */
export function protect(
  app: Hono,
  options: AccessOptions,
  view: SignInView,
  guests?: Guests,
): void {
  app.use(async (c, next) => {
    await next();
    setHeaders(c.res.headers, options.isTls);
  });
  app.use(knownHost(options));
  addSignIn(app, options, view);
  guests?.addEntrance(app, options);
  app.use(signedIn(options, guests));
}

/** A name that leads here by a foreign DNS entry is not the page's, whatever address it has (T124). */
function knownHost({ names, naming: { command } }: AccessOptions): MiddlewareHandler {
  return async (c, next) => {
    const name = hostNameOf(c);
    if (name !== undefined && names(name)) return await next();
    return refusal('unknown-host', `open the address that ${command} or ${command} sign-in shows`);
  };
}

function signedIn(options: AccessOptions, guests: Guests | undefined): MiddlewareHandler {
  const { file, now } = options;
  return async (c, next) => {
    const isSafe = SAFE.has(c.req.method);
    if (isSafe && c.req.path.startsWith(ASSETS)) return await next();
    const bearer = bearerOf(c);
    const sender = senderOf(c, options);
    if (!isSafe && bearer === undefined && sender !== 'own') return foreign();
    const token = bearer ?? cookieToken(c);
    const user = token === undefined ? undefined : userOf(token, options);
    if (token === undefined || !user) {
      const isForGuests = isSafe && c.req.path === guests?.path;
      if (isForGuests && guests.isGuest(c)) return await next();
      return unknown(c, { token, bearer, signIn: isForGuests ? guests.entrance : undefined });
    }
    file.noteUse(token, now());
    c.set('session', hashOf(token).toString('hex'));
    c.set('account', user.account);
    c.set('role', user.role);
    c.set('isSignedIn', () => userOf(token, options) !== undefined);
    return await next();
  };
}

interface User {
  /** The name of the account; undefined for a code. */
  readonly account: string | undefined;
  readonly role: Role;
}

/** Who has the session; undefined if it has ended. One who signed in with a code may do all, one with an account what it may do now (T774). */
function userOf(token: string, { file, now, accounts }: AccessOptions): User | undefined {
  const session = file.session(token, now());
  if (!session) return undefined;
  const { account } = session;
  if (!account) return { account: undefined, role: 'admin' };
  const role = accounts?.roleOf(account);
  return role && { account: account.name, role };
}

/** The answer to a request without a session: a person gets the sign-in, or the entrance of guests, a program an error (T126). */
function unknown(
  c: Context,
  {
    token,
    bearer,
    signIn = signInLeadingTo(wantedBy(c)),
  }: {
    readonly token: string | undefined;
    readonly bearer: string | undefined;
    readonly signIn: string | undefined;
  },
): Response {
  const isForPerson = c.req.header('accept')?.includes('text/html') ?? false;
  if (isForPerson && bearer === undefined) return c.redirect(signIn, 303);
  return refusal(token === undefined ? 'no-session' : 'unknown-session', SIGN_IN_FIRST);
}

/** What is shown after the sign-in. The form of a change is not sent again. */
function wantedBy(c: Context): string {
  if (c.req.method !== 'GET') return '/';
  const { pathname, search } = new URL(c.req.url);
  return pathname + search;
}
