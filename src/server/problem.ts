import { DatabaseError, type DatabaseErrorKind } from '../sqlite/database-error.ts';

/** What can be wrong with a request, or with the registry. */
export type ProblemKind =
  | 'bad-request'
  | 'bad-release'
  | 'unauthorized'
  | 'unknown-address'
  | 'unknown-module'
  | 'unknown-version'
  | 'method-not-allowed'
  | 'already-published'
  | 'too-large'
  | 'not-json'
  | 'internal'
  | 'locked'
  | 'storage-full';

const PROBLEMS: Readonly<Record<ProblemKind, readonly [status: number, title: string]>> = {
  'bad-request': [400, 'The request cannot be read'],
  'bad-release': [422, 'The body is not what is needed here'],
  unauthorized: [401, 'A token is needed that this registry has made'],
  'unknown-address': [404, 'There is nothing at this address'],
  'unknown-module': [404, 'There is no such module'],
  'unknown-version': [404, 'The module has no such version'],
  'method-not-allowed': [405, 'Nothing can be done so here'],
  'already-published': [409, 'The version is published with other content'],
  'too-large': [413, 'The body is too large'],
  'not-json': [415, 'The body is not application/json'],
  internal: [500, 'The registry failed'],
  locked: [503, 'The catalogue is held by another process'],
  'storage-full': [507, 'The catalogue cannot be written'],
};

const OF_DATABASE: Readonly<Record<DatabaseErrorKind, ProblemKind>> = {
  missing: 'internal',
  damaged: 'internal',
  unreadable: 'internal',
  'later-schema': 'internal',
  locked: 'locked',
  unwritable: 'storage-full',
};

/** An answer that says what is wrong, as RFC 9457 has it. `detail` is for a person. */
export function problem(
  kind: ProblemKind,
  detail: string,
  { errors, headers = {} }: { errors?: readonly string[]; headers?: Record<string, string> } = {},
): Response {
  const [status, title] = PROBLEMS[kind];
  const body = { type: `urn:modreg:${kind}`, title, status, detail, ...(errors ? { errors } : {}) };
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}

/** The answer to a request during which `error` was thrown. Of the file system it tells nothing. */
export function problemOf(error: unknown): Response {
  if (!(error instanceof DatabaseError)) return problem('internal', 'nothing was changed');
  const kind = OF_DATABASE[error.kind];
  const headers: Record<string, string> = kind === 'locked' ? { 'retry-after': '1' } : {};
  return problem(kind, 'nothing was changed', { headers });
}
