import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const NODE_26 = '26.10.0';

/** Installs Node 26 from the npm registry in a new folder `node-26` of `folder`, and returns the path of the program. */
export function installNode26(folder: string): string {
  const home = join(folder, 'node-26');
  const name = `node-linux-${process.arch}`;
  mkdirSync(home);
  const options = ['--silent', '--no-audit', '--no-fund', '--no-save', '--prefix', home];
  execFileSync('npm', ['install', ...options, `${name}@${NODE_26}`], { stdio: 'inherit' });
  return join(home, 'node_modules', name, 'bin/node');
}
