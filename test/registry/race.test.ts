import { describe, expect, it } from 'vitest';
import { raced, type HostAddress } from '../../src/registry/http/race.ts';
import { virtualClock } from '../../src/testing/index.ts';

/** An address, and what an attempt to connect to it comes to: `=` a connection, `!` an error, after so many milliseconds. */
const FORM = /^(\S+)([=!])(\d+|never)$/;

/**
 * What a race over such addresses comes to, when, and the attempts: each with its start, and `closed` if it was connected or cut off
 * too late.
 */
async function race(written: readonly string[], abortAt = Infinity): Promise<string> {
  const clock = virtualClock();
  const began = clock.monotonic();
  const attempts: string[] = [];
  const ends = new Map<string, readonly [string, number]>();
  const addresses = written.map((text): HostAddress => {
    const [, address = '', end = '', ms] = FORM.exec(text) ?? [];
    ends.set(address, [end, ms === 'never' ? Infinity : Number(ms)]);
    return { address, family: address.includes(':') ? 6 : 4 };
  });
  const stop = new AbortController();
  let result = 'pending';
  const racing = raced<string>(
    addresses,
    {
      async connect({ address }, signal) {
        attempts.push(`${address}@${clock.monotonic() - began}`);
        const [end, ms] = ends.get(address) ?? ['!', 0];
        // A connection may be made at the moment at which its attempt ends.
        await clock.sleep(ms === Infinity ? 1e9 : ms, end === '=' ? undefined : signal);
        if (end === '!') throw new Error(`no route to ${address}`);
        return address;
      },
      close: (address) => void attempts.push(`closed ${address}`),
      sleep: async (ms, signal) => await clock.sleep(ms, signal),
    },
    stop.signal,
  ).then(
    (address) => (result = `${address} after ${clock.monotonic() - began}`),
    (error: unknown) => (result = `${String(error)} after ${clock.monotonic() - began}`),
  );
  if (abortAt < Infinity) {
    await clock.pass(abortAt);
    stop.abort(new Error('enough'));
  }
  await clock.pass(20_000);
  if (abortAt === Infinity && result === 'pending') return result;
  await racing;
  return `${result}: ${attempts.join(' ')}`;
}

describe('[T417] a race between the addresses of a host', () => {
  it.each([
    ['one', ['10.0.0.1=400'], '10.0.0.1 after 400: 10.0.0.1@0'],
    [
      'a slow one beside one without a route',
      ['10.0.0.1=400', 'fd::1!0'],
      '10.0.0.1 after 400: 10.0.0.1@0 fd::1@250',
    ],
    [
      'one without a route before a slow one',
      ['fd::1!0', '10.0.0.1=400'],
      '10.0.0.1 after 400: fd::1@0 10.0.0.1@0',
    ],
    [
      'one that drops everything before a quick one',
      ['fd::1!never', '10.0.0.1=10'],
      '10.0.0.1 after 260: fd::1@0 10.0.0.1@250',
    ],
    [
      'two that are slow: the first one wins, and the other is closed',
      ['fd::1=600', '10.0.0.1=400'],
      'fd::1 after 600: fd::1@0 10.0.0.1@250 closed 10.0.0.1',
    ],
    [
      'two families: they alternate',
      ['fd::1!never', 'fd::2!never', 'fd::3!never', '10.0.0.1!never', '10.0.0.2=1'],
      '10.0.0.2 after 751: fd::1@0 10.0.0.1@250 fd::2@500 10.0.0.2@750',
    ],
    [
      'none that answers: the error is that of the first',
      ['10.0.0.1!300', '10.0.0.2!0', 'fd::1!0'],
      'Error: no route to 10.0.0.1 after 300: 10.0.0.1@0 fd::1@250 10.0.0.2@250',
    ],
  ])('%s', async (_, addresses, expected) => {
    expect(await race(addresses)).toBe(expected);
  });

  it('ends with the reason of its signal, and nothing begins afterwards', async () => {
    expect(await race(['fd::1!never', '10.0.0.1!never'], 100)).toBe(
      'Error: enough after 100: fd::1@0',
    );
  });
});
