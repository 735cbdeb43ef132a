import { simulate, type Play } from '../../test/simulation/simulate.ts';

/** The first event in which two plays of a seed differ, as text. */
export async function firstDifference(one: Play, other: Play): Promise<string> {
  const { lines } = await simulate({ ...one, keepsLines: true });
  const { lines: otherLines } = await simulate({ ...other, keepsLines: true });
  const place = lines.findIndex((line, number) => line !== otherLines[number]);
  const [is, was] =
    place < 0 ? [undefined, otherLines[lines.length]] : [lines[place], otherLines[place]];
  return `${is?.trim() ?? 'the end'}, then ${was?.trim() ?? 'the end'}`;
}
