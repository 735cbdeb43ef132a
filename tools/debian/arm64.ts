/*
 * Runs the Debian package for arm64 with qemu: `npm run test:arm64`. It needs `apt-get install qemu-user libc6-arm64-cross
 * libstdc++6-arm64-cross`. The demo publishes, installs, upgrades and rolls back modules with it. Prints the seconds of each step.
 */
import { deepStrictEqual, match } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { step } from './steps.ts';

const LIBRARIES = '/usr/aarch64-linux-gnu';
const folder = mkdtempSync(join(tmpdir(), 'modreg-arm64-'));
// The user of the demo's modules must be able to enter it.
chmodSync(folder, 0o755);
const tree = join(folder, 'tree');
const home = join(tree, 'usr/lib/modreg');

/** What `modreg` of the package prints. All that it writes is in the folder. */
function modreg(...words: readonly string[]): string {
  const node = ['-L', LIBRARIES, join(home, 'bin/node'), join(home, 'bin/modreg.mjs')];
  const environment = { PATH: process.env['PATH'], TMPDIR: folder, HOME: folder };
  return execFileSync('qemu-aarch64', [...node, ...words], {
    encoding: 'utf8',
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

try {
  await step('builds the package', () => {
    const build = [join(import.meta.dirname, 'build.ts'), '--arch', 'arm64', '--fast'];
    execFileSync(process.execPath, [...build, '--out', folder]);
    execFileSync('dpkg-deb', ['--extract', ...globSync(join(folder, '*.deb')), tree]);
  });
  await step('says its version', () =>
    match(modreg('version'), /^modreg \d+\.\d+\.\d+(?:-[\w.]+)? \(Node v24\./),
  );
  await step('decides for linux/arm64', () => {
    const answer = modreg('resolve', 'acme:lidar', '1.2.*', '--json');
    const { platform, version } = JSON.parse(answer) as Record<'platform' | 'version', string>;
    deepStrictEqual({ platform, version }, { platform: 'linux/arm64', version: '1.2.9' });
  });
  await step('plays the demo', () => {
    const lines = modreg('demo', '--fast', '--json').trim().split('\n');
    match(lines.at(-1) ?? '', /"folder"/);
  });
} finally {
  rmSync(folder, { recursive: true });
}
