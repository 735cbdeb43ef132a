import { describe, expect, it } from 'vitest';
import { harmless, onRejection, synchronous } from '../../../src/core/text/thenable.ts';

async function later(error: unknown): Promise<never> {
  throw error;
}
const fails = (): never => {
  throw new Error('no disk');
};

describe('the answer of a callback', () => {
  it('has its rejection handled', async () => {
    const handled = await new Promise((resolve) => onRejection(later('no disk'), resolve));
    expect(handled).toBe('no disk');
  });

  it.each([1, undefined, null, 'then'])('%o is needed at once, and is', (answer) => {
    expect(synchronous('ask', 'a number', () => answer)()).toBe(answer);
  });

  it('that is a Promise is refused, and its rejection is handled', () => {
    const ask = synchronous('ask', 'a number', later);
    expect(() => ask(new Error('no disk'))).toThrow(
      new TypeError('ask() returned a Promise, expected a number at once'),
    );
  });

  it('is ignored, also if it is an error at once or later', () => {
    const seen: unknown[] = [];
    const log = harmless((line: string) => seen.push(line));
    expect([log('one'), harmless(fails)(), harmless(later)('two')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(seen).toEqual(['one']);
  });
});
