/* Plants each mistake in a copy of the sources and checks that it is caught: `npm run plants -- --help`. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsOf, wholeNumber } from '../options.ts';
import { testsOf, type Plant } from './tests-of.ts';

const HELP = `Plants each mistake in a copy of the sources and checks that it is caught: those of test-plants.json by the tests
of their folder, first by those of npm test and then by those of npm run test:long; those of simulator-plants.json by the simulator, with modreg's own agent or real HTTP if their "by" is "agent" or "http", by attacks if it is "attacks", by months of a rover with its site if it is "month", and by the models if it is "model".
  --of-the-day N    N mistakes of each file, chosen by the date
  --simulator       only those of simulator-plants.json
  --in src/core     only those in files whose path begins with this`;

const ROOT = join(import.meta.dirname, '../..');
const DAY = 86_400_000;
/** Cases of each property: enough to show a mistake that matters. */
const RUNS = '1000';
/** A slow test does not count as a failure: many more cases run here at once than usual. */
const TEST_TIMEOUT = '--testTimeout=120000';
/** Nor does one failure: some tests measure time and memory while others run. */
const RETRY = '--retry=2';

/**
 * What a copy has. tsconfig.json says how the views of the page are compiled. What tests start with `bin` is `dist`, without the
 * mistake: those tests must pass, and others must catch it.
 */
const PARTS = [
  'src',
  'mocks',
  'test',
  'tools',
  'docs',
  'bin',
  'dist',
  'examples',
  'benchmarks',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];

const NOTHING: Plant = {
  mistake: 'no mistake at all',
  file: 'src/core/text/result.ts',
  from: 'export type Result',
  to: 'export type Result',
};

/** A text that begins with `caught`, `MISSED` or `STALE`. */
function verdictOn({ file, from, to, by }: Plant, tests: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'modreg-plant-'));
  try {
    for (const part of PARTS) {
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const path = join(copy, file);
    const parts = readFileSync(path, 'utf8').split(from);
    if (parts.length !== 2) return `STALE: its text occurs ${parts.length - 1} times in ${file}`;
    writeFileSync(path, parts.join(to));
    if (by === 'simulator') return simulated(copy, MOST_EVENTS) ?? 'MISSED: no invariant breaks';
    if (by === 'agent')
      return simulated(copy, MOST_EVENTS, '--agent') ?? 'MISSED: no invariant breaks';
    if (by === 'attacks') return attacked(copy) ?? 'MISSED: no invariant breaks';
    if (by === 'month') return played(copy) ?? 'MISSED: no invariant breaks';
    if (by === 'model') return explored(copy) ?? 'MISSED: no invariant breaks';
    if (by === 'http') return simulated(copy, HTTP_EVENTS, '--http') ?? 'MISSED: no play differs';
    return failingTest(copy, tests) ?? 'MISSED: no test fails';
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The simulator must find a mistake within these limits. */
const MOST_EVENTS = '200000';
const HTTP_EVENTS = '20000';
/** For all these events, or each attack once, on a busy machine. */
const MOST_MS = 300_000;

/** The invariant that the simulator finds broken in `folder`, and after how many events; undefined if none. */
function simulated(
  folder: string,
  events: string,
  ...options: readonly string[]
): string | undefined {
  return verdictIn(folder, ['simulate/run.ts', '--brief', '--events', events, ...options]);
}

/** The same for each attack on a machine with a pin. */
function attacked(folder: string): string | undefined {
  return verdictIn(folder, ['simulate/attacks.ts', '--brief']);
}

/** The same for a month of a rover with its site without a pin, and for one with it. */
function played(folder: string): string | undefined {
  return verdictIn(folder, ['simulate/month.ts', '--brief']);
}

/** The same for each path of the models to a bound. */
function explored(folder: string): string | undefined {
  return verdictIn(folder, ['model/run.ts', '--short']);
}

function verdictIn(
  folder: string,
  [program = '', ...options]: readonly string[],
): string | undefined {
  const args = [`tools/${program}`, ...options];
  const { stdout, status, error } = spawnSync(process.execPath, args, {
    cwd: folder,
    timeout: MOST_MS,
    encoding: 'utf8',
  });
  if (error) return `MISSED: no end within ${MOST_MS} ms`;
  const lines = stdout.trim().split('\n');
  const at = lines.findIndex((line) => / breaks | differs: /.test(line));
  if (status !== 1 || at === -1) return undefined;
  const [verdict = '', figures = ''] = lines.slice(at);
  return `caught by: ${verdict.slice(0, 160)} (${figures.split(' in ')[0]})`;
}

/** The first test that fails, and the suite that it belongs to; a test of the long suite only if none of `npm test` fails. */
function failingTest(folder: string, tests: readonly string[]): string | undefined {
  for (const [command, ...projects] of SUITES) {
    const run = [...tests, ...projects.map((name) => `--project=${name}`)];
    const first = failureIn(folder, [...run, '--bail=1']);
    // The test that ended the run may be missing from the report.
    const failure = first === UNNAMED ? failureIn(folder, run) : first;
    if (failure !== undefined) return `${failure} (${command})`;
  }
  return undefined;
}

/** The command that runs each suite, and its projects in vitest.config.ts. */
const SUITES = [
  ['npm test', 'apart', 'shared'],
  ['npm run test:long', 'long'],
] as const;

/** All tests of a folder, on a busy machine. */
const MOST_TEST_MS = 1_200_000;
const UNNAMED = 'caught by: an error outside the tests';

/** The first failed test; undefined if the run passed. */
function failureIn(folder: string, options: readonly string[]): string | undefined {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [
    vitest,
    'run',
    ...options,
    TEST_TIMEOUT,
    RETRY,
    '--passWithNoTests',
    '--reporter=json',
  ];
  // Services are tested without a mistake: what they meet is `dist`.
  const services = {
    MODREG_DOCKER_REGISTRY: undefined,
    MODREG_DOCKER_REGISTRY_PROGRAM: undefined,
    MODREG_VERDACCIO: undefined,
    MODREG_REQUIRE_SERVICES: undefined,
  };
  const env = { ...process.env, ...services, MODREG_RUNS: RUNS };
  const { status } = spawnSync(process.execPath, [...args, `--outputFile=${report}`], {
    cwd: folder,
    env,
    timeout: MOST_TEST_MS,
  });
  if (!existsSync(report)) throw new Error(`vitest wrote no report in ${folder}`);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { assertionResults: { status: string; fullName: string }[] }[];
  };
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = results.find((result) => result.status === 'failed');
  if (failed) return `caught by: ${failed.fullName}`;
  return status === 0 ? undefined : UNNAMED;
}

function plantsIn(file: string): Plant[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as Plant[];
}

function ofTheDay(all: readonly Plant[], count: number): Plant[] {
  const first = Math.floor(Date.now() / DAY) * count;
  return Array.from({ length: count }, (_, place) => all[(first + place) % all.length]).filter(
    (plant) => plant !== undefined,
  );
}

function chosenPlants(): Plant[] {
  const { values } = optionsOf(
    {
      options: {
        'of-the-day': { type: 'string' },
        simulator: { type: 'boolean', default: false },
        in: { type: 'string', default: '' },
      },
    },
    HELP,
  );
  const simulator = plantsIn('simulator-plants.json');
  const lists = (values.simulator ? [simulator] : [plantsIn('test-plants.json'), simulator]).map(
    (all) => all.filter(({ file }) => file.startsWith(values.in)),
  );
  const text = values['of-the-day'];
  const count = text === undefined ? undefined : wholeNumber('--of-the-day', text, 1);
  return lists.flatMap((all) => (count === undefined ? all : ofTheDay(all, count)));
}

/** Throws if anything fails without a mistake: every plant would then seem to be caught. */
function baseline(plants: readonly Plant[]): void {
  for (const [by, alike] of Map.groupBy(plants, (plant) => plant.by)) {
    const tests = [...new Set(alike.flatMap(testsOf))];
    const verdict = verdictOn(by === undefined ? NOTHING : { ...NOTHING, by }, tests);
    if (!verdict.startsWith('MISSED')) throw new Error(`without a mistake: ${verdict}`);
  }
}

const plants = chosenPlants();
baseline(plants);

let missed = 0;
for (const plant of plants) {
  const verdict = verdictOn(plant, testsOf(plant));
  if (!verdict.startsWith('caught')) missed++;
  console.log(`${plant.mistake}\n    ${verdict}`);
}
console.log(missed === 0 ? 'every mistake was caught' : `${missed} mistakes were not caught`);
process.exitCode = missed === 0 ? 0 : 1;
