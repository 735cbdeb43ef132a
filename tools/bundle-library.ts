/*
 * Writes the entry points to dist as ES modules. Each loads one file, and the files that it shares with others: reading
 * the 150 files of `src` takes most of the time of an import. What is imported dynamically is a file of its own. Packages
 * stay imports, except jsonc-parser. Expressions and local names are shortened, which makes the package 4 % smaller. For
 * stacks, functions and classes keep their names and lines: Node prints the whole line that threw. Comments with the paths of sources go.
 */
import { join } from 'node:path';
import { build, type Plugin } from 'rolldown';
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

/** The names of packages' modules stay, which tests read. */
const withoutOwnPaths: Plugin = {
  name: 'without-own-paths',
  generateBundle: (_options, files) => {
    for (const file of Object.values(files)) {
      if (file.type === 'chunk') file.code = file.code.replaceAll(/^\/\/ src\/.*\n/gm, '');
    }
  },
};

const { output } = await build({
  cwd: ROOT,
  input: Object.fromEntries(ENTRIES.map((entry) => [`${entry}/index`, `src/${entry}/index.ts`])),
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] },
  external: (id) => /^[@a-z]/.test(id) && id !== INCLUDED,
  plugins: [withoutOwnPaths],
  output: {
    dir: OUT,
    format: 'esm',
    chunkFileNames: 'shared/[name].js',
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: false } },
    // The declarations have them.
    comments: { jsdoc: false },
  },
});

writeLicenses(output, OUT);
