/*
 * Plants one mistake after the other in a copy of the sources, and runs the tests of its folder there:
 * each must make a test fail. `--of-the-day N` plants N of them, chosen by the date.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

interface Plant {
  readonly mistake: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

const ROOT = join(import.meta.dirname, '../..');
const DAY = 86_400_000;
/** Cases of each property; a mistake that matters shows in fewer. */
const RUNS = '1000';

/** Without a mistake nothing may fail, or every plant would seem to be caught. */
const NOTHING: Plant = {
  mistake: 'no mistake at all',
  file: 'src/core/result.ts',
  from: 'export type Result',
  to: 'export type Result',
};

/** `caught`, or what is wrong. */
function verdictOn({ file, from, to }: Plant): string {
  const copy = mkdtempSync(join(tmpdir(), 'modreg-plant-'));
  try {
    for (const part of ['src', 'test', 'mocks', 'package.json', 'vitest.config.ts']) {
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const path = join(copy, file);
    const parts = readFileSync(path, 'utf8').split(from);
    if (parts.length !== 2) return `STALE: its text stands ${parts.length - 1} times in ${file}`;
    writeFileSync(path, parts.join(to));
    return failingTest(copy, testsOf(file)) ?? 'MISSED: no test fails';
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const FOLDERS = [
  ...['test/core', 'test/config', 'test/registry', 'test/store', 'test/poller', 'test/server'],
];

/** The tests that a mistake in `file` must make fail: those of its own folder. */
function testsOf(file: string): readonly string[] {
  if (file === NOTHING.file) return FOLDERS;
  return FOLDERS.filter((folder) => file.startsWith(folder.replace('test', 'src')));
}

function failingTest(folder: string, tests: readonly string[]): string | undefined {
  const report = join(folder, 'report.json');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', ...tests, '--bail=1', '--reporter=json', `--outputFile=${report}`];
  // The copy has no command line to ask a service with.
  const services = { MODREG_DOCKER_REGISTRY: undefined, MODREG_REQUIRE_SERVICES: undefined };
  const env = { ...process.env, ...services, MODREG_RUNS: RUNS };
  spawnSync(process.execPath, args, { cwd: folder, env, timeout: 300_000 });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { assertionResults: { status: string; fullName: string }[] }[];
  };
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.find(({ status }) => status === 'failed');
  return failed && `caught by: ${failed.fullName}`;
}

function chosenPlants(): Plant[] {
  const { values } = parseArgs({ options: { 'of-the-day': { type: 'string' } } });
  const all = JSON.parse(readFileSync(join(import.meta.dirname, 'plants.json'), 'utf8')) as Plant[];
  const count = Number(values['of-the-day'] ?? all.length);
  if (!(count >= 1))
    throw new Error(`--of-the-day takes a number from 1, not ${values['of-the-day']}`);
  const first = Math.floor(Date.now() / DAY) * count;
  return Array.from({ length: count }, (_, place) => all[(first + place) % all.length]).filter(
    (plant) => plant !== undefined,
  );
}

const plants = chosenPlants();
const baseline = verdictOn(NOTHING);
if (!baseline.startsWith('MISSED')) throw new Error(`without any mistake: ${baseline}`);

let missed = 0;
for (const plant of plants) {
  const verdict = verdictOn(plant);
  if (!verdict.startsWith('caught')) missed++;
  console.log(`${plant.mistake}\n    ${verdict}`);
}
console.log(missed === 0 ? 'every mistake was caught' : `${missed} not caught`);
process.exitCode = missed === 0 ? 0 : 1;
