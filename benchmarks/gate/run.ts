/* `npm run bench:gate`: fails if a kernel needs more instructions than the baseline allows. See `--help`. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import semver from 'semver';
import { optionsOf, oneOf, wholeNumber } from '../../tools/options.ts';
import { answer, indexOf, mustBeEqual, rangeOf } from '../resolving/answer.ts';
import { coldRealLists } from '../resolving/cold.ts';
import { geometricMean } from '../resolving/slices.ts';
import {
  changeOf,
  FILE,
  keyOf,
  regressions,
  RENEW,
  thisMachine,
  type Baseline,
  type Counts,
  type Machine,
} from './baseline.ts';
import { instructionsOf, KERNEL_SCRIPT } from './instructions.ts';
import { CONSTRAINTS, KERNELS, largeList, realLists } from './kernels.ts';
import { constraint } from '../parsed.ts';

const HELP = `Counts the instructions of each kernel with valgrind, and fails if one needs over 3 % more than in ${FILE}.
If that was counted on another kind of machine, the commit that introduced it is built and counted as well.
  --renew           writes a new baseline
  --only NAME       only this kernel
  --calibrate N     counts N times and prints how much the counts differ`;

const ROOT = join(import.meta.dirname, '../..');

const { values } = optionsOf(
  {
    options: {
      renew: { type: 'boolean', default: false },
      only: { type: 'string' },
      calibrate: { type: 'string' },
    },
  },
  HELP,
);
const { only, calibrate } = values;
if (values.renew && (only ?? calibrate) !== undefined) {
  console.error('--renew counts all kernels, once: it takes neither --only nor --calibrate');
  process.exit(2);
}
const kernels = only === undefined ? KERNELS : [oneOf('--only', only, KERNELS)];

/** Throws unless modreg and semver select the same versions: only equal work is counted. */
function checkAnswers(): void {
  for (const list of [...realLists(), largeList()]) {
    const index = indexOf(list);
    for (const text of CONSTRAINTS) {
      const includePrerelease = text === 'latest-with-prerelease';
      const range = includePrerelease ? '*' : rangeOf(text);
      const expected = semver.maxSatisfying(list, range, { includePrerelease });
      const fresh = answer(constraint(text), indexOf(list));
      mustBeEqual(`${list.length} releases, ${text}`, [
        expected,
        fresh,
        answer(constraint(text), index),
      ]);
    }
  }
}

/** The counts of the package in `root`, with as many kernels at a time as the machine has cores. */
async function countsOf(root: string): Promise<Counts> {
  const atOnce = pLimit(availableParallelism());
  const counts = kernels.map(async (kernel): Promise<[string, number]> => {
    const count = await atOnce(async () => await instructionsOf(kernel, root));
    console.error(`counted ${kernel.name}`);
    return [kernel.name, count];
  });
  return Object.fromEntries(await Promise.all(counts));
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** The commit that introduced the baseline; undefined if this copy of the sources does not have its history. */
function baselineCommit(): string | undefined {
  try {
    if (git('rev-parse', '--is-shallow-repository') === 'true') return undefined;
    return git('log', '-1', '--format=%H', '--', FILE) || undefined;
  } catch {
    return undefined;
  }
}

/** The counts of a commit on this machine. */
async function countsOfCommit(commit: string): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-baseline-'));
  try {
    console.log(`counting the commit of the baseline, ${commit.slice(0, 12)}`);
    execFileSync(
      'bash',
      ['-c', 'set -o pipefail; git archive "$1" | tar -x -C "$2"', 'bash', commit, folder],
      { cwd: ROOT },
    );
    // Both are counted in the same way.
    cpSync(join(ROOT, KERNEL_SCRIPT), join(folder, KERNEL_SCRIPT));
    const isSame = git('diff', '--name-only', commit, '--', 'package-lock.json') === '';
    if (isSame) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    else execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: folder, stdio: 'ignore' });
    execFileSync('npm', ['run', '-s', 'build'], { cwd: folder, stdio: 'inherit' });
    return await countsOf(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function printTable(before: Counts, now: Counts): void {
  const rows = Object.entries(now).map(([name, count]) => {
    const known = before[name];
    const change = known === undefined ? 'new' : changeOf(known, count);
    return [name, { before: known, now: count, change }];
  });
  console.table(Object.fromEntries(rows));
}

/** README promises this, for wall-clock times of the first answer of a real list beside semver in the same run. */
const LEAST_RATIO = 30;

function checkRatios(): void {
  const ratios = coldRealLists().map(({ modreg, semver: peer }) => peer / modreg);
  const [least, mean, most] = [Math.min(...ratios), geometricMean(ratios), Math.max(...ratios)];
  const range = `${least.toFixed(0)} to ${most.toFixed(0)} times as long, geometric mean ${mean.toFixed(0)}`;
  console.log(`first answer of a real list: semver.maxSatisfying takes ${range}`);
  if (mean >= LEAST_RATIO) return;
  console.log(`SLOW: README promises over ${LEAST_RATIO} times as fast as semver`);
  process.exitCode = 1;
}

/** The counts to compare with; undefined if there are none. */
async function countsBefore(
  { key, counts }: Baseline,
  machine: Machine,
): Promise<Counts | undefined> {
  if (key === keyOf(machine)) return counts;
  console.log('the baseline is of another kind of machine');
  const commit = baselineCommit();
  if (commit !== undefined) return await countsOfCommit(commit);
  console.log('NOTHING COMPARED: this copy has no history; git fetch --unshallow gets it');
  return undefined;
}

/** The least of up to three counts: a kernel that waits for a file or a socket rarely executes more instructions. */
async function countedAgain(before: Counts, first: Counts): Promise<Counts> {
  const now = { ...first };
  for (const kernel of kernels) {
    for (let time = 0; time < 2; time++) {
      const { [kernel.name]: count = Infinity } = now;
      if (regressions(before, { [kernel.name]: count }).length === 0) break;
      now[kernel.name] = Math.min(count, await instructionsOf(kernel, ROOT));
    }
  }
  return now;
}

async function gate(): Promise<void> {
  const machine = thisMachine();
  const known = JSON.parse(readFileSync(join(ROOT, FILE), 'utf8')) as Baseline;
  checkAnswers();
  const first = await countsOf(ROOT);
  if (values.renew) {
    const date = new Date().toISOString().slice(0, 10);
    const baseline: Baseline = { key: keyOf(machine), date, renew: RENEW, machine, counts: first };
    writeFileSync(join(ROOT, FILE), `${JSON.stringify(baseline, undefined, 2)}\n`);
  }
  const before = values.renew ? first : await countsBefore(known, machine);
  if (!before) return;
  const now = await countedAgain(before, first);
  printTable(before, now);
  const found = regressions(before, now);
  for (const line of found) console.log(line);
  if (found.length > 0)
    console.log(`if this is intended, renew the baseline of ${known.date}: ${RENEW}`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

async function calibration(times: number): Promise<void> {
  const all: Counts[] = [];
  for (let time = 0; time < times; time++) all.push(await countsOf(ROOT));
  const rows = kernels.map(({ name }) => {
    const counts = all.map((one) => one[name] ?? Number.NaN);
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    return [name, { least, most, spread: `${((most / least - 1) * 100).toFixed(2)} %` }];
  });
  console.table(Object.fromEntries(rows));
}

if (calibrate === undefined) {
  await gate();
  checkRatios();
} else await calibration(wholeNumber('--calibrate', calibrate, 2));
