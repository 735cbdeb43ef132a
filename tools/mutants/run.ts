/* Mutation tests of src/core by Stryker: `npm run mutants -- --help`. */
import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { optionsOf } from '../options.ts';
import { changeText, declarationAt, listSurvivors, PAGE, type Group } from './survivors.ts';

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const HELP = `Changes src/core at one place at a time, and runs the tests that reach it: one must fail. Prints the changes that none
detects, and fails if they are more than 10 %. ${PAGE} lists those that are known.
  npm run mutants                        all of src/core
  npm run mutants -- src/core/rollout    some folders or files
  npm run mutants -- --list              writes those changes to that page; the reasons in it stay`;

/** The part of the mutants that tests must detect. */
const LEAST = 0.9;

/** Few cases of each property: a mutant runs hundreds of tests, and their tables should detect it. */
process.env['MODREG_RUNS'] ??= '20';

/** As they were when the run began: it takes minutes, and somebody may edit them meanwhile. */
const SOURCES = new Map(
  globSync('src/core/**/*.ts').map((path) => [path, readFileSync(path, 'utf8')]),
);

const isDetected = ({ status }: Mutant): boolean => status === 'Killed' || status === 'Timeout';
const isMissed = ({ status }: Mutant): boolean => status === 'Survived' || status === 'NoCoverage';
const pathOf = ({ fileName }: Mutant): string => relative(process.cwd(), fileName);
const folderOf = (mutant: Mutant): string => pathOf(mutant).split('/').slice(0, 3).join('/');
const fileOf = (mutant: Mutant): string => relative('src/core', pathOf(mutant));
const sourceOf = (mutant: Mutant): string => SOURCES.get(pathOf(mutant)) ?? '';

function changeOf(mutant: Mutant): string {
  const { location, replacement } = mutant;
  return changeText(sourceOf(mutant), location.start, location.end, replacement);
}

/** `src/core/version/version.ts:96:7  end - from > 15  →  true`. */
function described(mutant: Mutant): string {
  const { line, column } = mutant.location.start;
  return `${pathOf(mutant)}:${line}:${column}  ${changeOf(mutant)}`;
}

/** The survivors of each declaration, in the order of the code. */
function groupsOf(survivors: readonly Mutant[]): Omit<Group, 'reason'>[] {
  const ordered = survivors.toSorted(
    ({ location: { start: a } }, { location: { start: b } }) =>
      a.line - b.line || a.column - b.column,
  );
  const named = ordered.map((mutant) => {
    const declaration = declarationAt(sourceOf(mutant), mutant.location.start.line);
    return { file: fileOf(mutant), declaration, change: changeOf(mutant) };
  });
  const groups = Map.groupBy(named, ({ file, declaration }) => `${file} ${declaration}`);
  return [...groups.values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const { file, declaration } = first;
    return { file, declaration, changes: [first, ...rest].map(({ change }) => change) };
  });
}

/** Prints the score of some mutants, and returns it. */
function score(name: string, mutants: readonly Mutant[]): number {
  const detected = mutants.filter(isDetected).length;
  const all = detected + mutants.filter(isMissed).length;
  const part = all === 0 ? 1 : detected / all;
  console.log(`${name}: ${detected} of ${all} mutants detected, ${(100 * part).toFixed(1)} %`);
  return part;
}

const config = { allowPositionals: true, options: { list: { type: 'boolean' } } } as const;
const { positionals, values } = optionsOf(config, HELP);
const mutate = positionals.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`));
const mutants = await new Stryker(mutate.length > 0 ? { mutate } : {}).runMutationTest();
const survivors = mutants.filter(isMissed);
for (const mutant of survivors) console.log(described(mutant));
if (values.list) {
  const tested = new Set(mutants.map(fileOf));
  listSurvivors(groupsOf(survivors), (file) => tested.has(file));
}
for (const [folder, those] of Map.groupBy(mutants, folderOf)) score(folder, those);
if (score('all', mutants) < LEAST) process.exitCode = 1;
