import { basename } from 'node:path';
import { excerpt } from '../../core/text/quote.ts';
import type { PageNaming } from './access-options.ts';
import type { DatabaseError } from '../../sqlite/database-error.ts';

const SECOND = 1000;

/** Why a request is refused. */
type RefusalKind =
  | 'unknown-host'
  | 'foreign-origin'
  | 'no-session'
  | 'unknown-session'
  | 'bad-code'
  | 'too-many-codes'
  | 'too-many-feeds'
  | 'bad-request'
  | 'locked'
  | 'unusable-file'
  | 'internal';

const REFUSALS: Readonly<Record<RefusalKind, readonly [status: number, title: string]>> = {
  'unknown-host': [421, 'The page has another host name'],
  'foreign-origin': [403, 'The request comes from another site'],
  'no-session': [401, 'You are not signed in'],
  'unknown-session': [401, 'The session has ended'],
  'bad-code': [401, 'The code is not accepted'],
  'too-many-codes': [429, 'Too many wrong codes'],
  'too-many-feeds': [429, 'Too many feeds'],
  'bad-request': [400, 'The request cannot be read'],
  locked: [503, 'A file is locked'],
  'unusable-file': [500, 'A file cannot be used'],
  internal: [500, 'The page had an internal error'],
};

/** The refusal as a problem (RFC 9457). `detail` says what to do, and `afterMs` when. */
export function refusal(kind: RefusalKind, detail: string, afterMs?: number): Response {
  const [status, title] = REFUSALS[kind];
  const body = { type: `urn:modreg:${kind}`, title, status, detail };
  const headers = new Headers({ 'content-type': 'application/problem+json' });
  // RFC 9110: a 401 names what would be accepted.
  if (status === 401) headers.set('www-authenticate', 'Bearer realm="modreg page"');
  const wait = kind === 'locked' ? SECOND : afterMs;
  if (wait !== undefined) headers.set('retry-after', retryAfter(wait));
  return new Response(`${JSON.stringify(body)}\n`, { status, headers });
}

/** The value of `Retry-After`. */
export function retryAfter(ms: number): string {
  return String(Math.ceil(ms / SECOND));
}

/** The answer to a change that another site asks for, or a program without a token (T125). */
export function foreign(): Response {
  return refusal(
    'foreign-origin',
    'only the page itself changes something (Sec-Fetch-Site: same-origin, or its own Origin); programs send Authorization: Bearer <token>',
  );
}

/** The answer to a request for which a file cannot be used (T129). It names the file, and does not say where it is. */
export function fileRefusal({ kind, file }: DatabaseError, { command }: PageNaming): Response {
  const name = file === undefined ? 'a file' : excerpt(basename(file));
  if (kind === 'locked') return refusal('locked', `another process uses ${name}: try again`);
  return refusal('unusable-file', `${name} is ${kind}: the output of ${command} says more`);
}

/** The answer to a request that ended with an error. */
export function failure({ command }: PageNaming): Response {
  return refusal('internal', `the output of ${command} says more`);
}
