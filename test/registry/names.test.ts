import { afterEach, expect, it, vi } from 'vitest';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const HOST = 'https://registry.example';

afterEach(() => void vi.unstubAllGlobals());

/** Makes `fetch` fail as Node's does before a connection exists. */
function stubFailingFetch(...causes: readonly Error[]): void {
  const cause = causes.length === 1 ? causes[0] : new AggregateError(causes, '');
  vi.stubGlobal(
    'fetch',
    async () => await Promise.reject(new TypeError('fetch failed', { cause })),
  );
}

function coded(code: string): Error {
  return Object.assign(new Error('text that may contain anything'), { code });
}

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
  stubFailingFetch(...codes.map(coded));
  const { registry, clock } = remembered(HOST);
  const outcome = await outcomeOf(registry.read(LIDAR));
  expect([outcome, clock.sleeps]).toEqual([`${kind}: the registry ${HOST} ${found}`, [500, 1000]]);
});

it('a bug is not reported as a network error', async () => {
  vi.stubGlobal('fetch', async () => await Promise.reject(new RangeError('a bug')));
  await expect(remembered(HOST).registry.read(LIDAR)).rejects.toThrow(new RangeError('a bug'));
});
