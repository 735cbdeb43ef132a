import { UnreadableChange } from './catalogue/readable-change.ts';
import { ChangeUnavailable, OlderFrontError, TooLargeChange } from './catalogue/write-change.ts';
import { DatabaseError, type DatabaseErrorKind } from '../sqlite/database-error.ts';

/** The problem types of the HTTP API. */
export type ProblemKind =
  | 'bad-request'
  | 'bad-release'
  | 'unauthorized'
  | 'missing-scope'
  | 'unknown-address'
  | 'unknown-module'
  | 'unknown-version'
  | 'method-not-allowed'
  | 'already-published'
  | 'without-rollout'
  | 'older-machines'
  | 'older-front'
  | 'unknown-rollout'
  | 'unknown-machine'
  | 'unknown-config'
  | 'stale-config'
  | 'no-secrets'
  | 'no-logs'
  | 'logs-unavailable'
  | 'too-many-commands'
  | 'stale-rollout'
  | 'rollout-conflict'
  | 'gap'
  | 'duplicate-machine'
  | 'too-large'
  | 'not-json'
  | 'too-many-requests'
  | 'behind'
  | 'unavailable'
  | 'overloaded'
  | 'unhealthy'
  | 'unknown-file'
  | 'length-required'
  | 'no-such-range'
  | 'bad-file'
  | 'too-many-uploads'
  | 'lost-file'
  | 'internal'
  | 'locked'
  | 'storage-full';

const PROBLEMS: Readonly<Record<ProblemKind, readonly [status: number, title: string]>> = {
  'bad-request': [400, 'The request cannot be read'],
  'bad-release': [422, 'The body has errors'],
  unauthorized: [401, 'A token that this registry accepts is required'],
  'missing-scope': [403, 'The token does not allow this'],
  'unknown-address': [404, 'There is nothing at this address'],
  'unknown-module': [404, 'There is no such module'],
  'unknown-version': [404, 'The module has no such version'],
  'method-not-allowed': [405, 'The address does not support this method'],
  'already-published': [409, 'The version is already published with different content'],
  'without-rollout': [409, 'The version is already published without a rollout'],
  'older-machines': [409, 'Machines would ignore a field of the release'],
  'older-front': [409, 'A front of the cluster could not read the change'],
  'unknown-rollout': [404, 'The release has no rollout'],
  'unknown-machine': [404, 'No machine has reported under this id'],
  'unknown-config': [404, 'There are no such documents of the machine'],
  'stale-config': [409, 'The documents have changed in the meantime'],
  'no-secrets': [409, 'The registry cannot keep or read secrets of machines'],
  'no-logs': [409, 'The registry keeps no logs of machines'],
  'logs-unavailable': [503, 'The registry cannot use its file of logs'],
  'too-many-commands': [409, 'Too many commands of the machine wait'],
  'stale-rollout': [409, 'The rollout has changed in the meantime'],
  'rollout-conflict': [409, 'The rollout does not allow this'],
  gap: [409, 'Outcomes before the report are missing'],
  'duplicate-machine': [409, 'Two machines report under one id'],
  'too-large': [413, 'The body is too large'],
  'not-json': [415, 'The body is not application/json'],
  'too-many-requests': [429, 'The client has too many requests at once'],
  behind: [503, 'The registry does not have the change yet that the client knows'],
  unavailable: [503, 'The cluster cannot take a change now'],
  overloaded: [503, 'The registry has too many responses that are not read'],
  unhealthy: [503, 'The registry has a fault'],
  'unknown-file': [404, 'There is no such file'],
  'length-required': [411, 'The length of the file is required'],
  'no-such-range': [416, 'The file does not have these bytes'],
  'bad-file': [422, 'The file is not the announced one'],
  'too-many-uploads': [503, 'The registry receives too many files at once'],
  'lost-file': [500, 'The registry has lost a file that a release lists'],
  internal: [500, 'The registry had an internal error'],
  locked: [503, 'The catalogue is locked by another process'],
  'storage-full': [507, 'The catalogue cannot be written'],
};

const DATABASE_PROBLEMS: Readonly<Record<DatabaseErrorKind, ProblemKind>> = {
  missing: 'internal',
  damaged: 'internal',
  unreadable: 'internal',
  'later-schema': 'internal',
  locked: 'locked',
  unwritable: 'storage-full',
};

interface ProblemOptions {
  readonly errors?: readonly string[];
  readonly headers?: Record<string, string>;
  /** Further members of the document. */
  readonly members?: Readonly<Record<string, number | readonly string[]>>;
}

/** The parts of a problem response (RFC 9457). `detail` is written for a person. */
export function problemText(
  kind: ProblemKind,
  detail: string,
  { errors, headers = {}, members }: ProblemOptions = {},
): { status: number; text: string; headers: Record<string, string> } {
  const [status, title] = PROBLEMS[kind];
  const body = {
    type: `urn:modreg:${kind}`,
    title,
    status,
    detail,
    ...(errors ? { errors } : {}),
    ...members,
  };
  const text = `${JSON.stringify(body)}\n`;
  return { status, text, headers: { 'content-type': 'application/problem+json', ...headers } };
}

/** A problem response (RFC 9457). */
export function problem(kind: ProblemKind, detail: string, options?: ProblemOptions): Response {
  const { status, text, headers } = problemText(kind, detail, options);
  return new Response(text, { status, headers });
}

/** The response to a request during which `error` was thrown. Reveals nothing about the file system. */
export function problemOf(error: unknown): Response {
  if (error instanceof ChangeUnavailable) {
    const detail = 'the change may have been made: send it again unchanged, or read it first';
    return problem('unavailable', detail, { headers: { 'retry-after': '5' } });
  }
  if (error instanceof OlderFrontError) {
    return problem('older-front', `${error.message}; nothing was changed`);
  }
  if (error instanceof TooLargeChange) {
    return problem('too-large', `${error.message}; nothing was changed`);
  }
  if (error instanceof UnreadableChange) {
    const detail = `nothing was changed, because it could not be read again: ${error.message}`;
    return problem('bad-release', detail, { errors: [detail] });
  }
  if (!(error instanceof DatabaseError)) return problem('internal', 'nothing was changed');
  const kind = DATABASE_PROBLEMS[error.kind];
  const headers: Record<string, string> = kind === 'locked' ? { 'retry-after': '1' } : {};
  return problem(kind, 'nothing was changed', { headers });
}
