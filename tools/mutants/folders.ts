const CORE = 'test/core/*.test.ts';
const TABLE = 'test/core/decision-table/*.test.ts';

/** The tests that must detect the mutants of each folder of src/core: its own, and what asks it directly. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  text: ['test/core/text/*.test.ts', 'test/core/version/*.test.ts', CORE],
  version: ['test/core/version/*.test.ts', 'test/core/arguments.test.ts'],
  rollout: ['test/core/rollout/*.test.ts'],
  releases: ['test/core/releases/*.test.ts', CORE, TABLE],
  decision: [TABLE, 'test/core/plan/*.test.ts', 'test/core/arguments.test.ts'],
  machine: ['test/core/**/*.test.ts'],
  explanation: ['test/core/explanation/*.test.ts', TABLE, 'test/core/time-words.test.ts'],
  plan: ['test/core/plan/*.test.ts', TABLE],
};

export const FOLDERS: readonly string[] = Object.keys(TESTS).map((name) => `src/core/${name}`);

/** The tests of a folder of src/core, or of a file in it; undefined if there is no such folder. */
export function testsOf(path: string): readonly string[] | undefined {
  const [src, core, name = ''] = path.split('/');
  return src === 'src' && core === 'core' ? TESTS[name] : undefined;
}
