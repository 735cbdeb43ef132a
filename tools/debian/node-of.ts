import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Debian's name of an architecture, and Node's. */
export const ARCHITECTURES = [
  { name: 'amd64', node: 'x64' },
  { name: 'arm64', node: 'arm64' },
] as const;

export type Architecture = (typeof ARCHITECTURES)[number];

interface Locked {
  readonly version: string;
  readonly integrity: string;
}

/**
 * The folder of the Node that package-lock.json names for an architecture, with `bin/node` and `LICENSE`. `npm ci` has
 * installed the one of this machine; another one is downloaded to `folder` and verified.
 */
export function nodeOf(architecture: Architecture, root: string, folder: string): string {
  const name = `node-linux-${architecture.node}`;
  const installed = join(root, 'node_modules', name);
  if (existsSync(installed)) return installed;
  const { version, integrity } = lockedIn(root, name);
  execFileSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder });
  const tarball = join(folder, `${name}-${version}.tgz`);
  const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  if (`sha512-${digest}` !== integrity) {
    throw new Error(
      `${name} ${version} of the npm registry has the digest sha512-${digest}; package-lock.json expects ${integrity}`,
    );
  }
  const target = join(folder, name);
  mkdirSync(target);
  execFileSync('tar', ['xzf', tarball, '-C', target, '--strip-components=1', '--no-same-owner']);
  return target;
}

function lockedIn(root: string, name: string): Locked {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json has no ${name}`);
  return locked;
}
