/*
 * Runs tests on Node 26, by default those of the folders that use most of Node. It copies the clone, so that its
 * `node_modules/.bin/node`, which `bin/modreg` and tests start, can be that Node.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installNode26 } from './node-26.ts';

const ROOT = join(import.meta.dirname, '../..');
// Those of core, config and testing use little of Node.
const FOLDERS = 'agent board logs page poller registry server store';
const FILES = 'bin completion network plan program registry-serve resolve';
const TESTS = [
  ...FOLDERS.split(' ').map((name) => `test/${name}/`),
  ...FILES.split(' ').map((name) => `test/cli/${name}.test.ts`),
];

const folder = mkdtempSync(join(tmpdir(), 'modreg-node-26-'));
try {
  const node = installNode26(folder);
  const copy = join(folder, 'clone');
  const names = readdirSync(ROOT).filter((name) => name !== '.git');
  mkdirSync(copy);
  execFileSync('cp', ['-a', '--reflink=auto', ...names.map((name) => join(ROOT, name)), copy]);
  const bin = join(copy, 'node_modules/.bin');
  rmSync(join(bin, 'node'));
  symlinkSync(node, join(bin, 'node'));
  const named = process.argv.slice(2);
  const tests = named.length === 0 ? TESTS : named;
  // Those of `npm test`: long tests take their minutes for modreg's work, not for Node's.
  const suite = ['--project', 'apart', '--project', 'shared'];
  const { status } = spawnSync(
    join(bin, 'node'),
    [join(bin, 'vitest'), 'run', ...suite, ...tests],
    { cwd: copy, env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` }, stdio: 'inherit' },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
