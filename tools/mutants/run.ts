/* Mutation tests of src/core by Stryker: `npm run mutants -- --help`. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { optionsOf } from '../options.ts';
import { FOLDERS, testsOf } from './folders.ts';

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const HELP = `Changes src/core at one place at a time, and runs the tests of its folder: one must fail. Prints the changes that none
detects, and fails if they are more than 10 %. docs/design/mutants.md lists those that are known.
  npm run mutants                        all of src/core
  npm run mutants -- src/core/rollout    some folders or files`;

/** The part of the mutants that tests must detect. */
const LEAST = 0.9;

/** Few cases of each property: a mutant runs hundreds of tests, and their tables should detect it. */
process.env['MODREG_RUNS'] ??= '20';

async function mutantsIn(path: string): Promise<readonly Mutant[]> {
  const testFiles = testsOf(path);
  if (!testFiles) {
    console.error(`${path} is not in a folder of src/core that has tests: ${FOLDERS.join(', ')}`);
    process.exit(2);
  }
  const mutate = [path.endsWith('.ts') ? path : `${path}/**/*.ts`];
  return await new Stryker({ mutate, testFiles: [...testFiles] }).runMutationTest();
}

/** Stryker runs no test for a mutant of code that runs only when a file is loaded. */
const isDetected = ({ status }: Mutant): boolean => status === 'Killed' || status === 'Timeout';
const isMissed = ({ status }: Mutant): boolean => status === 'Survived' || status === 'NoCoverage';

/** `src/core/version/version.ts:96:7  end - from > 15  →  true`. */
function described({ fileName, location: { start, end }, replacement }: Mutant): string {
  const line = readFileSync(fileName, 'utf8').split('\n')[start.line - 1] ?? '';
  const isWhole = start.line === end.line;
  const code = line.slice(start.column - 1, isWhole ? end.column - 1 : undefined);
  const place = `${relative(process.cwd(), fileName)}:${start.line}:${start.column}`;
  return `${place}  ${code}${isWhole ? '' : ' …'}  →  ${replacement.replaceAll(/\s+/g, ' ')}`;
}

/** Prints the score of some mutants, and returns it. */
function score(name: string, mutants: readonly Mutant[]): number {
  const detected = mutants.filter(isDetected).length;
  const all = detected + mutants.filter(isMissed).length;
  const part = all === 0 ? 1 : detected / all;
  console.log(`${name}: ${(100 * part).toFixed(1)} %, ${detected} of ${all} mutants detected`);
  return part;
}

const { positionals } = optionsOf({ allowPositionals: true, options: {} }, HELP);
const found: Mutant[] = [];
for (const path of positionals.length > 0 ? positionals : FOLDERS) {
  const start = Date.now();
  const mutants = await mutantsIn(path.replace(/\/$/, ''));
  found.push(...mutants);
  for (const mutant of mutants.filter(isMissed)) console.log(described(mutant));
  score(`${path}, ${Math.round((Date.now() - start) / 1000)} s`, mutants);
}
if (score('all', found) < LEAST) process.exitCode = 1;
