import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { rememberingValid } from '../../src/registry/validated-modules.ts';

/** A schema, and how often it validated. */
function counted() {
  let count = 0;
  const even = v.check<number, string>((value) => {
    count++;
    return value % 2 === 0;
  }, 'expected an even number');
  const schema = rememberingValid(v.object({ number: v.pipe(v.number(), even) }));
  const read = (value: unknown): unknown => {
    const { success, output, issues } = v.safeParse(schema, value);
    return success ? output : issues.map(({ message }) => message);
  };
  return { read, count: () => count };
}

/** Lists in lists, deeper than JSON can be written. */
function nested(): unknown {
  let value: unknown = [];
  for (let level = 0; level < 200_000; level++) value = [value];
  return value;
}

describe('[D432] a schema that remembers what is valid', () => {
  it('validates the same once, and returns one object for it', () => {
    const { read, count } = counted();
    const first = read({ number: 2, other: 'ignored' });
    expect(first).toEqual({ number: 2 });
    expect(read({ number: 2, other: 'ignored' })).toBe(first);
    expect([read({ number: 4 }), count()]).toEqual([{ number: 4 }, 2]);
  });

  it('refuses the same each time', () => {
    const { read, count } = counted();
    const refusals = [read({ number: 3 }), read({ number: 3 })];
    expect([refusals, count()]).toEqual([
      [['expected an even number'], ['expected an even number']],
      2,
    ]);
  });

  it.each([
    ['nothing', undefined, ['Invalid type: Expected Object but received undefined']],
    ['what is nested too deeply', { number: 2, other: nested() }, { number: 2 }],
  ])('leaves %s to the schema', (_what, value, expected) => {
    expect(counted().read(value)).toEqual(expected);
  });

  it('remembers 8 Mi characters', () => {
    const { read, count } = counted();
    const other = 'n'.repeat(1_000_000);
    const all = Array.from({ length: 9 }, (_none, place) => ({ number: 2 * place, other }));
    for (const value of [...all, all[0], all[8]]) read(value);
    expect(count()).toBe(10);
  });
});
