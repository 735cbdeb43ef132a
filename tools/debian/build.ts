/*
 * Builds the Debian package from the built clone: `npm run deb`. It needs dpkg-deb. The same commit gives the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOptions, ROOT, textOf } from './build-options.ts';
import { debianVersion, newestDate } from './debian-texts.ts';
import { nodeOf } from './node-of.ts';
import { writePackageTree } from './package-tree.ts';

const { architecture, out, version, claimed, isFast } = buildOptions(
  'Builds modreg_<version>_<architecture>.deb.',
  'without compression, for tests',
);
const epoch = process.env['SOURCE_DATE_EPOCH'];
const at =
  epoch === undefined ? newestDate(textOf('CHANGELOG.md')) : new Date(Number(epoch) * 1000);

const folder = mkdtempSync(join(tmpdir(), 'modreg-deb-'));
try {
  const tree = join(folder, 'tree');
  // The last line of stdout is the answer.
  console.error('copies modreg and its Node');
  writePackageTree(tree, {
    root: ROOT,
    node: nodeOf(architecture, ROOT, folder),
    architecture: architecture.name,
    release: { version, at },
    version: claimed,
  });
  const name = `modreg_${debianVersion(claimed)}_${architecture.name}.deb`;
  const file = join(out, name);
  const compression = isFast ? ['-Znone'] : ['-Zxz', '-z6'];
  console.error(isFast ? 'packs them' : 'compresses them, which takes minutes');
  execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', tree, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(at.getTime() / 1000) },
  });
  console.log(`${file}: ${statSync(file).size} bytes`);
} finally {
  rmSync(folder, { recursive: true });
}
