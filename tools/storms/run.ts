/* Kills registries while clients change them, and looks for what is lost or duplicated: `npm run storms -- --help`. */
import type { Counts } from '../../test/storms/journal.ts';
import { playStorms } from '../../test/storms/storms.ts';
import { optionsOf, wholeNumber } from '../options.ts';

const PROGRESS_STORMS = 20;

const HELP = `Kills \`modreg registry serve\` at random moments while clients publish, yank and upload; starts it again; and compares
the registry with the responses that its clients got.
  --count N  number of storms (default 20)
  --seed S   seed of the requests and of the moments (default random)`;

const { values } = optionsOf(
  { options: { count: { type: 'string', default: '20' }, seed: { type: 'string' } } },
  HELP,
);
const count = wholeNumber('--count', values.count, 1);
const seed = wholeNumber('--seed', values.seed ?? `${Math.floor(Math.random() * 2 ** 31)}`, 0);

console.log(`seed ${seed}`);
const began = performance.now();
const { storms, counts, findings, folder } = await playStorms(count, seed, (played, soFar) => {
  if (played % PROGRESS_STORMS === 0 && played < count) console.log(lineOf(played, soFar));
});
console.log(lineOf(storms, counts));
const found = (kind: string): number => findings.filter((finding) => finding.kind === kind).length;
console.log(
  `${found('lost')} lost, ${found('duplicated')} duplicated, ${found('wrong')} otherwise wrong`,
);
for (const { kind, text } of findings) console.log(`${kind}: ${text}`);
if (folder !== undefined) console.log(`the registry is in ${folder}`);
process.exitCode = findings.length === 0 ? 0 : 1;

function lineOf(played: number, soFar: Counts): string {
  const { published, yanked, uploaded, found: made, absent } = soFar;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  return `${played} storms: ${published} publications, ${yanked} yanks and ${uploaded} uploads acknowledged; without a response ${made} made, ${absent} not made; ${seconds} s`;
}
