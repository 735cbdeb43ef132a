import { describe, expect, it } from 'vitest';
import type { Answer } from '../../mocks/network.ts';
import { answers, document, HOST, status } from '../../mocks/scripted-registry.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const NO_TIME_LIMIT = { limits: { retryWithinMs: 10_000_000 } };

/** The delays between the attempts at one request, in milliseconds. */
async function sleeps(
  answer: Answer,
  options: Parameters<typeof remembered>[1] = NO_TIME_LIMIT,
): Promise<readonly number[]> {
  const { registry, clock } = remembered(HOST, options);
  asked.next(answer);
  await outcomeOf(registry.read(LIDAR));
  return clock.sleeps;
}

describe('[R1] a request is tried at most three times', () => {
  it.each<[string, number, readonly number[]]>([
    ['with delays of at least half a second and one second', 0, [500, 1000]],
    ['with delays of at most one second and two seconds', 1, [1000, 2000]],
  ])('%s', async (_, random, expected) => {
    expect(await sleeps(status(503), { random: () => random })).toEqual(expected);
  });

  it('and the result is the last response', async () => {
    const { registry } = remembered(HOST);
    asked.next(status(503), status(500), document(['1.2.3']));
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.2.3');
    expect(asked.requests).toHaveLength(3);
  });

  it('and not after `retryWithinMs`', async () => {
    expect(await sleeps(status(503), { random: () => 0, limits: { retryWithinMs: 600 } })).toEqual([
      500,
    ]);
  });
});

describe('[T22] Retry-After is clamped to one second and one hour, or ignored if malformed', () => {
  it.each<[string, string, number]>([
    ['a number of seconds', '7', 7000],
    ['zero', '0', 1000],
    ['longer than an hour', '3000000', 3_600_000],
    ['more than the largest number', '9'.repeat(400), 3_600_000],
    ['a date in the future', 'Sat, 21 Nov 2026 01:02:33 GMT', 30_000],
    ['a date in the past', 'Wed, 21 Oct 2015 07:28:00 GMT', 1000],
    ['a date in the far future', 'Sat, 21 Nov 2099 01:02:33 GMT', 3_600_000],
    ['a day that does not exist', 'Sat, 99 Nov 2026 01:02:33 GMT', 500],
    ['a date and more', 'Sat, 21 Nov 2026 01:02:33 GMT+1', 500],
    ['negative', '-1', 500],
    ['a fraction', '1.5', 500],
    ['an exponent', '1e400', 500],
    ['words', 'soon', 500],
    ['two numbers', '5, 10', 500],
    ['an empty value', '', 500],
  ])('%s', async (_, text, expected) => {
    const [first] = await sleeps(status(429, { 'retry-after': text }), {
      random: () => 0,
      ...NO_TIME_LIMIT,
    });
    expect(first).toBe(expected);
  });

  it('does not shorten the delay of the second retry', async () => {
    const answer = status(429, { 'retry-after': '1' });
    expect(await sleeps(answer, { random: () => 1, ...NO_TIME_LIMIT })).toEqual([1000, 2000]);
  });

  it('one after `retryWithinMs` is reported without a retry', async () => {
    const { registry, clock } = remembered(HOST);
    asked.next(status(503, { 'retry-after': '60' }));
    await expect(registry.read(LIDAR)).rejects.toMatchObject({
      kind: 'registry-busy',
      message: `the registry ${HOST} is busy or failing (503), and asks to retry after 60 s`,
      retryAfterMs: 60_000,
    });
    expect([clock.sleeps, asked.requests.length]).toEqual([[], 1]);
  });
});

it('reports each retry with its error and delay', async () => {
  const retries: string[] = [];
  const { registry } = remembered(HOST, {
    onRetry: (error, delayMs) => retries.push(`${error.message}; in ${delayMs} ms`),
  });
  asked.next(status(503), status(429, { 'retry-after': '7' }), document([]));
  await registry.read(LIDAR);
  const failing = `the registry ${HOST} is busy or failing`;
  expect(retries).toEqual([
    `${failing} (503); in 500 ms`,
    `${failing} (429), and asks to retry after 7 s; in 7000 ms`,
  ]);
});

it('an aborted request is not retried', async () => {
  const controller = new AbortController();
  const { registry } = remembered(HOST);
  asked.next(() => {
    controller.abort(new Error('aborted'));
    return new Response(null, { status: 503 });
  });
  await expect(registry.read(LIDAR, controller.signal)).rejects.toThrow('aborted');
  expect(asked.requests).toHaveLength(1);
});
