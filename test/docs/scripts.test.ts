import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/modreg.ts';

const FILES = globSync(
  ['.ci/run', '*.md', '{benchmarks,docs,examples,src,test,tools}/**/*.{json,md,sh,ts}'],
  { cwd: ROOT, exclude: ['**/node_modules/**', 'test/fixtures/**'] },
);

it('no text names an npm script that package.json does not have', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: object;
  };
  const unknown = FILES.flatMap((path) => {
    const named = readFileSync(join(ROOT, path), 'utf8').matchAll(
      /npm run (?:-s )?([a-z][\w:-]*)/g,
    );
    return Array.from(named, ([, name = '']) => name)
      .filter((name) => !Object.hasOwn(scripts, name))
      .map((name) => `${path}: ${name}`);
  });
  expect(FILES.length).toBeGreaterThan(1000);
  expect(unknown).toEqual([]);
});
