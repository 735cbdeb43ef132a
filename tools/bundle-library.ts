/*
 * Writes the entry points to dist as ES modules. Each loads one file, and the files that it shares with others: reading
 * the 150 files of `src` takes most of the time of an import. What is imported dynamically is a file of its own. Packages
 * stay imports, except jsonc-parser. Nothing is minified, so that stacks name the functions.
 */
import { join } from 'node:path';
import { build } from 'rolldown';
import { writeLicenses } from './bundled-licenses.ts';

const ROOT = join(import.meta.dirname, '..');
const OUT = join(ROOT, 'dist');
const ENTRIES = [
  'core',
  'config',
  'registries',
  'store',
  'poller',
  'agent',
  'board',
  'server',
  'testing',
];

/** Its CommonJS file, which `import` loads, requires other files in a way that no bundler sees. */
const INCLUDED = 'jsonc-parser';

const { output } = await build({
  cwd: ROOT,
  input: Object.fromEntries(ENTRIES.map((entry) => [`${entry}/index`, `src/${entry}/index.ts`])),
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] },
  external: (id) => /^[@a-z]/.test(id) && id !== INCLUDED,
  output: {
    dir: OUT,
    format: 'esm',
    chunkFileNames: 'shared/[name].js',
    // The declarations have them.
    comments: { jsdoc: false },
  },
});

writeLicenses(output, OUT);
