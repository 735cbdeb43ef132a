import { setGlobalProxyFromEnv, type ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import {
  askingPrograms,
  restartStatusAt,
  type RestartStatus,
} from '../../../src/agent/process/restart-status.ts';
import { forwardProxy } from '../../../mocks/forward-proxy.ts';
import { plainServer } from '../../../mocks/plain-server.ts';

const LARGEST = 64 * 1024;
const NO_REASON = { reason: undefined, isOverridable: undefined };

it.each<[string, (response: ServerResponse) => unknown, RestartStatus | string]>([
  ['true', (to) => to.end('{"restart_allowed": true}'), { ...NO_REASON, isAllowed: true }],
  ['false', (to) => to.end('{"restart_allowed": false}'), { ...NO_REASON, isAllowed: false }],
  [
    'false and a reason',
    (to) => to.end('{"restart_allowed": false, "reason": "docking", "overridable": true}'),
    { isAllowed: false, reason: 'docking', isOverridable: true },
  ],
  [
    'fields of other types',
    (to) => to.end('{"restart_allowed": false, "reason": 7, "overridable": "yes"}'),
    { ...NO_REASON, isAllowed: false },
  ],
  ['null', (to) => to.end('null'), 'answered without restart_allowed: true or false'],
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
  ['no response', (to) => to.destroy(), 'does not answer (ECONNRESET)'],
])('[T362] a server whose restart_status responds with %s', async (_, answer, expected) => {
  const server = await plainServer((response) => {
    answer(response);
  });
  const url = `${server.address}/status`;
  const value =
    typeof expected === 'string'
      ? { ok: false, error: `${url} ${expected}` }
      : { ok: true, value: expected };
  expect(await restartStatusAt(url)).toEqual(value);
  expect(server.requests).toEqual(['/status']);
});

it('a server whose restart_status nothing listens at', async () => {
  const server = await plainServer(() => undefined);
  server.close();
  const error = `${server.address} does not answer (ECONNREFUSED)`;
  expect(await restartStatusAt(server.address)).toEqual({ ok: false, error });
});

it('the query of an address, which may have a secret, is not in the reason', async () => {
  const server = await plainServer((response) => void response.writeHead(500).end());
  const error = `${server.address}/status answered 500`;
  expect(await restartStatusAt(`${server.address}/status?token=CANARY#CANARY`)).toEqual({
    ok: false,
    error,
  });
});

it('[D113] is asked without a proxy, also if Node is told to use one', async () => {
  const proxy = await forwardProxy({});
  onTestFinished(setGlobalProxyFromEnv({ HTTP_PROXY: proxy.address }));
  const { address } = await plainServer((to) => void to.end('{"restart_allowed": true}'));
  expect(await restartStatusAt(address)).toEqual({
    ok: true,
    value: { ...NO_REASON, isAllowed: true },
  });
  expect(proxy.requests).toEqual([]);
});

const ALLOWED = { ...NO_REASON, isAllowed: true };

it.each<[string, readonly (RestartStatus | string)[], readonly string[]]>([
  ['once', ['it is silent', 'it is silent'], ['lidar: it is silent']],
  [
    'again after it was clear',
    ['it is silent', ALLOWED, 'it is silent'],
    ['lidar: it is silent', 'lidar: it is silent'],
  ],
  [
    'when it changes',
    ['it is silent', 'it answered 500'],
    ['lidar: it is silent', 'lidar: it answered 500'],
  ],
])(
  '[D77] why a program does not say whether it may be stopped is told %s',
  async (_, answers, expected) => {
    const told: string[] = [];
    const left = [...answers];
    const ask = askingPrograms(
      async () => {
        const answer = left.shift() ?? ALLOWED;
        const isClear = typeof answer !== 'string';
        return await Promise.resolve(
          isClear ? { ok: true, value: answer } : { ok: false, error: answer },
        );
      },
      (name, reason) => void told.push(`${name}: ${reason}`),
    );
    for (const answer of answers) {
      const status = await ask('lidar', 'http://127.0.0.1/', true);
      expect(status).toEqual(typeof answer === 'string' ? undefined : answer);
    }
    expect(told).toEqual(expected);
  },
);
