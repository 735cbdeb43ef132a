import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './support/modreg.ts';

interface Plant {
  readonly mistake: string;
  readonly file: string;
  readonly from: string;
}

const PLANTS = ['plants.json', 'garden.json'].flatMap(
  (file) => JSON.parse(readFileSync(join(ROOT, 'tools/plants', file), 'utf8')) as Plant[],
);

it.each(PLANTS)('the text replaced by "$mistake" occurs once in $file', ({ file, from }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(from).length - 1).toBe(1);
});
