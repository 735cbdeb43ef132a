import {
  indexReleases,
  parseConstraint,
  parseModuleId,
  parsePlatform,
  parseVersion,
  resolve,
} from 'modreg';
import { answer } from './answer.ts';
import { seededList } from './lists.ts';
import { fastestRuns, type Contender } from './slices.ts';
import { constraint } from '../parsed.ts';

export interface WarmRow {
  readonly releases: number;
  readonly constraint: string;
  /** Microseconds from the text of the constraint, and from the parsed constraint. */
  readonly fromText: number;
  readonly parsed: number;
}

/** Times of a resolution with an index that has been used before. */
export function warmLists(): WarmRow[] {
  return [1000, 10_000, 100_000, 1_000_000].flatMap((count) => {
    const records = seededList(count);
    const index = indexReleases(records);
    const middle = records[count >> 1]?.version ?? '';
    const [major = '', minor = ''] = middle.split('.');
    const texts = [middle, `${major}.${minor}.*`, `${major}.*`, 'latest', 'latest-with-prerelease'];
    for (const text of texts) answer(constraint(text), index);
    return texts.map((text, kind) => {
      const parsedOnce = constraint(text);
      const [fromText = 0, parsed = 0] = fastestRuns([
        { name: 'from text', run: () => resolve(constraint(text), index) },
        { name: 'parsed', run: () => resolve(parsedOnce, index) },
      ]);
      const name = ['X.Y.Z', 'X.Y.*', 'X.*'][kind] ?? text;
      return { releases: count, constraint: name, fromText, parsed };
    });
  });
}

/** Microseconds that parsers take to refuse a text, by its length. */
export function refusedTexts(): { text: string; time: number }[] {
  const shapes: Record<string, (length: number) => string> = {
    digits: (length) => '1'.repeat(length),
    alternatives: (length) => '1.2.3 || '.repeat(Math.ceil(length / 9)).slice(0, length),
    stars: (length) => '*'.repeat(length),
  };
  const parsers = { parseConstraint, parseVersion, parseModuleId, parsePlatform };
  return Object.entries(parsers).flatMap(([parser, parse]) =>
    Object.entries(shapes).flatMap(([shape, make]) =>
      [256, 1_000_000].map((length) => {
        const text = make(length);
        const contender: Contender = { name: shape, run: () => parse(text) };
        const [time = 0] = fastestRuns([contender]);
        return { text: `${parser}, ${length} characters of ${shape}`, time };
      }),
    ),
  );
}
