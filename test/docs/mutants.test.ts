import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { declarationAt, groupsIn } from '../../tools/mutants/survivors.ts';
import { ROOT } from '../support/modreg.ts';
import { pageAt, tableRows } from '../support/pages.ts';

const GROUPS = groupsIn(pageAt('docs/design/mutant-survivors.md').text);

describe('the page of surviving mutants', () => {
  it.each(GROUPS.map((group) => [`${group.file}, ${group.declaration}`, group] as const))(
    'has a reason for those in %s, which exists',
    (_, { file, declaration, reason }) => {
      const path = join(ROOT, 'src/core', file);
      expect(existsSync(path)).toBe(true);
      const lines = readFileSync(path, 'utf8').split('\n');
      const declared = new Set(lines.map((_line, at) => declarationAt(lines.join('\n'), at + 1)));
      expect(declared).toContain(declaration);
      expect(reason).not.toBe('');
    },
  );

  it('has as many of each folder as the table of the last run', () => {
    const listed = Map.groupBy(GROUPS, ({ file }) => file.split('/')[0]);
    const counts = Array.from(listed, ([folder, groups]) => [
      folder,
      groups.flatMap(({ changes }) => changes).length,
    ]);
    const rows = tableRows(pageAt('docs/design/mutants.md')).slice(2);
    const missed = rows.map(([folder, detected = '', of = '']) => {
      const [known, all] = [detected, of].map((cell) => Number(cell.replace(',', '')));
      return [folder, (all ?? 0) - (known ?? 0)] as const;
    });
    const expected = missed.filter(([folder, count]) => folder !== 'all' && count > 0);
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(expected));
  });
});
