import { globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SystemdHost } from '../../../src/cli/agent/systemd/systemd-host.ts';
import { formatProblem, type Outcome } from '../../../src/base/problem.ts';
import type { World } from '../../../src/base/world.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { quietWorld } from '../../support/quiet-world.ts';

const LINUX = quietWorld('linux/x64');
export const UNIT: string = 'etc/systemd/system/platform-agent.service';
export const CREDENTIALS = 'etc/modreg/credentials.json';
export const CANARY = 'canary-7c0ffee';
export const KEYS: Readonly<Record<string, string>> = {
  PLATFORM_API_KEY: CANARY,
  PLATFORM_API_KEY_ID: 't1',
  PLATFORM_PART_ID: 'robot-1',
};

export interface Host extends SystemdHost {
  readonly commands: string[];
  readonly machine: string;
}

/** A system below a folder. The programs that it runs are recorded, and those that `fails` names fail. */
export function host(
  fails: RegExp = /is-enabled/,
  files: Readonly<Record<string, string>> = {},
): Host {
  const root = temporaryFolder();
  for (const folder of ['run/systemd/system', 'etc/systemd/system', 'etc/modreg']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  const machine = join(root, 'etc/modreg/machine.json');
  if (files['etc/modreg/machine.json'] === undefined) writeFileSync(machine, '{"modules": []}');
  const commands: string[] = [];
  const run = (program: string, args: readonly string[]): string => {
    const line = [program.replace(root, ''), ...args].join(' ');
    commands.push(line);
    if (!fails.test(line)) return '';
    throw Object.assign(new Error('failed'), { stderr: 'one\nit failed\n' });
  };
  return { root, uid: 0, run, commands, machine };
}

export function said({ answer, notes, problems }: Outcome, { root }: SystemdHost): string[] {
  const lines = [...answer, ...notes, ...problems.flatMap(formatProblem)];
  return lines.map((line) => line.replaceAll(root, '@'));
}

export function world(environment: World['environment'] = {}): World {
  return { ...LINUX, environment };
}

/** The files that are not of the host itself. */
export function added({ root }: SystemdHost): string[] {
  const own = new Set(['etc/passwd', 'etc/modreg/machine.json']);
  const found = globSync('**', { cwd: root }).filter((path) => !own.has(path));
  const isFolder = (path: string): boolean =>
    statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  return found.filter((path) => !isFolder(path)).toSorted();
}
