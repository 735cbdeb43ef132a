import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/modreg.ts';
import { listedRows, pageAt, sectionOf } from '../support/pages.ts';

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

function testsIn(text: string): [string, string][] {
  return Array.from(text.matchAll(LINK), ([, title = '', path = '']) => [title, path]);
}

describe('SECURITY.md', () => {
  it.each(testsIn(PAGE.text))('cites the test "%s" of %s', (title, path) => {
    expect(existsSync(join(ROOT, path))).toBe(true);
    expect(readFileSync(join(ROOT, path), 'utf8')).toContain(title);
  });

  it('has a test for everything that an attacker cannot do', () => {
    const { text } = sectionOf(PAGE, 'Threat model');
    const attempts = Array.from(text.matchAll(/^Cannot:\n\n((?:- .*\n)+)/gm)).flatMap(
      ([, list = '']) => list.trimEnd().split('\n'),
    );
    expect(attempts.length).toBeGreaterThan(80);
    expect(attempts.filter((line) => !/^- .+: \[[^[\]]+\]\(test\/[^)]+\)$/.test(line))).toEqual([]);
  });

  it('has the ten attacks of the TUF specification', () => {
    const rows = listedRows(sectionOf(PAGE, 'The attacks of the TUF specification'));
    expect(rows.map(({ term }) => term)).toEqual(ATTACKS);
  });
});
