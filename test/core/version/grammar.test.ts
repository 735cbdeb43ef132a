import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  parseConstraint,
  parseModuleId,
  parsePlatform,
  parseVersion,
} from '../../../src/core/index.ts';
import { parseTime } from '../../../src/core/text/rfc3339.ts';

interface Bad {
  readonly text: string;
  readonly position: number;
  readonly expected: string;
  readonly message: string;
}

interface BadConstraint extends Bad {
  readonly row: string;
  readonly suggestion: string | null;
}

function rows<Row>(name: string): Row[] {
  const file = new URL(`../../fixtures/grammar/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Row[];
}

function shapes(texts: readonly Bad[]): Set<string> {
  return new Set(texts.map(({ text }) => text.replaceAll(/\d+/g, '0')));
}

describe('bad constraints', () => {
  const bad = rows<BadConstraint>('bad-constraints');

  it.each(bad)('[$row] $text', ({ text, position, expected, suggestion, message }) => {
    const error = { kind: 'bad-constraint', text, position, expected, message };
    expect(parseConstraint(text)).toEqual({
      ok: false,
      error: { ...error, suggestion: suggestion ?? undefined },
    });
  });

  it('fixtures contain at least 120 forms, and each row several times', () => {
    expect(shapes(bad).size).toBe(bad.length);
    expect(bad.length).toBeGreaterThanOrEqual(120);
    const counts = ['T1', 'T2', 'T3', 'T4', 'T5'].map(
      (row) => bad.filter((one) => one.row === row).length,
    );
    expect(Math.min(...counts)).toBeGreaterThan(5);
  });

  it('have only suggestions that are constraints', () => {
    const nearest = bad.flatMap(({ suggestion }) => (suggestion === null ? [] : [suggestion]));
    expect(nearest.filter((text) => !parseConstraint(text).ok)).toEqual([]);
  });
});

describe('bad versions', () => {
  const bad = rows<Bad>('bad-versions');

  it.each(bad)('$text', (expected) => {
    const error = { kind: 'bad-version', suggestion: undefined, ...expected };
    expect(parseVersion(expected.text)).toEqual({ ok: false, error });
  });

  it('fixtures contain at least 80 forms', () => {
    expect(shapes(bad).size).toBe(bad.length);
    expect(bad.length).toBeGreaterThanOrEqual(80);
  });
});

/**
 * A parser that takes quadratic time or worse exceeds the test timeout: inputs have a million characters if they are
 * refused for their length, and 256 if they are parsed.
 */
describe('parsing takes at most linear time', () => {
  const parsers = { parseConstraint, parseVersion, parseModuleId, parsePlatform, parseTime };
  const units = [
    '1',
    '0',
    '.',
    '1.',
    '.1',
    '*',
    '1.*',
    'x.',
    'v=',
    '^',
    '-',
    '1-',
    '+',
    ' ',
    '1 || ',
    'a',
    'a-',
    ':',
    '/',
    '2026-',
    '\u001b',
  ];
  const cases = Object.entries(parsers).flatMap(([name, parse]) =>
    [256, 1_000_000].map((length) => ({ name, parse, length })),
  );

  it.each(cases)('$name, $length characters', ({ parse, length }) => {
    const texts = units.flatMap((unit) => {
      const text = unit.repeat(length / unit.length);
      return [text, `1.2.3-${text}`.slice(0, length), `${text}!`.slice(-length)];
    });
    const refused = texts.filter((text) => !parse(text).ok);
    expect(refused.length).toBeGreaterThanOrEqual(length > 256 ? texts.length : 1);
  });
});
