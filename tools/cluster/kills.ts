/* Kills nodes and fronts of a cluster at random moments: `npm run cluster -- kills --help`. */
import { playKills } from '../../test/cluster/nodes/kills.ts';
import { optionsOf, wholeNumber } from '../options.ts';

const HELP = `Kills nodes and fronts at random moments, one at a time, while machines report and publishers publish, and counts what
was acknowledged, lost and duplicated.
  --count N  number of kills (default 20)`;

const { values } = optionsOf({ options: { count: { type: 'string', default: '20' } } }, HELP);
const count = wholeNumber('--count', values.count, 1);
const began = performance.now();
const seconds = (): string => ((performance.now() - began) / 1000).toFixed(0);
const { acknowledged, lost, duplicated, longestPauseMs, restarted } = await playKills(
  count,
  Math.random,
  (played) => {
    if (played % 10 === 0) console.log(`${played} kills, ${seconds()} s`);
  },
);
console.log(
  `${count} kills: ${acknowledged} acknowledged, ${lost.length} lost, ${duplicated.length} duplicated; longest pause ${(longestPauseMs / 1000).toFixed(1)} s; ${restarted} nodes stayed behind and were started again; ${seconds()} s`,
);
for (const text of lost) console.log(`lost: ${text}`);
for (const text of duplicated) console.log(`duplicated: ${text}`);
process.exitCode = lost.length + duplicated.length === 0 ? 0 : 1;
