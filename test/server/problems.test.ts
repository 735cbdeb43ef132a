import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { addHealthRoute } from '../../src/server/routes/health.ts';
import { problem, problemOf, type ProblemKind } from '../../src/server/problem.ts';
import { UnreadableChange } from '../../src/server/catalogue/readable-change.ts';
import { DatabaseError, type DatabaseErrorKind } from '../../src/sqlite/database-error.ts';

const PROBLEMS: Readonly<Record<ProblemKind, readonly [number, string]>> = {
  'bad-request': [400, 'The request cannot be read'],
  unauthorized: [401, 'A token that this registry accepts is required'],
  'missing-scope': [403, 'The token does not allow this'],
  'unknown-address': [404, 'There is nothing at this address'],
  'unknown-module': [404, 'There is no such module'],
  'unknown-version': [404, 'The module has no such version'],
  'unknown-rollout': [404, 'The release has no rollout'],
  'unknown-machine': [404, 'No machine has reported under this id'],
  'unknown-config': [404, 'There are no such documents of the machine'],
  'stale-config': [409, 'The documents have changed in the meantime'],
  'no-secrets': [409, 'The registry cannot keep or read secrets of machines'],
  'no-logs': [409, 'The registry keeps no logs of machines'],
  'logs-unavailable': [503, 'The registry cannot use its file of logs'],
  'unknown-file': [404, 'There is no such file'],
  'method-not-allowed': [405, 'The address does not support this method'],
  'already-published': [409, 'The version is already published with different content'],
  'older-machines': [409, 'Machines would ignore a field of the release'],
  'older-front': [409, 'A front of the cluster could not read the change'],
  'without-rollout': [409, 'The version is already published without a rollout'],
  'too-many-commands': [409, 'Too many commands of the machine wait'],
  'stale-rollout': [409, 'The rollout has changed in the meantime'],
  'rollout-conflict': [409, 'The rollout does not allow this'],
  gap: [409, 'Outcomes before the report are missing'],
  'duplicate-machine': [409, 'Two machines report under one id'],
  'length-required': [411, 'The length of the file is required'],
  'too-large': [413, 'The body is too large'],
  'not-json': [415, 'The body is not application/json'],
  'no-such-range': [416, 'The file does not have these bytes'],
  'bad-release': [422, 'The body has errors'],
  'bad-file': [422, 'The file is not the announced one'],
  'too-many-requests': [429, 'The client has too many requests at once'],
  internal: [500, 'The registry had an internal error'],
  'lost-file': [500, 'The registry has lost a file that a release lists'],
  locked: [503, 'The catalogue is locked by another process'],
  unavailable: [503, 'The cluster cannot take a change now'],
  behind: [503, 'The registry does not have the change yet that the client knows'],
  overloaded: [503, 'The registry has too many responses that are not read'],
  'too-many-uploads': [503, 'The registry receives too many files at once'],
  unhealthy: [503, 'The registry has a fault'],
  'storage-full': [507, 'The catalogue cannot be written'],
};

it.each(Object.entries(PROBLEMS))('the problem %s is %j', async (kind, [status, title]) => {
  // Cast: the compiler checks the keys.
  const answer = problem(kind as ProblemKind, 'why', { headers: { allow: 'GET' } });
  expect([answer.status, ...answer.headers]).toEqual([
    status,
    ['allow', 'GET'],
    ['content-type', 'application/problem+json'],
  ]);
  const type = `urn:modreg:${kind}`;
  expect(await answer.text()).toBe(`${JSON.stringify({ type, title, status, detail: 'why' })}\n`);
});

it.each<[DatabaseErrorKind, number, string | null, string]>([
  ['missing', 500, null, 'the registry file was replaced or removed'],
  ['damaged', 500, null, 'the registry file is damaged'],
  ['unreadable', 500, null, 'the registry file cannot be read'],
  ['later-schema', 500, null, 'a later modreg has changed the registry file'],
  ['locked', 503, '1', 'another process has locked the registry file'],
  ['unwritable', 507, null, 'the registry file cannot be written: the disk is full or read-only'],
])(
  '[T81] a file that is %s: a request gets %d, and /healthz says why',
  async (kind, ...expected) => {
    const error = new DatabaseError(kind, '/home/x/registry.db: secret');
    const answer = problemOf(error);
    const { detail } = Object(await answer.json());
    const app = new Hono();
    addHealthRoute(app, () => error, undefined);
    const health = await app.request('/healthz');
    const [status, retryAfter, why] = expected;
    expect([answer.status, answer.headers.get('retry-after'), detail]).toEqual([
      status,
      retryAfter,
      'nothing was changed',
    ]);
    expect([health.status, health.headers.get('retry-after'), await health.json()]).toMatchObject([
      503,
      '5',
      { type: 'urn:modreg:unhealthy', detail: why },
    ]);
  },
);

it('[T257] a change that could not be read again is refused as a body with errors, which the problem names', async () => {
  const answer = problemOf(new UnreadableChange('/published_at: "+010000-" is not a time'));
  const detail =
    'nothing was changed, because it could not be read again: /published_at: "+010000-" is not a time';
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    { type: 'urn:modreg:bad-release', detail, errors: [detail] },
  ]);
});
