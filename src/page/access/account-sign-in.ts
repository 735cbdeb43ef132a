import type { Context } from 'hono';
import pLimit from 'p-limit';
import type { AccessOptions } from './access-options.ts';
import { addressOf } from './sender.ts';
import { wrongCodes } from './wrong-codes.ts';

/** The result of signing in. */
export interface SignedIn {
  /** The token of a new session; undefined if what was sent is not accepted. */
  readonly token?: string | undefined;
  /** How many milliseconds a client should wait that has sent too much. */
  readonly wait?: number | undefined;
}

/** So many passwords wait for the one that is compared: each takes memory and 0.15 s of a core. */
const MOST_WAITING = 20;
const WAIT_MS = 5000;

/** Signs in with the name and the password of a form (D371). Each attempt counts before its password is compared, and one is compared at a time (T775). */
export function accountSignIn({
  file,
  now,
  accounts,
  onEvent,
}: AccessOptions): (c: Context, form: URLSearchParams) => Promise<SignedIn> {
  const attempt = wrongCodes();
  const oneAtATime = pLimit(1);
  return async (c, form) => {
    const wait = attempt(addressOf(c), now());
    if (wait !== undefined) return { wait };
    if (oneAtATime.pendingCount >= MOST_WAITING) return { wait: WAIT_MS };
    const name = (form.get('name') ?? '').trim().toLowerCase();
    const account = await oneAtATime(
      async () => await accounts?.withPassword(name, form.get('password') ?? ''),
    );
    // The log has no name that was typed: it may be a password.
    onEvent?.(account ? 'signed-in' : 'password-refused', account?.name);
    return { token: account && file.signInAs(account, now()) };
  };
}
