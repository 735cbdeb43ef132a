import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { ALLOWED } from './support/allowed-imports.ts';
import { PAGE, withImportList } from './support/import-list.ts';
import { ROOT } from './support/modreg.ts';

/** What the core and the poller must not use: they receive clock, randomness and requests as arguments. */
const ENVIRONMENT =
  /\b(Date\.now|new Date\(\)|Math\.random|performance\.|setTimeout|setInterval|fetch\(|process\b|globalThis)/;

const SRC = join(ROOT, 'src');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);

/** The text of a file without doc comments, whose examples import the package. */
function source(file: string): string {
  return readFileSync(join(SRC, file), 'utf8').replace(/^ *\/\*\*[^]*?\*\/$/gm, '');
}

/** The imports of `file`: paths below `src`, or names of packages. */
function importsOf(file: string): string[] {
  const specifiers = source(file).matchAll(
    /(?:^|\n)(?:import|export)[^'"]*?from '([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
  );
  return Array.from(specifiers, ([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '').map(
    (specifier) =>
      specifier.startsWith('.') ? relative(SRC, join(SRC, dirname(file), specifier)) : specifier,
  );
}

/** The innermost listed folder that contains `path`. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === '.' || Object.hasOwn(ALLOWED, folder) ? folder : folderOf(folder);
}

/** Whether `path` is `allowed`, or below it. */
function isIn(path: string, allowed: string): boolean {
  return path === allowed || path.startsWith(`${allowed}/`);
}

/** The imports of all files of each folder. */
const IMPORTS = Map.groupBy(
  FILES.flatMap((file) => importsOf(file).map((path) => ({ folder: folderOf(file), file, path }))),
  ({ folder }) => folder,
);

it.each(FILES)('%s imports only what its folder allows', (file) => {
  const folder = folderOf(file);
  const allowed = [folder, ...(ALLOWED[folder] ?? [])];
  expect(importsOf(file).filter((path) => !allowed.some((one) => isIn(path, one)))).toEqual([]);
});

it.each(Object.entries(ALLOWED))('%s uses every import that it allows', (folder, allowed) => {
  const imports = IMPORTS.get(folder) ?? [];
  expect(allowed.filter((one) => !imports.some(({ path }) => isIn(path, one)))).toEqual([]);
});

it.each(readdirSync(join(ROOT, 'mocks')))(
  'mocks/%s imports nothing of the tests, and of src only what our own registry is',
  (file) => {
    const text = readFileSync(join(ROOT, 'mocks', file), 'utf8');
    const imported = Array.from(text.matchAll(/ from '(\.\.[^']+)'/g), ([, path = '']) => path);
    const isOwnRegistry = ['modreg-registry.ts', 'release-registry.ts'].includes(file);
    expect(imported.filter((path) => !isOwnRegistry || !path.startsWith('../src/'))).toEqual([]);
  },
);

it('the page about the architecture lists the imports that are allowed', () => {
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  expect(page, 'node tools/import-list.ts writes the list').toBe(withImportList(page));
});

it('every top-level folder is listed', () => {
  const folders = new Set(FILES.map((file) => file.split('/')[0] ?? ''));
  expect([...folders].filter((folder) => !Object.hasOwn(ALLOWED, folder))).toEqual([]);
});

/** The nodes of `graph` that are in a cycle, or lead to one. */
function inCycles(graph: ReadonlyMap<string, Iterable<string>>): string[] {
  const left = new Map(graph);
  // Removes nodes without remaining imports until only cycles are left.
  for (let size = -1; size !== left.size;) {
    size = left.size;
    for (const [node, imports] of left) {
      if (![...imports].some((one) => left.has(one))) left.delete(node);
    }
  }
  return [...left.keys()];
}

it('imports, including type imports, have no cycle', () => {
  const files = FILES.map(
    (file) => [file, importsOf(file).filter((path) => /\.tsx?$/.test(path))] as const,
  );
  expect(inCycles(new Map(files))).toEqual([]);
});

/** The folders and files in `folder`, each with those that its files import. `.` is `src`. */
function childrenOf(folder: string): Map<string, Set<string>> {
  const prefix = folder === '.' ? '' : `${folder}/`;
  const childOf = (path: string): string | undefined =>
    path.startsWith(prefix) ? path.slice(prefix.length).split('/')[0] : undefined;
  const children = new Map<string, Set<string>>();
  for (const file of FILES) {
    const child = childOf(file);
    if (child === undefined) continue;
    const imported = children.get(child) ?? new Set();
    children.set(child, imported);
    for (const path of importsOf(file)) {
      const other = /\.tsx?$/.test(path) ? childOf(path) : undefined;
      if (other !== undefined && other !== child) imported.add(other);
    }
  }
  return children;
}

it.each([...new Set(['.', ...FILES.map((file) => dirname(file))])])(
  'the folders and files in %s do not import each other in a cycle',
  (folder) => {
    expect(inCycles(childrenOf(folder))).toEqual([]);
  },
);

const PURE = FILES.filter((file) => /^(core|poller)\//.test(file));

it.each(PURE)('%s reads no clock, randomness, network or process state itself', (file) => {
  const code = source(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  expect(ENVIRONMENT.exec(code)).toBeNull();
});

/** What `modreg` and `modreg/config` consist of. */
const FOR_BROWSERS = FILES.filter(
  (file) => /^(core|config)\//.test(file) || file === 'registry/address.ts',
);

it.each(FOR_BROWSERS)('[D347] %s uses nothing of Node', (file) => {
  expect(importsOf(file).filter((path) => path.startsWith('node:'))).toEqual([]);
  const code = source(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  expect(/\b(?:Buffer\.|process\.|setImmediate|require\()/.exec(code)).toBeNull();
});

it.each(FILES.filter((file) => !file.startsWith('cli/')))(
  '%s uses neither the console nor arguments, environment or exit of the process',
  (file) => {
    expect(/\bprocess\.(argv|env|stdout|stderr|exit)|\bconsole\./.exec(source(file))).toBeNull();
  },
);

it('no file has a generic name, except the entry points', () => {
  const generic =
    /^(utils?|helpers?|common|misc|manager|service|handler|shared|lib|types|index)\.tsx?$/;
  const found = FILES.filter((file) => generic.test(file.split('/').at(-1) ?? ''));
  expect(found).toEqual([
    'agent/index.ts',
    'board/index.ts',
    'config/index.ts',
    'core/index.ts',
    'poller/index.ts',
    'registries/index.ts',
    'server/index.ts',
    'store/index.ts',
    'testing/index.ts',
  ]);
});

it('the core imports no package except fastest-levenshtein', () => {
  const packages = FILES.filter((file) => file.startsWith('core/')).flatMap(importsOf);
  expect(new Set(packages.filter((path) => !path.endsWith('.ts')))).toEqual(
    new Set(['fastest-levenshtein']),
  );
});

it.each(FILES.filter((file) => file.startsWith('core/explanation/')))(
  '%s renders a decision without evaluating anything again',
  (file) => {
    const evaluating = /\/(decide|failure|recovery|without-release|quarantine|eligibility)\.ts$/;
    expect(importsOf(file).filter((path) => evaluating.test(path))).toEqual([]);
    expect(source(file)).not.toMatch(/import [^;]*\brefusal\b[^;]*resolve\.ts/);
  },
);
