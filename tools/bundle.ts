/*
 * Writes the command line to dist/cli as CommonJS, with the packages that it uses. One file for what a command loads
 * starts faster than many, and CommonJS loads a built-in module without reading all its exports, some of which load
 * further modules.
 */
import { join } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { packagesIn, writeLicenses } from './bundled-licenses.ts';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist/cli');
const PACKAGES = /^.*\/node_modules\//;

/** Commander starts commands that are files of their own. modreg has none, and node:child_process takes 4 ms to load. */
const withoutProcesses: Plugin = {
  name: 'without-processes',
  resolveId: (id, importer) =>
    id === 'node:child_process' && importer?.includes('/commander/') ? '\0no-processes' : undefined,
  load: (id) => (id === '\0no-processes' ? 'export default {};' : undefined),
};

/** It is CommonJS: in the same build, all commands would load one more file, which has what only such packages need. */
const METRICS = 'prom-client';
const METRICS_FILE = `./${METRICS}.cjs`;
const metricsApart: Plugin = {
  name: 'metrics-apart',
  resolveId: (id) => (id === METRICS ? { id: METRICS_FILE, external: 'absolute' } : undefined),
};

/** The packages of a file, which tests read, so that no command loads a package unnoticed. */
function banner({ moduleIds }: { readonly moduleIds: readonly string[] }): string {
  const names = packagesIn(moduleIds).map((folder) => folder.replace(PACKAGES, ''));
  return names.length === 0 ? '' : `// Packages: ${names.join(' ')}`;
}

const { output: metrics } = await build({
  cwd: ROOT,
  input: { [METRICS]: METRICS },
  platform: 'node',
  output: {
    dir: OUT,
    format: 'cjs',
    comments: { jsdoc: false },
    banner,
    entryFileNames: '[name].cjs',
  },
});

const { output } = await build({
  cwd: ROOT,
  input: 'src/cli/main.ts',
  platform: 'node',
  // As CommonJS, jsonc-parser requires its files in a way that no bundler sees.
  resolve: { mainFields: ['module', 'main'] },
  plugins: [withoutProcesses, metricsApart],
  preserveEntrySignatures: 'allow-extension',
  output: {
    dir: OUT,
    format: 'cjs',
    comments: { jsdoc: false },
    banner,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: {
      // What each has in common with an earlier one is in the file of that one.
      groups: [
        { name: 'main', test: /src\/cli\/main\.ts$|rolldown.runtime/, priority: 3 },
        { name: 'resolve', test: /\/resolve-command\.ts$/, priority: 2 },
        { name: 'folder', test: /\/folder-registry\.ts$/, priority: 1 },
        { name: 'check', test: /\/check-command\.ts$/, priority: 1 },
      ],
    },
  },
});

writeLicenses([...output, ...metrics], OUT);
