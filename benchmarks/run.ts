/* `npm run bench`: prints tables, and writes the chart cold.svg. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { bytesToAnswer } from './bytes.ts';
import { chartOf } from './chart.ts';
import { coldGeneratedLists, coldRealLists, type ColdRow } from './cold.ts';
import { planTimes } from './plan.ts';
import { processes } from './process.ts';
import { geometricMean, SLICES } from './slices.ts';
import { refusedTexts, warmLists } from './warm.ts';

const round = (value: number): number => Number(value.toPrecision(3));

function coldTable(rows: readonly ColdRow[]): void {
  console.table(
    rows.map(({ list, constraint, releases, chosen, ...times }) => ({
      list,
      constraint,
      releases,
      chosen: chosen === null ? 'none' : chosen.slice(0, 28),
      'modreg µs': round(times.modreg),
      'semver µs': round(times.semver),
      'npm-pick-manifest µs': times.pickManifest === undefined ? '' : round(times.pickManifest),
      'semver / modreg': round(times.semver / times.modreg),
    })),
  );
  const ratios = rows.map(({ modreg, semver }) => semver / modreg);
  const mean = round(geometricMean(ratios));
  console.log(`semver / modreg: geometric mean ${mean}, min ${round(Math.min(...ratios))}\n`);
}

/** What a script prints in a process of its own. */
function printedBy(script: URL): string {
  const path = fileURLToPath(script);
  return spawnSync(process.execPath, ['--expose-gc', path], { encoding: 'utf8' }).stdout;
}

const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.version}`;
console.log(`${machine}; best of ${SLICES} interleaved slices\n`);

console.log('Cold: from a new list of strings to the chosen version of one constraint, real lists');
const real = coldRealLists();
coldTable(real);
writeFileSync(new URL('cold.svg', import.meta.url), chartOf(real, machine));

console.log('Cold: generated lists');
coldTable(coldGeneratedLists());

console.log('Warm: an index after its first use, generated lists');
const warm = warmLists();
console.table(
  warm.map(({ releases, constraint, fromText, parsed }) => ({
    releases,
    constraint,
    'from text µs': round(fromText),
    'already parsed µs': round(parsed),
  })),
);

console.log('A plan for 1,000 modules with 1,000 releases each');
console.table(
  planTimes().map(({ what, time, actions = '' }) => ({ what, ms: round(time), actions })),
);

console.log('From the bytes of a list of 10,000 releases to the answer of one constraint');
console.table(
  bytesToAnswer().map(({ list, bytes, modreg, withWarnings, jsonParse }) => ({
    list,
    bytes,
    'modreg ms': round(modreg / 1000),
    'JSON.parse ms': round(jsonParse / 1000),
    'modreg / JSON.parse': round(modreg / jsonParse),
    'with warnings / JSON.parse': round(withWarnings / jsonParse),
  })),
);

console.log('Texts that parsers refuse');
console.table(refusedTexts().map(({ text, time }) => ({ text, µs: round(time) })));

console.log('Memory of an index without the version strings');
console.log(printedBy(new URL('memory.ts', import.meta.url)));
console.log('Memory of 1,000 lists of 200 releases with two artifacts each, and their indexes');
console.log(printedBy(new URL('memory-lists.ts', import.meta.url)));

console.log('CPU time of whole processes, median of 9');
console.table(processes());
