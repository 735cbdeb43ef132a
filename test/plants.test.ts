import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './support/modreg.ts';

interface Plant {
  readonly mistake: string;
  readonly file: string;
  readonly from: string;
}

const PLANTS = ['test-plants.json', 'simulator-plants.json'].flatMap(
  (file) => JSON.parse(readFileSync(join(ROOT, 'tools/plants', file), 'utf8')) as Plant[],
);

it.each(PLANTS.map((plant) => [plant.mistake, plant] as const))(
  'the text replaced by "%s" occurs once',
  (_mistake, { file, from }) => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(from).length - 1).toBe(1);
  },
);
