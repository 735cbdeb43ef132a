import { describe, expect, it } from 'vitest';
import { sealGlobals } from './sealed-globals.ts';

/** What `touch` comes to while the globals are sealed. */
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
  ])('is not given %s', (name, touch) => {
    const why = 'what a seed decides would depend on the world';
    expect(sealed(touch)).toBe(`Error: ${name} was used: ${why}`);
  });

  it.each<[string, () => unknown, unknown]>([
    ['the time of no moment', () => new Date().getTime(), Number.NaN],
    ['the time of a moment', () => new Date(7).getTime(), 7],
    ['dates that are dates', () => new Date(7) instanceof Date, true],
    ['what a text says', () => Date.parse('1970-01-01T00:00:01Z'), 1000],
    ['its own time for measuring', () => performance.now(), 1234],
  ])('is given %s', (_, touch, expected) => {
    expect(sealed(touch)).toBe(expected);
  });

  it('leaves the world as it was', () => {
    const before = [Date, Math.random, setTimeout, setInterval, setImmediate, fetch];
    sealed(() => 1);
    expect([Date, Math.random, setTimeout, setInterval, setImmediate, fetch]).toEqual(before);
    expect(Date.now()).toBeGreaterThan(0);
  });
});
