/* What tests import from vitest, for a process that runs them again and again. An import of something else fails. */
import { expect as jestExpect } from 'expect';

export interface RegisteredTest {
  readonly id: string;
  readonly file: string;
  readonly body: () => unknown;
}

type Body = (...row: unknown[]) => unknown;
type Register = (title: string, body: Body) => void;

const registered: RegisteredTest[] = [];
const titles: string[] = [];
const endings: (() => unknown)[] = [];
let file = '';

/** Loads a file of tests, and returns the tests that it has. */
export async function testsIn(path: string, url: string): Promise<readonly RegisteredTest[]> {
  file = path;
  await import(url);
  return registered.splice(0);
}

/** Runs what a test wants to be done when it ends. */
export async function endTest(): Promise<void> {
  for (let end = endings.pop(); end; end = endings.pop()) await end();
}

export function onTestFinished(ending: () => unknown): void {
  endings.push(ending);
}

type Each = (rows: readonly unknown[]) => Register;

const addTest: Register = (title, body) => {
  const id = `${file} ${registered.length + 1}: ${[...titles, title].join(' > ')}`;
  registered.push({ id, file, body });
};

const addSuite: Register = (title, body) => {
  titles.push(title);
  body();
  titles.pop();
};

/** Registers a test or a suite for each row. */
function eachOf(register: Register, argumentsOf: (row: unknown) => unknown[]): Each {
  return (rows) => (title, body) => {
    for (const row of rows) register(title, () => body(...argumentsOf(row)));
  };
}

const spread = (row: unknown): unknown[] => (Array.isArray(row) ? row : [row]);

export const it: Register & { readonly each: Each; readonly for: Each } = Object.assign(addTest, {
  each: eachOf(addTest, spread),
  for: eachOf(addTest, (row) => [row]),
});

export const describe: Register & { readonly each: Each } = Object.assign(addSuite, {
  each: eachOf(addSuite, spread),
});

const signal = new AbortController().signal;

/** Stryker ends a test that takes too long, with its process. */
export const TestRunner: {
  readonly getCurrentTest: () => { readonly context: { readonly signal: AbortSignal } };
} = { getCurrentTest: () => ({ context: { signal } }) };

/** vitest's takes a message as well. */
export const expect: typeof jestExpect = Object.assign(
  (value: unknown) => jestExpect(value),
  jestExpect,
);
