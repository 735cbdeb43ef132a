/* Mutation tests of src/core by Stryker: `npm run mutants -- --help`. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { optionsOf } from '../options.ts';

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const HELP = `Changes src/core at one place at a time, and runs the tests that reach it: one must fail. Prints the changes that none
detects, and fails if they are more than 10 %. docs/design/mutants.md lists those that are known.
  npm run mutants                        all of src/core
  npm run mutants -- src/core/rollout    some folders or files`;

/** The part of the mutants that tests must detect. */
const LEAST = 0.9;

/** Few cases of each property: a mutant runs hundreds of tests, and their tables should detect it. */
process.env['MODREG_RUNS'] ??= '20';

const isDetected = ({ status }: Mutant): boolean => status === 'Killed' || status === 'Timeout';
const isMissed = ({ status }: Mutant): boolean => status === 'Survived' || status === 'NoCoverage';
const pathOf = ({ fileName }: Mutant): string => relative(process.cwd(), fileName);
const folderOf = (mutant: Mutant): string => pathOf(mutant).split('/').slice(0, 3).join('/');

/** `src/core/version/version.ts:96:7  end - from > 15  →  true`. */
function described(mutant: Mutant): string {
  const { start, end } = mutant.location;
  const line = readFileSync(mutant.fileName, 'utf8').split('\n')[start.line - 1] ?? '';
  const isWhole = start.line === end.line;
  const code = line.slice(start.column - 1, isWhole ? end.column - 1 : undefined);
  const becomes = mutant.replacement.replaceAll(/\s+/g, ' ');
  return `${pathOf(mutant)}:${start.line}:${start.column}  ${code}${isWhole ? '' : ' …'}  →  ${becomes}`;
}

/** Prints the score of some mutants, and returns it. */
function score(name: string, mutants: readonly Mutant[]): number {
  const detected = mutants.filter(isDetected).length;
  const all = detected + mutants.filter(isMissed).length;
  const part = all === 0 ? 1 : detected / all;
  console.log(`${name}: ${detected} of ${all} mutants detected, ${(100 * part).toFixed(1)} %`);
  return part;
}

const { positionals } = optionsOf({ allowPositionals: true, options: {} }, HELP);
const mutate = positionals.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
const mutants = await new Stryker(mutate.length > 0 ? { mutate } : {}).runMutationTest();
for (const mutant of mutants.filter(isMissed)) console.log(described(mutant));
for (const [folder, those] of Map.groupBy(mutants, folderOf)) score(folder, those);
if (score('all', mutants) < LEAST) process.exitCode = 1;
