import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './support/modreg.ts';

/**
 * Who may import whom, besides the folder itself: folders and files of `src`, packages, and parts of Node. A folder
 * without a line is part of the one around it.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'core/text': ['fastest-levenshtein'],
  'core/version': ['core/text', 'fastest-levenshtein'],
  'core/releases': ['core/text', 'core/version'],
  'core/decision': ['core/text', 'core/version', 'core/releases'],
  'core/machine': ['core/text', 'core/version', 'core/releases', 'core/decision'],
  'core/explanation': ['core/text', 'core/version', 'core/releases', 'core/decision'],
  'core/plan': [
    'core/text',
    'core/version',
    'core/releases',
    'core/decision',
    'core/machine',
    'core/explanation',
  ],
  core: [],
  config: [
    'core',
    'registry/address.ts',
    'valibot',
    '@valibot/to-json-schema',
    'jsonc-parser',
    'croner',
    'node:buffer',
  ],
  registry: [
    'core',
    'server/catalogue-registry.ts',
    'ky',
    'p-retry',
    'lru-cache',
    'p-limit',
    'node:crypto',
    'node:fs',
    'node:fs/promises',
    'node:path',
    'node:timers/promises',
  ],
  sqlite: ['core/text', 'node:sqlite', 'node:fs', 'node:path', 'node:url'],
  store: ['core', 'registry', 'sqlite', 'node:fs', 'node:sqlite'],
  poller: ['core', 'registry', 'store'],
  server: [
    'core',
    'registry',
    'sqlite',
    'hono',
    '@hono/node-server',
    'valibot',
    'lru-cache',
    'node:crypto',
    'node:fs',
    'node:http',
    'node:net',
    'node:sqlite',
  ],
  cli: [
    'core',
    'config',
    'registry',
    'sqlite',
    'store',
    'poller',
    'server',
    'commander',
    'pino',
    'node:fs',
    'node:path',
    'node:util',
  ],
};

/** What the core and the poller must not touch: they are given the world. */
const WORLD =
  /\b(Date\.now|new Date\(\)|Math\.random|performance\.|setTimeout|setInterval|fetch\(|process\b|globalThis)/;

const SRC = join(ROOT, 'src');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

/** The text of a file without its doc comments: their examples are programs of others. */
function source(file: string): string {
  return readFileSync(join(SRC, file), 'utf8').replace(/^ *\/\*\*[^]*?\*\/$/gm, '');
}

/** What `file` imports: paths below `src`, or the names of packages. */
function importsOf(file: string): string[] {
  const specifiers = source(file).matchAll(
    /(?:^|\n)(?:import|export)[^'"]*?from '([^']+)'|import\('([^']+)'\)|(?:^|\n)import '([^']+)'/g,
  );
  return Array.from(specifiers, ([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? '').map(
    (specifier) =>
      specifier.startsWith('.') ? relative(SRC, join(SRC, dirname(file), specifier)) : specifier,
  );
}

/** The innermost folder around `path` that has a line. */
function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === '.' || Object.hasOwn(ALLOWED, folder) ? folder : folderOf(folder);
}

/** Whether `path` is `allowed`, or in it. */
function isIn(path: string, allowed: string): boolean {
  return path === allowed || path.startsWith(`${allowed}/`);
}

/** What the files of each folder import from elsewhere. */
const IMPORTS = Map.groupBy(
  FILES.flatMap((file) => importsOf(file).map((path) => ({ folder: folderOf(file), file, path }))),
  ({ folder }) => folder,
);

it.each(FILES)('%s imports what its folder may', (file) => {
  const folder = folderOf(file);
  const allowed = [folder, ...(ALLOWED[folder] ?? [])];
  expect(importsOf(file).filter((path) => !allowed.some((one) => isIn(path, one)))).toEqual([]);
});

it.each(Object.entries(ALLOWED))('%s imports all that it may', (folder, allowed) => {
  const imports = IMPORTS.get(folder) ?? [];
  expect(allowed.filter((one) => !imports.some(({ path }) => isIn(path, one)))).toEqual([]);
});

it('every folder has its line', () => {
  const folders = new Set(FILES.map((file) => file.split('/')[0] ?? ''));
  expect([...folders].filter((folder) => !Object.hasOwn(ALLOWED, folder))).toEqual([]);
});

it('imports make no cycle, those of types included', () => {
  const graph = new Map(
    FILES.map((file) => [file, importsOf(file).filter((path) => path.endsWith('.ts'))]),
  );
  // Whatever imports nothing that is left can go; a cycle stays.
  for (let size = -1; size !== graph.size;) {
    size = graph.size;
    for (const [file, imports] of graph) {
      if (!imports.some((path) => graph.has(path))) graph.delete(file);
    }
  }
  expect([...graph.keys()]).toEqual([]);
});

const GIVEN_THE_WORLD = FILES.filter((file) => /^(core|poller)\//.test(file));

it.each(GIVEN_THE_WORLD)('%s does not touch the world', (file) => {
  const code = source(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
  expect(WORLD.exec(code)).toBeNull();
});

it.each(FILES.filter((file) => !file.startsWith('cli/')))(
  '%s leaves the process to the command line',
  (file) => {
    expect(/\bprocess\.(argv|env|stdout|stderr|exit)|\bconsole\./.exec(source(file))).toBeNull();
  },
);

it('no file is called by what it is not', () => {
  const says = /^(utils?|helpers?|common|misc|manager|service|handler|shared|lib|types|index)\.ts$/;
  const nameless = FILES.filter((file) => says.test(file.split('/').at(-1) ?? ''));
  expect(nameless).toEqual([
    'config/index.ts',
    'core/index.ts',
    'poller/index.ts',
    'registry/index.ts',
    'server/index.ts',
    'store/index.ts',
  ]);
});

it('nothing but fastest-levenshtein is loaded with the core', () => {
  const packages = FILES.filter((file) => file.startsWith('core/')).flatMap(importsOf);
  expect(new Set(packages.filter((path) => !path.endsWith('.ts')))).toEqual(
    new Set(['fastest-levenshtein']),
  );
});

it.each(FILES.filter((file) => file.startsWith('core/explanation/')))(
  '%s renders what a decision found, and evaluates nothing again',
  (file) => {
    const evaluating = /\/(decide|failure|recovery|without-release|quarantine|eligibility)\.ts$/;
    expect(importsOf(file).filter((path) => evaluating.test(path))).toEqual([]);
    expect(source(file)).not.toMatch(/import [^;]*\brefusal\b[^;]*resolve\.ts/);
  },
);
