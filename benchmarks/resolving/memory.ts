/*
 * Heap and external bytes per release of an index, without the version strings. Needs a separate process and
 * --expose-gc. Prints JSON.
 */
import { indexReleases, type ReleaseIndex } from 'modreg';
import { answer } from './answer.ts';
import { seededList } from './lists.ts';
import { constraint } from '../parsed.ts';

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

// JSON.parse makes each version a separate flat string.
const texts = JSON.parse(
  JSON.stringify(seededList(COUNT).map(({ version }) => version)),
) as string[];
const before = inUse();
const index: ReleaseIndex = indexReleases(fresh(texts));
const cold = answer(constraint('latest'), index);
const afterCold = inUse();
const warm = answer(constraint('latest'), index);
const afterWarm = inUse();
if (cold !== warm) throw new Error(`the first answer is ${cold}, the second is ${warm}`);
console.log(
  JSON.stringify({
    releases: COUNT,
    bytesAfterFirstAnswer: Math.round((afterCold - before) / COUNT),
    bytesAfterSorting: Math.round((afterWarm - before) / COUNT),
    // Uses both values, so that neither is collected before the last measurement.
    used: texts.length + index.published,
  }),
);
