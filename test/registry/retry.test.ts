import { describe, expect, it } from 'vitest';
import { answers, document, HOST, status, type Answer } from '../support/answers.ts';
import { LIDAR, outcomeOf, remembered } from '../support/remembered.ts';

const asked = answers();
const PATIENT = { limits: { patienceMs: 10_000_000 } };

/** How long is slept between the attempts at one request, in milliseconds. */
async function sleeps(
  answer: Answer,
  options: Parameters<typeof remembered>[1] = PATIENT,
): Promise<readonly number[]> {
  const { registry, clock } = remembered(HOST, options);
  asked.next(answer);
  await outcomeOf(registry.read(LIDAR));
  return clock.sleeps;
}

describe('[R1] a request is tried three times at most', () => {
  it.each<[string, number, readonly number[]]>([
    ['at the earliest after half a second and one', 0, [500, 1000]],
    ['at the latest after one second and two', 1, [1000, 2000]],
  ])('%s', async (_, random, expected) => {
    expect(await sleeps(status(503), { random: () => random })).toEqual(expected);
  });

  it('the last answer counts', async () => {
    const { registry } = remembered(HOST);
    asked.next(status(503), status(500), document(['1.2.3']));
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.2.3');
    expect(asked.requests).toHaveLength(3);
  });

  it('none begins after the patience is over', async () => {
    expect(await sleeps(status(503), { random: () => 0, limits: { patienceMs: 600 } })).toEqual([
      500,
    ]);
  });
});

describe('[T22] Retry-After is clamped to one second and one hour, and junk is ignored', () => {
  it.each<[string, string, number]>([
    ['a number of seconds', '7', 7000],
    ['zero', '0', 1000],
    ['longer than an hour', '3000000', 3_600_000],
    ['longer than a number', '9'.repeat(400), 3_600_000],
    ['a date to come', 'Sat, 21 Nov 2026 01:02:33 GMT', 30_000],
    ['a date that is past', 'Wed, 21 Oct 2015 07:28:00 GMT', 1000],
    ['a date far away', 'Sat, 21 Nov 2099 01:02:33 GMT', 3_600_000],
    ['no date', 'Sat, 99 Nov 2026 01:02:33 GMT', 500],
    ['negative', '-1', 500],
    ['a fraction', '1.5', 500],
    ['an exponent', '1e400', 500],
    ['words', 'soon', 500],
    ['two of them', '5, 10', 500],
    ['nothing', '', 500],
  ])('%s', async (_, text, expected) => {
    const [first] = await sleeps(status(429, { 'retry-after': text }), {
      random: () => 0,
      ...PATIENT,
    });
    expect(first).toBe(expected);
  });

  it('one beyond the patience is told, and not waited for', async () => {
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

it('tells what is tried again, and when', async () => {
  const told: string[] = [];
  const { registry } = remembered(HOST, {
    onRetry: (error, delayMs) => told.push(`${error.message}; in ${delayMs} ms`),
  });
  asked.next(status(503), document([]));
  await registry.read(LIDAR);
  expect(told).toEqual([`the registry ${HOST} is busy or failing (503); in 500 ms`]);
});

it('one that is called off is not tried again', async () => {
  const controller = new AbortController();
  const { registry } = remembered(HOST);
  asked.next(() => {
    controller.abort(new Error('called off'));
    return new Response(null, { status: 503 });
  });
  await expect(registry.read(LIDAR, controller.signal)).rejects.toThrow('called off');
  expect(asked.requests).toHaveLength(1);
});
