/* A test runner for Stryker that loads all tests once, and then runs some of them for each mutant in the same process. */
import { globSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InstrumenterContext } from '@stryker-mutator/api/core';
import { declareValuePlugin, PluginKind, type ValuePlugin } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
} from '@stryker-mutator/api/test-runner';
import { TEST_FILES } from './test-files.ts';
import { endTest, testsIn, type RegisteredTest } from './stand-in-for-vitest.ts';

const STAND_IN = new URL('./stand-in-for-vitest.ts', import.meta.url).href;

/** What the code with mutants reads: which one is active. */
const state: InstrumenterContext = {};
Object.assign(globalThis, { __stryker__: state });

const tests = new Map<string, RegisteredTest>();

/** Loads the tests of the copy that Stryker changed: it is the current folder. */
async function init(): Promise<void> {
  registerHooks({
    resolve: (name, context, next) =>
      name === 'vitest' ? { url: STAND_IN, shortCircuit: true } : next(name, context),
  });
  for (const path of TEST_FILES.flatMap((pattern) => globSync(pattern).toSorted())) {
    for (const test of await testsIn(path, pathToFileURL(resolve(path)).href)) {
      tests.set(test.id, test);
    }
  }
}

async function run({ id, file, body }: RegisteredTest): Promise<TestResult> {
  const start = performance.now();
  const result = { id, name: id, fileName: resolve(file) };
  try {
    await body();
    await endTest();
    const timeSpentMs = performance.now() - start;
    return { ...result, status: TestStatus.Success, timeSpentMs };
  } catch (error) {
    const timeSpentMs = performance.now() - start;
    return { ...result, status: TestStatus.Failed, failureMessage: String(error), timeSpentMs };
  }
}

/** Runs all tests, and records which mutants each one reaches. */
async function dryRun(): Promise<DryRunResult> {
  const results: TestResult[] = [];
  for (const test of tests.values()) {
    state.currentTestId = test.id;
    results.push(await run(test));
  }
  delete state.currentTestId;
  const { mutantCoverage } = state;
  return {
    status: DryRunStatus.Complete,
    tests: results,
    ...(mutantCoverage && { mutantCoverage }),
  };
}

/** Runs the tests that reach a mutant until one fails. A loop that a mutant made endless throws at the limit. */
async function mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
  const { activeMutant, testFilter = [], hitLimit } = options;
  Object.assign(state, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
  const results: TestResult[] = [];
  for (const id of testFilter) {
    const test = tests.get(id);
    if (!test) throw new Error(`there is no test ${id}`);
    const result = await run(test);
    results.push(result);
    if (result.status === TestStatus.Failed) break;
  }
  const endless = determineHitLimitReached(state.hitCount, hitLimit);
  Object.assign(state, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
  return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests: results });
}

export const strykerPlugins: readonly ValuePlugin<PluginKind.TestRunner>[] = [
  declareValuePlugin(PluginKind.TestRunner, 'in-process', {
    // Code that runs when a file is loaded keeps what it did without a mutant; Stryker ignores its mutants.
    capabilities: () => ({ reloadEnvironment: true }),
    init,
    dryRun,
    mutantRun,
  }),
];
