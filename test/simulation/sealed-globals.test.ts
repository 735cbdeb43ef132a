import { describe, expect, it } from 'vitest';
import { clientTimers } from './client-timers.ts';
import { letHttpThrough } from './http-globals.ts';
import { loopbackServer } from './loopback-server.ts';
import { sealGlobals } from './sealed-globals.ts';

/** What `touch` returns, or its error as text, while the globals are sealed. */
function sealed(touch: () => unknown): unknown {
  const unseal = sealGlobals(() => 1234);
  try {
    return touch();
  } catch (error) {
    return String(error);
  } finally {
    unseal();
  }
}

/** What `touch` returns, or its error as text, while only HTTP passes the sealed globals. */
async function withHttp(touch: () => unknown): Promise<unknown> {
  const unseal = sealGlobals(() => 1234);
  const close = letHttpThrough(clientTimers(() => 1234));
  try {
    return await touch();
  } catch (error) {
    return String(error);
  } finally {
    close();
    unseal();
  }
}

describe('a simulated machine', () => {
  it.each<[string, () => unknown]>([
    ['Date.now', () => Date.now()],
    ['Math.random', () => Math.random()],
    ['setTimeout', () => setTimeout(() => undefined, 0)],
    ['setInterval', () => setInterval(() => undefined, 1)],
    ['setImmediate', () => setImmediate(() => undefined)],
    ['fetch', () => fetch('http://127.0.0.1:1/')],
  ])('cannot use %s', (name, touch) => {
    const why = 'the play would not depend on its seed alone';
    expect(sealed(touch)).toBe(`Error: ${name} was used: ${why}`);
  });

  it.each<[string, () => unknown, unknown]>([
    ['NaN as the current date', () => new Date().getTime(), Number.NaN],
    ['the date of a given time', () => new Date(7).getTime(), 7],
    ['dates that are instances of Date', () => new Date(7) instanceof Date, true],
    ['Date.parse', () => Date.parse('1970-01-01T00:00:01Z'), 1000],
    ['virtual time from performance.now', () => performance.now(), 1234],
  ])('gets %s', (_, touch, expected) => {
    expect(sealed(touch)).toBe(expected);
  });

  it('restores the globals', () => {
    const before = [Date, Math.random, setTimeout, setInterval, setImmediate, fetch];
    sealed(() => 1);
    expect([Date, Math.random, setTimeout, setInterval, setImmediate, fetch]).toEqual(before);
    expect(Date.now()).toBeGreaterThan(0);
  });
});

describe('a simulated machine that sends HTTP', () => {
  it.each<[string, () => unknown]>([
    ['Date.now', () => Date.now()],
    ['Math.random', () => Math.random()],
    ['setTimeout', () => setTimeout(() => undefined, 0)],
    ['setInterval', () => setInterval(() => undefined, 1)],
    ['setImmediate', () => setImmediate(() => undefined)],
  ])('cannot use %s', async (name, touch) => {
    const why = 'the play would not depend on its seed alone';
    expect(await withHttp(touch)).toBe(`Error: ${name} was used: ${why}`);
  });

  it('sends HTTP with the timers and the clock of Node', async () => {
    const server = await loopbackServer();
    const { address, arrived, respond } = server.expect(1);
    const sent = withHttp(async () => {
      const response = fetch(`${address}/v1`);
      await arrived;
      respond({ status: 200, headers: {}, text: 'here' }, true);
      return await (await response).text();
    });
    expect(await sent).toBe('here');
    await server.close();
  });

  it('restores the globals', async () => {
    const before = [Date, Math.random, setTimeout, clearTimeout, clearInterval, AbortSignal];
    await withHttp(() => 1);
    const after = [Date, Math.random, setTimeout, clearTimeout, clearInterval, AbortSignal];
    expect(after).toEqual(before);
  });
});
