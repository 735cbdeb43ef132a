import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entryPoints, type Declared, type EntryPoint } from './support/declaration-files.ts';
import {
  examplesOf,
  rowIds,
  undocumented,
  undocumentedMembers,
  unexportedMentions,
  withoutExample,
} from './support/declarations.ts';
import { temporaryFolder } from './support/folder.ts';
import { ROOT } from './support/modreg.ts';

/** The entry points under test, by their keys in `exports` of package.json. */
const ENTRIES = [
  '.',
  './config',
  './registry',
  './store',
  './poller',
  './agent',
  './board',
  './server',
  './testing',
];

/** The limit for all entry points together. */
const MOST_EXPORTS = 150;

const PUBLISHED = entryPoints(ROOT);
const TESTED = ENTRIES.map((key): [string, EntryPoint] => {
  const entry = PUBLISHED.get(key);
  if (!entry) throw new Error(`package.json exports no declarations as ${key}`);
  return [key, entry];
});

it('finds missing documentation, missing exports and row ids', () => {
  const root = temporaryFolder({
    'package.json': '{ "exports": { ".": { "types": "./index.d.ts" }, "./package.json": "./x" } }',
    'index.d.ts': "export { ask, type Answer, Box } from './ask.ts';\n",
    'ask.d.ts': [
      "import type { Hidden } from './hidden.ts';",
      'export declare function ask<T>(hidden: Hidden<T>, way: { fast: boolean }): Promise<Answer>;',
      '/** Follows T110. */',
      'export type Answer =',
      "  | { kind: 'yes'; why: { /** Words. */ text: string; from: number } }",
      "  | { kind: 'no' };",
      '/** Holds.\n * @example\n * ```ts\n * new Box();\n * ``` */',
      'export declare class Box extends Error {',
      '  #private;',
      '  private secret;',
      '  readonly name = "Box";',
      '  /** Takes.\n   * @example new Box(); */',
      '  take(): void;',
      '  put(value: string): void;',
      '}',
    ].join('\n'),
    'hidden.d.ts': 'export interface Hidden<T> { value: T }\n',
  });
  const entries = entryPoints(root);
  const { exports = [], files = [] } = entries.get('.') ?? {};
  expect(exports.map(({ name }) => name)).toEqual(['ask', 'Answer', 'Box']);
  expect(undocumented(exports)).toEqual(['ask']);
  expect(undocumentedMembers(exports)).toEqual(['Answer.why', 'Answer.why.from', 'Box.put']);
  expect(withoutExample(exports)).toEqual(['ask']);
  expect(exports.flatMap(examplesOf)).toEqual(['new Box();\n', ' new Box(); ']);
  expect(unexportedMentions(exports, entries.values())).toEqual(['Hidden, mentioned by ask']);
  expect(rowIds(files, root)).toEqual(['ask.d.ts:3 /** Follows T110. */']);
});

it('publishes no row ids', () => {
  const files = globSync(join(ROOT, 'dist/**/*.d.ts'));
  expect(rowIds(files, ROOT)).toEqual([]);
});

describe.each(TESTED)('%s', (key, { exports, files }) => {
  it('documents each export', () => {
    expect(undocumented(exports)).toEqual([]);
  });

  it('documents each member', () => {
    expect(undocumentedMembers(exports)).toEqual([]);
  });

  it('has an example of each function and class', () => {
    expect(withoutExample(exports)).toEqual([]);
  });

  it('mentions only types that some entry exports', () => {
    expect(unexportedMentions(exports, PUBLISHED.values())).toEqual([]);
  });

  it('exports no name that another entry exports', () => {
    const others = [...PUBLISHED].filter(([other]) => other !== key);
    const taken = new Set(others.flatMap(([, entry]) => entry.exports.map(({ name }) => name)));
    expect(exports.map(({ name }) => name).filter((name) => taken.has(name))).toEqual([]);
  });

  it('has no raw database and no SQL in its declarations', () => {
    const raw = /\b(DatabaseSync|StatementSync|Statements|sql)\b/;
    expect(files.filter((file) => raw.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

it(`has at most ${MOST_EXPORTS} exports in all`, () => {
  const count = TESTED.reduce((sum, [, { exports }]) => sum + exports.length, 0);
  expect(count).toBeLessThanOrEqual(MOST_EXPORTS);
});

/** The examples of `exports`, by file name. */
function examplesIn(exports: readonly Declared[]): [file: string, program: string][] {
  return exports.flatMap((exported) =>
    examplesOf(exported).map((program, place): [string, string] => [
      `${exported.name}-${place + 1}.ts`,
      program,
    ]),
  );
}

/** The folder of a project with these programs, which depends on the package. */
function projectWith(programs: readonly (readonly [file: string, program: string])[]): string {
  const folder = temporaryFolder({
    'package.json': '{ "type": "module" }',
    ...Object.fromEntries(programs),
  });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/modreg'));
  symlinkSync(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  return folder;
}

it('every example compiles in a project that depends on the package', () => {
  const folder = projectWith(TESTED.flatMap(([, { exports }]) => examplesIn(exports)));
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    include: ['*.ts'],
    compilerOptions: { isolatedDeclarations: false, declaration: false, skipLibCheck: false },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { stdout } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
});

const TEST_EXAMPLES = examplesIn(PUBLISHED.get('./testing')?.exports ?? []);

it.each(TEST_EXAMPLES)('the example %s of modreg/testing prints what it says', (file, program) => {
  const said = Array.from(program.matchAll(/console\.log\(.*\); \/\/ (.*)/g), ([, text]) => text);
  const node = join(ROOT, 'node_modules/.bin/node');
  const cwd = projectWith([[file, program]]);
  const { stdout, stderr } = spawnSync(node, [file], { cwd, encoding: 'utf8' });
  expect(said).not.toEqual([]);
  expect(stdout + stderr).toBe(`${said.join('\n')}\n`);
});
