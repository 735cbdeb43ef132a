import { describe, expect, it } from 'vitest';
import { readMachine } from '../../src/config/index.ts';

describe('a document with many problems', () => {
  it('has fifty of them reported, errors before warnings, in document order', () => {
    const warnings = Array.from({ length: 60 }, (_, at) => `"unknown${at}": 1`);
    const text = `{${warnings.join()}, "components": ${JSON.stringify(Array.from({ length: 30 }, () => 1))}}`;
    const reading = readMachine(text);
    expect(reading).toMatchObject({ ok: false, errors: 30, warnings: 60 });
    expect(reading.problems.map(({ severity }) => severity)).toEqual([
      ...Array.from({ length: 20 }, () => 'warning'),
      ...Array.from({ length: 30 }, () => 'error'),
    ]);
  });
});
