/*
 * Writes the command line to dist/cli as CommonJS, with the packages that it uses. One file for what a command loads
 * starts faster than many, and CommonJS loads a built-in module without reading all its exports, some of which load
 * further modules. The files are minified: a third of the package. Functions and classes keep their names for stacks.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { packagesIn, writeLicenses } from './bundled-licenses.ts';
import { PACKAGES_APART } from './packages-apart.ts';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist/cli');
const MINIFIED = { compress: true, mangle: { keepNames: true }, codegen: true } as const;
const METRICS = 'prom-client';
const PACKAGES = /^.*\/node_modules\//;

/** Commander starts commands that are files of their own. modreg has none, and node:child_process takes 4 ms to load. */
const withoutProcesses = without('node:child_process', 'commander');

/** prom-client uses it for exemplars, which modreg does not have. */
const withoutTraces = without('@opentelemetry/api', METRICS);

/** Replaces `id` by nothing in the files of `user`. */
function without(id: string, user: string): Plugin {
  const nothing = `\0no-${id}`;
  return {
    name: `without-${id}`,
    resolveId: (found, importer) =>
      found === id && importer?.includes(`/${user}/`) ? nothing : undefined,
    load: (found) => (found === nothing ? 'export default {};' : undefined),
  };
}

/** It is CommonJS: in the same build, all commands would load one more file, which has what only such packages need. */
const METRICS_FILE = `./${METRICS}.cjs`;
const metricsApart: Plugin = {
  name: 'metrics-apart',
  resolveId: (id) => (id === METRICS ? { id: METRICS_FILE, external: 'absolute' } : undefined),
};

/** Few lists have ranges of npm. It is a file of its own, because it is loaded without a promise, by the first that has. */
const RANGES = 'semver/classes/range.js';
const RANGES_FILE = './semver.cjs';
const rangesApart: Plugin = {
  name: 'ranges-apart',
  transform: (_code, id) =>
    id.endsWith('/range-class.ts')
      ? `import { createRequire } from 'node:module';
         const load = createRequire(import.meta.url);
         export const rangeClass = () => load('${RANGES_FILE}');`
      : undefined,
};

/** V8 keeps a file of nothing but ASCII in half the memory, and reads it faster. A text of `String.raw` would keep the escapes: none has other characters. */
const ascii: Plugin = {
  name: 'ascii',
  generateBundle: (_options, files) => {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replaceAll(/[^\0-\u007F]/g, escaped);
    }
  },
};

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The packages of a file, which tests read, so that no command loads a package unnoticed. */
function banner({ moduleIds }: { readonly moduleIds: readonly string[] }): string {
  const names = packagesIn(moduleIds).map((folder) => folder.replace(PACKAGES, ''));
  return names.length === 0 ? '' : `// Packages: ${names.join(' ')}`;
}

/** What the parser of all command lines shares with `resolve`, which needs no parser, is in the file that every command loads (D430). */
const IN_MAIN = new RegExp(
  [
    'src/cli/(main|package-file)',
    'src/core/text/(argument|duration|final-slashes|nearest-word|parse-error|quote|rfc3339|time-words)',
    'src/core/releases/module-id',
    'src/config/(document-kind|platform-home)',
    'src/host/machine-path',
    'src/server/accounts/role',
    'src/registry/(clock|registry-error)',
  ]
    .map((path) => `${path}\\.ts$`)
    .join('|')
    .concat('|(?<!_)rolldown.runtime'),
);

const COMMON_JS = {
  dir: OUT,
  format: 'cjs',
  minify: MINIFIED,
  comments: { jsdoc: false },
  postBanner: banner,
  entryFileNames: '[name].cjs',
} as const;

const { output: metrics } = await build({
  cwd: ROOT,
  input: { [METRICS]: METRICS },
  platform: 'node',
  plugins: [withoutTraces],
  output: COMMON_JS,
});

const { output: ranges } = await build({
  cwd: ROOT,
  input: { semver: RANGES },
  platform: 'node',
  output: COMMON_JS,
});

const { output } = await build({
  cwd: ROOT,
  input: 'src/cli/main.ts',
  platform: 'node',
  // Only a front of a cluster needs those of NATS, which installs them.
  external: [/^@nats-io\//, ...PACKAGES_APART],
  // As CommonJS, jsonc-parser requires its files in a way that no bundler sees.
  resolve: { mainFields: ['module', 'main'] },
  plugins: [withoutProcesses, metricsApart, rangesApart, ascii],
  preserveEntrySignatures: 'allow-extension',
  output: {
    ...COMMON_JS,
    chunkFileNames: '[name].cjs',
    codeSplitting: {
      // What each has in common with an earlier one is in the file of that one.
      groups: [
        { name: 'main', test: IN_MAIN, priority: 3 },
        { name: 'resolve', test: /\/resolve-command\.ts$/, priority: 2 },
        { name: 'folder', test: /\/folder-registry\.ts$/, priority: 1 },
        { name: 'check', test: /\/check\/check-command\.ts$/, priority: 1 },
      ],
    },
  },
});

/** What the browser gets. */
const { output: page } = await build({
  cwd: ROOT,
  input: { page: 'src/page/browser/live.ts' },
  platform: 'browser',
  output: { dir: OUT, format: 'esm', minify: true, entryFileNames: '[name].js' },
});
for (const [from, to] of [
  ['style.css', 'page.css'],
  ['wall.css', 'wall.css'],
] as const) {
  copyFileSync(join(ROOT, 'src/page/browser', from), join(OUT, to));
}

writeLicenses([...output, ...metrics, ...ranges, ...page], OUT);
