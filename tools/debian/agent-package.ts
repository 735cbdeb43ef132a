/*
 * Builds what the agent installs as a release of itself, from the built clone: `npm run agent-package`. The same commit gives
 * the same bytes, with the same tar and Node.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { oneOf, optionsOf } from '../options.ts';
import { newestDate } from './debian-texts.ts';
import { ARCHITECTURES, nodeOf } from './node-of.ts';
import { settle, writeProgram } from './package-tree.ts';

const ROOT = join(import.meta.dirname, '../..');
const HELP = `Builds modreg-agent_<version>_<architecture>.tar.gz: the agent with its Node.
  --arch <name>     amd64 or arm64 (default: this machine's). Another one is downloaded from the npm registry
  --out <folder>    where to write it (default: the clone)
  --version <text>  the version that it claims (default: that of package.json)
  --fast            hardly compressed, for tests`;

const { values } = optionsOf(
  {
    options: {
      arch: { type: 'string' },
      out: { type: 'string', default: ROOT },
      version: { type: 'string' },
      fast: { type: 'boolean', default: false },
    },
  },
  HELP,
);
const own = ARCHITECTURES.find(({ node }) => node === process.arch);
const architecture = oneOf('--arch', values.arch ?? own?.name ?? process.arch, ARCHITECTURES);
const text = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const { version: current } = JSON.parse(text('package.json')) as { readonly version: string };
const version = values.version ?? current;

const folder = mkdtempSync(join(tmpdir(), 'modreg-agent-'));
try {
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  const node = nodeOf(architecture, ROOT, folder);
  writeProgram(tree, { root: ROOT, node, version });
  writeFileSync(join(tree, 'meta.json'), `${JSON.stringify({ entrypoint: 'bin/modreg' })}\n`);
  writeFileSync(join(tree, 'LICENSES.txt'), text('dist/cli/LICENSES.txt'));
  writeFileSync(join(tree, 'LICENSE.node.txt'), readFileSync(join(node, 'LICENSE')));
  writeFileSync(join(tree, 'LICENSE'), text('LICENSE'));
  settle(tree, newestDate(text('CHANGELOG.md')));
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name', '--format=ustar'];
  // Everything fits in memory, and gzip writes the time.
  const tar = execFileSync('tar', ['cf', '-', ...owner, '-C', tree, '.'], { maxBuffer: 2 ** 30 });
  // A new machine has no zstd to unpack its first agent with.
  const name = `modreg-agent_${version}_${architecture.name}.tar.gz`;
  const file = join(resolve(values.out), name);
  writeFileSync(file, gzipSync(tar, { level: values.fast ? 1 : 9 }));
  console.log(`${file}: ${statSync(file).size} bytes`);
} finally {
  rmSync(folder, { recursive: true });
}
