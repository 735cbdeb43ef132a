import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testsOf, type Plant } from '../tools/plants/tests-of.ts';
import { ROOT } from './support/modreg.ts';

const PLANTS = ['test-plants.json', 'simulator-plants.json'].flatMap(
  (file) => JSON.parse(readFileSync(join(ROOT, 'tools/plants', file), 'utf8')) as Plant[],
);

it.each(PLANTS.map((plant) => [plant.mistake, plant] as const))(
  'the text replaced by "%s" occurs once',
  (_mistake, { file, from }) => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(from).length - 1).toBe(1);
  },
);

it.each([...new Set(PLANTS.map(({ file }) => file))])(
  'there are tests for a mistake in %s',
  (file) => {
    expect(testsOf({ file })).not.toEqual([]);
  },
);
