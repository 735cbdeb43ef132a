/*
 * Builds the Debian package from the built clone: `npm run deb`. It needs dpkg-deb. The same commit gives the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { oneOf, optionsOf } from '../options.ts';
import { debianVersion, newestDate } from './debian-texts.ts';
import { ARCHITECTURES, nodeOf } from './node-of.ts';
import { writePackageTree } from './package-tree.ts';

const ROOT = join(import.meta.dirname, '../..');
const HELP = `Builds modreg_<version>_<architecture>.deb.
  --arch <name>     amd64 or arm64 (default: this machine's). Another one is downloaded from the npm registry
  --out <folder>    where to write it (default: the clone)
  --version <text>  the version that it claims (default: that of package.json)
  --fast            without compression, for tests`;

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
const { version } = JSON.parse(text('package.json')) as { readonly version: string };
const claimed = values.version ?? version;
const epoch = process.env['SOURCE_DATE_EPOCH'];
const at = epoch === undefined ? newestDate(text('CHANGELOG.md')) : new Date(Number(epoch) * 1000);

const folder = mkdtempSync(join(tmpdir(), 'modreg-deb-'));
try {
  const tree = join(folder, 'tree');
  writePackageTree(tree, {
    root: ROOT,
    node: nodeOf(architecture, ROOT, folder),
    architecture: architecture.name,
    release: { version, at },
    version: claimed,
  });
  const name = `modreg_${debianVersion(claimed)}_${architecture.name}.deb`;
  const file = join(resolve(values.out), name);
  const compression = values.fast ? ['-Znone'] : ['-Zxz', '-z6'];
  execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', tree, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(at.getTime() / 1000) },
  });
  console.log(`${file}: ${statSync(file).size} bytes`);
} finally {
  rmSync(folder, { recursive: true });
}
