import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/modreg.ts';
import { pageAt, tableRows } from '../support/pages.ts';

const LINK = /\[([^[\]]+)\]\((test\/[^)]+)\)/g;

/** By name, in the order of the TUF specification 1.0, section 1.5.2. */
const ATTACKS = [
  'Arbitrary installation attacks',
  'Endless data attacks',
  'Extraneous dependencies attacks',
  'Fast-forward attacks',
  'Indefinite freeze attacks',
  'Malicious mirrors preventing updates',
  'Mix-and-match attacks',
  'Rollback attacks',
  'Vulnerability to key compromises',
  'Wrong software installation',
];

const PAGE = pageAt('SECURITY.md');
const ROWS = tableRows(PAGE);

function testsIn(text: string): [string, string][] {
  return Array.from(text.matchAll(LINK), ([, title = '', path = '']) => [title, path]);
}

describe('SECURITY.md', () => {
  it.each(testsIn(PAGE.text))('cites the test "%s" of %s', (title, path) => {
    expect(existsSync(join(ROOT, path))).toBe(true);
    expect(readFileSync(join(ROOT, path), 'utf8')).toContain(title);
  });

  it('has a test for everything that an attacker cannot do', () => {
    const start = ROWS.findIndex(([first]) => first === 'who') + 2;
    const end = ROWS.findIndex(([first]) => first === 'attack');
    const attempts = ROWS.slice(start, end);
    expect(attempts.length).toBeGreaterThan(30);
    const without = attempts.filter(
      ([, , cannot = '', test = '']) => cannot === '' || testsIn(test).length !== 1,
    );
    expect(without).toEqual([]);
  });

  it('has the ten attacks of the TUF specification', () => {
    const start = ROWS.findIndex(([first]) => first === 'attack') + 2;
    expect(ROWS.slice(start).map(([attack]) => attack)).toEqual(ATTACKS);
  });
});
