import { TestRunner } from 'vitest';

/** Aborted when the current test runs into its time limit: what it began must not reach the tests after it. */
export function testSignal(): AbortSignal {
  const test = TestRunner.getCurrentTest();
  if (!test) throw new Error('no test is running');
  return test.context.signal;
}
