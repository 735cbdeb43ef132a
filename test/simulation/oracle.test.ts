import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/modreg.ts';

/** The files and packages that `file` loads, directly and transitively. Type imports do not count. */
function loadedBy(file: string, loaded: Set<string> = new Set()): ReadonlySet<string> {
  if (loaded.has(file)) return loaded;
  loaded.add(file);
  const text = readFileSync(join(ROOT, file), 'utf8');
  for (const [, specifier = ''] of text.matchAll(/^import (?!type )[^;]*?from '([^']+)';/gm)) {
    if (specifier.startsWith('.')) {
      loadedBy(relative(ROOT, join(ROOT, dirname(file), specifier)), loaded);
    } else loaded.add(specifier);
  }
  return loaded;
}

it('the judge of stops imports nothing from src', () => {
  const loaded = [...loadedBy('test/simulation/stops.ts')];
  expect(loaded.filter((file) => !file.startsWith('test/'))).toEqual([]);
});

it('the oracle imports nothing from src', () => {
  const loaded = [...loadedBy('test/simulation/judge.ts')];
  expect(loaded.filter((file) => !file.startsWith('test/'))).toEqual(['semver', 'node:crypto']);
  expect(loaded).toContain('test/support/plan-judge.ts');
});
