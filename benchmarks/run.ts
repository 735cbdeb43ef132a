/* `npm run bench`: prints tables, and writes the chart that README shows. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chartOf } from './chart.ts';
import { coldMadeLists, coldRealLists, type ColdRow } from './cold.ts';
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
  console.log(`semver / modreg: geometric mean ${mean}, least ${round(Math.min(...ratios))}\n`);
}

const machine = `${cpus()[0]?.model.trim() ?? 'unknown CPU'}, Node ${process.version}`;
console.log(`${machine}; the shortest of ${SLICES} interleaved slices each\n`);

console.log('Cold: a fresh list of strings to the answer of one constraint, real lists');
const real = coldRealLists();
coldTable(real);
writeFileSync(new URL('cold.svg', import.meta.url), chartOf(real, machine));

console.log('Cold: made lists');
coldTable(coldMadeLists());

console.log('Warm: an index that was asked before, seeded lists');
const warm = warmLists();
console.table(
  warm.map(({ releases, constraint, fromText, parsed }) => ({
    releases,
    constraint,
    'from text µs': round(fromText),
    'parsed before µs': round(parsed),
  })),
);

console.log('A plan for 1,000 modules with 1,000 releases each');
console.table(
  planTimes().map(({ what, time, actions = '' }) => ({ what, ms: round(time), actions })),
);

console.log('What parsers refuse');
console.table(refusedTexts().map(({ text, time }) => ({ text, µs: round(time) })));

console.log('Memory of an index beyond the texts, in a process of its own');
const memory = fileURLToPath(new URL('memory.ts', import.meta.url));
const { stdout } = spawnSync(process.execPath, ['--expose-gc', memory], { encoding: 'utf8' });
console.log(stdout);

console.log('CPU time of whole processes, median of 9');
console.table(processes());
