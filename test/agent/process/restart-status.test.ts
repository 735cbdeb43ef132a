import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { restartAllowedAt } from '../../../src/agent/process/restart-status.ts';
import { plainServer } from '../../../mocks/plain-server.ts';

const LARGEST = 64 * 1024;

it.each<[string, (response: ServerResponse) => unknown, boolean | string]>([
  ['true', (to) => to.end('{"restart_allowed": true}'), true],
  ['false', (to) => to.end('{"restart_allowed": false}'), false],
  ['no field', (to) => to.end('{}'), 'answered without restart_allowed: true or false'],
  [
    'a word',
    (to) => to.end('{"restart_allowed": "true"}'),
    'answered without restart_allowed: true or false',
  ],
  ['text', (to) => to.end('busy'), 'answered without restart_allowed: true or false'],
  ['a redirection', (to) => to.writeHead(302, { location: '/other' }).end(), 'answered 302'],
  ['503', (to) => to.writeHead(503).end('{"restart_allowed": true}'), 'answered 503'],
  [
    'a body that is too large and does not end',
    (to) => to.write(' '.repeat(LARGEST + 1)),
    'answered with more than 65536 characters',
  ],
  ['nothing', () => undefined, 'did not answer within 2 seconds'],
  [
    'a body that does not end',
    (to) => to.write('{"restart_allowed": true}'),
    'did not answer within 2 seconds',
  ],
  ['no response', (to) => to.destroy(), 'does not answer (UND_ERR_SOCKET)'],
])('a server whose restart_status responds with %s', async (_, answer, expected) => {
  const server = await plainServer((response) => {
    answer(response);
  });
  const url = `${server.address}/status`;
  const value =
    typeof expected === 'boolean'
      ? { ok: true, value: expected }
      : { ok: false, error: `${url} ${expected}` };
  expect(await restartAllowedAt(url)).toEqual(value);
  expect(server.requests).toEqual(['/status']);
});

it('a server whose restart_status nothing listens at', async () => {
  const server = await plainServer(() => undefined);
  server.close();
  const error = `${server.address} does not answer (ECONNREFUSED)`;
  expect(await restartAllowedAt(server.address)).toEqual({ ok: false, error });
});
