/*
 * Heap and external bytes per release of an index, beyond the texts of the versions: run in a process
 * of its own, with --expose-gc. Prints them as JSON.
 */
import { indexReleases, type ReleaseIndex } from 'modreg';
import { answer, constraint } from './answer.ts';
import { seededList } from './lists.ts';

const COUNT = 1_000_000;

function inUse(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function* fresh(texts: readonly string[]): Iterable<{ version: string }> {
  for (const version of texts) yield { version };
}

// A text is one string of its own, as a parser of JSON makes it.
const texts = JSON.parse(
  JSON.stringify(seededList(COUNT).map(({ version }) => version)),
) as string[];
const before = inUse();
const index: ReleaseIndex = indexReleases(fresh(texts));
const cold = answer(constraint('latest'), index);
const afterCold = inUse();
const warm = answer(constraint('latest'), index);
const afterWarm = inUse();
if (cold !== warm) throw new Error(`${cold} is not ${warm}`);
console.log(
  JSON.stringify({
    releases: COUNT,
    bytesAfterFirstAnswer: Math.round((afterCold - before) / COUNT),
    bytesAfterSorting: Math.round((afterWarm - before) / COUNT),
    // Both are used after the last measurement, so that neither is collected before it.
    used: texts.length + index.published,
  }),
);
