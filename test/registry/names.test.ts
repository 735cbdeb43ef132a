import { afterEach, expect, it, vi } from 'vitest';
import { LIDAR, outcomeOf, remembered } from '../support/remembered.ts';

const HOST = 'https://registry.example';

afterEach(() => void vi.unstubAllGlobals());

/** How Node's fetch fails before there is a connection. */
function failing(...causes: readonly Error[]): void {
  const cause = causes.length === 1 ? causes[0] : new AggregateError(causes, '');
  vi.stubGlobal(
    'fetch',
    async () => await Promise.reject(new TypeError('fetch failed', { cause })),
  );
}

function coded(code: string): Error {
  return Object.assign(new Error('a text that may hold anything'), { code });
}

it.each([
  [
    'a name that is not known',
    ['ENOTFOUND'],
    'registry-unreachable',
    'cannot be reached (ENOTFOUND)',
  ],
  [
    'a name server that fails',
    ['EAI_AGAIN'],
    'registry-unreachable',
    'cannot be reached (EAI_AGAIN)',
  ],
  ['no route', ['EHOSTUNREACH'], 'registry-unreachable', 'cannot be reached (EHOSTUNREACH)'],
  [
    'no route by IPv6, and nobody by IPv4',
    ['ENETUNREACH', 'ECONNREFUSED'],
    'registry-unreachable',
    'cannot be reached (ENETUNREACH)',
  ],
  [
    'no connection',
    ['UND_ERR_CONNECT_TIMEOUT'],
    'registry-timeout',
    'did not accept a connection in time (UND_ERR_CONNECT_TIMEOUT)',
  ],
])('[T42] %s', async (_, codes, kind, found) => {
  failing(...codes.map(coded));
  const { registry, clock } = remembered(HOST);
  const outcome = await outcomeOf(registry.read(LIDAR));
  expect([outcome, clock.sleeps]).toEqual([`${kind}: the registry ${HOST} ${found}`, [500, 1000]]);
});

it('a mistake of our own is not blamed on the network', async () => {
  vi.stubGlobal('fetch', async () => await Promise.reject(new RangeError('a mistake')));
  await expect(remembered(HOST).registry.read(LIDAR)).rejects.toThrow(new RangeError('a mistake'));
});
