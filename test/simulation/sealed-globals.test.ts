import { describe, expect, it } from 'vitest';
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
