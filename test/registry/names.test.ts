import { expect, it } from 'vitest';
import { networkFailure } from '../../mocks/network-failure.ts';
import { answeredBy } from '../../mocks/replaced-fetch.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const HOST = 'https://registry.example';

it.each([
  ['an unknown host name', ['ENOTFOUND'], 'registry-unreachable', 'cannot be reached (ENOTFOUND)'],
  [
    'a name server that fails',
    ['EAI_AGAIN'],
    'registry-unreachable',
    'cannot be reached (EAI_AGAIN)',
  ],
  [
    'no route to the host',
    ['EHOSTUNREACH'],
    'registry-unreachable',
    'cannot be reached (EHOSTUNREACH)',
  ],
  [
    'no route over IPv6, and a refused connection over IPv4',
    ['ENETUNREACH', 'ECONNREFUSED'],
    'registry-unreachable',
    'cannot be reached (ENETUNREACH)',
  ],
  [
    'a code with a control character',
    ['E\u001b[2J'],
    'registry-unreachable',
    String.raw`cannot be reached (E\u{1b}[2J)`,
  ],
  [
    'a connection that times out',
    ['UND_ERR_CONNECT_TIMEOUT'],
    'registry-timeout',
    'did not accept a connection in time (UND_ERR_CONNECT_TIMEOUT)',
  ],
])('[T42] %s', async (_, codes, kind, found) => {
  const { registry, clock } = remembered(HOST);
  const fail = async (): Promise<never> => await Promise.reject(networkFailure(...codes));
  const outcome = await answeredBy(fail, async () => await outcomeOf(registry.read(LIDAR)));
  expect([outcome, clock.sleeps]).toEqual([`${kind}: the registry ${HOST} ${found}`, [500, 1000]]);
});

it('a bug is not reported as a network error', async () => {
  const bug = new RangeError('a bug');
  const read = answeredBy(
    async () => await Promise.reject(bug),
    async () => await remembered(HOST).registry.read(LIDAR),
  );
  await expect(read).rejects.toThrow(bug);
});
