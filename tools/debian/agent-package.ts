/*
 * Builds what the agent installs as a release of itself, from the built clone: `npm run agent-package`. The same commit gives
 * the same bytes, with the same tar and Node.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildOptions, ROOT, textOf } from './build-options.ts';
import { newestDate } from './debian-texts.ts';
import { nodeOf } from './node-of.ts';
import { programLicenses, settle, writeProgram } from './package-tree.ts';

const {
  architecture,
  out,
  claimed: version,
  isFast,
} = buildOptions(
  'Builds modreg-agent_<version>_<architecture>.tar.gz: the agent with its Node.',
  'hardly compressed, for tests',
);

const folder = mkdtempSync(join(tmpdir(), 'modreg-agent-'));
try {
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  const node = nodeOf(architecture, ROOT, folder);
  writeProgram(tree, { root: ROOT, node, version });
  writeFileSync(join(tree, 'meta.json'), `${JSON.stringify({ entrypoint: 'bin/modreg' })}\n`);
  writeFileSync(join(tree, 'LICENSES.txt'), programLicenses(ROOT));
  writeFileSync(join(tree, 'LICENSE.node.txt'), readFileSync(join(node, 'LICENSE')));
  writeFileSync(join(tree, 'LICENSE'), textOf('LICENSE'));
  settle(tree, newestDate(textOf('CHANGELOG.md')));
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name', '--format=ustar'];
  // Everything fits in memory, and gzip writes the time.
  const tar = execFileSync('tar', ['cf', '-', ...owner, '-C', tree, '.'], { maxBuffer: 2 ** 30 });
  // A new machine has no zstd to unpack its first agent with.
  const name = `modreg-agent_${version}_${architecture.name}.tar.gz`;
  const file = join(out, name);
  writeFileSync(file, gzipSync(tar, { level: isFast ? 1 : 9 }));
  console.log(`${file}: ${statSync(file).size} bytes`);
} finally {
  rmSync(folder, { recursive: true });
}
