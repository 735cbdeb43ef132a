import type { Context, Hono } from 'hono';
import { formatTime } from '../../core/text/rfc3339.ts';
import { readBody } from '../../server/routes/request-body.ts';
import { accountSignIn, type SignedIn } from './account-sign-in.ts';
import type { AccessOptions, SignInView } from './access-options.ts';
import { ownPath } from './own-path.ts';
import { foreign, refusal, retryAfter } from './refusal.ts';
import { addressOf, bearerOf, senderOf } from './sender.ts';
import { cookieToken, sessionCookie } from './session-cookie.ts';
import { SESSION_MS } from './sessions.ts';
import { wrongCodes } from './wrong-codes.ts';

/** A code, in a document. */
const LARGEST_BODY = 4096;
/** The longest name and password, and a path, each of whose bytes a form may send as three characters. */
const LARGEST_FORM = 8192;
/** The same for a code that is wrong, used or expired: who guesses learns nothing (T127). */
function notAccepted({ naming: { command } }: AccessOptions): string {
  return `the code is wrong, was used, or has expired: ${command} sign-in makes another one`;
}

/** The same for each further code of the client that is not accepted (T282). */
function tooMany({ naming: { command } }: AccessOptions): string {
  return `too many wrong codes came from this address: wait a minute, or enter a right one, which is accepted all the same; ${command} sign-in makes one`;
}

/** The same for an unknown name, a wrong password, and an account that opens nothing (T775). */
const NO_SUCH_ACCOUNT = 'the name or the password is wrong, or the account is not active';

/** Passwords of a client that is told to wait are not looked at, unlike codes: they can be guessed (T775). */
function waitForPasswords({ naming: { command } }: AccessOptions): string {
  return `too many passwords were sent: wait a minute, or use a code; ${command} sign-in makes one`;
}

/** Adds the routes with which a person or a program signs in and out. They need no session. */
export function addSignIn(app: Hono, options: AccessOptions, view: SignInView): void {
  const { signIn, signOut } = sessionsOf(options);
  addForms(app, options, { signIn, view });
  app.post('/sign-out', (c) => {
    if (senderOf(c, options) !== 'own') return foreign();
    signOut(c);
    return c.body(null, 303, { location: '/sign-in', 'set-cookie': sessionCookie(undefined) });
  });
  app.post('/v1/sign-in', async (c) => {
    // A browser would say where the request comes from, so another site cannot use up what the client may send.
    if (senderOf(c, options) === 'foreign') return foreign();
    const code = await codeInJson(c);
    if (code === undefined) return refusal('bad-request', 'send {"code":"…"} as application/json');
    const { token, wait } = signIn(c, code);
    if (wait !== undefined) return refusal('too-many-codes', tooMany(options), wait);
    if (token === undefined) return refusal('bad-code', notAccepted(options));
    return c.json({ token, expires_at: formatTime(options.now() + SESSION_MS) });
  });
  app.post('/v1/sign-out', (c) => {
    if (bearerOf(c) === undefined && senderOf(c, options) !== 'own') return foreign();
    signOut(c);
    return c.body(null, 204);
  });
}

/** The forms for a code, and for the name and the password of an account. */
function addForms(
  app: Hono,
  options: AccessOptions,
  {
    signIn,
    view,
  }: { readonly signIn: (c: Context, code: string) => SignedIn; readonly view: SignInView },
): void {
  const signInAs = accountSignIn(options);
  const hasAccounts = (): boolean => (options.accounts?.all().length ?? 0) > 0;
  app.get('/sign-in', async (c) =>
    c.html(await view({ to: ownPath(c.req.query('to')), hasAccounts: hasAccounts() })),
  );
  app.post('/sign-in', async (c) => {
    if (senderOf(c, options) !== 'own') return foreign();
    const form = await formIn(c);
    const shown = { to: ownPath(form.get('to') ?? undefined), hasAccounts: hasAccounts() };
    const isByName = options.accounts !== undefined && form.has('password');
    const { token, wait } = isByName ? await signInAs(c, form) : signIn(c, form.get('code') ?? '');
    if (token !== undefined) {
      return c.body(null, 303, { location: shown.to, 'set-cookie': sessionCookie(token) });
    }
    if (wait === undefined) {
      const problem = isByName ? NO_SUCH_ACCOUNT : notAccepted(options);
      return c.html(await view({ problem, ...shown }), 401);
    }
    const headers = { 'retry-after': retryAfter(wait) };
    const problem = isByName ? waitForPasswords(options) : tooMany(options);
    return c.html(await view({ problem, ...shown }), 429, headers);
  });
}

/** Begins and ends sessions, and tells the log. */
function sessionsOf({ file, now, onEvent }: AccessOptions): {
  readonly signIn: (c: Context, code: string) => SignedIn;
  readonly signOut: (c: Context) => void;
} {
  const wrong = wrongCodes();
  return {
    signIn(c, code) {
      const token = file.signIn(code, now());
      const wait = token === undefined ? wrong(addressOf(c), now()) : undefined;
      // A client does not fill the log.
      if (wait === undefined) onEvent?.(token === undefined ? 'code-refused' : 'signed-in');
      return { token, wait };
    },
    signOut(c) {
      const token = bearerOf(c) ?? cookieToken(c);
      const session = token === undefined ? undefined : file.session(token, now());
      if (token === undefined || !session) return;
      file.signOut(token);
      onEvent?.('signed-out', session.account?.name);
    },
  };
}

/** The fields of a form; none if it cannot be read. */
async function formIn(c: Context): Promise<URLSearchParams> {
  const body = await readBody(c.req.raw, LARGEST_FORM);
  return new URLSearchParams(body.ok ? body.text : '');
}

/** The code in a document; undefined if it cannot be read. */
async function codeInJson(c: Context): Promise<string | undefined> {
  const body = await readBody(c.req.raw, LARGEST_BODY);
  if (!body.ok || !/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) return;
  try {
    const { code } = Object(JSON.parse(body.text)) as { readonly code?: unknown };
    return typeof code === 'string' ? code : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
