import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAsOf } from '../../agent/process/run-as.ts';
import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Problem } from '../../base/problem.ts';

/** The folder of a demo: the documents of its machine, its state in `home`, and the packages of its modules. */
export interface DemoMachine {
  readonly folder: string;
  readonly home: string;
}

/** The entries of the machine config. */
const MODULES = Object.entries({
  lidar: '1.2.*',
  camera: '1.0.0',
  arm: '2.*',
  gripper: 'latest',
}).map(([name, version]) => ({ type: 'registry', name, module_id: `acme:${name}`, version }));

/** Creates the folder of a demo, with the machine config. */
export function createMachine(): Result<DemoMachine, Problem> {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'modreg-demo-'));
    // Modules may run as another user, who must be able to enter it.
    chmodSync(folder, 0o755);
    const home = join(folder, 'home');
    mkdirSync(home);
    writeFileSync(join(folder, 'machine.json'), json({ modules: MODULES }));
    return { ok: true, value: { folder, home } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `the demo cannot write to ${excerpt(tmpdir())} (${code})`;
    const hint = 'TMPDIR names another folder for temporary files';
    return { ok: false, error: { severity: 'error', kind: 'state-write', message, hint } };
  }
}

/** Writes the policy of the machine. Its times are short, so that the demo is. */
export function writePolicy(
  { folder }: DemoMachine,
  terms: { readonly registry: string; readonly modules?: object },
): void {
  const policy = {
    ...terms,
    restart_cooldown: '0s',
    ready_timeout: '1s',
    probation: '1s',
    // modreg runs no module as root unless a policy says so.
    ...(runAsOf(undefined).ok ? {} : { run_as: 'nobody' }),
  };
  writeFileSync(join(folder, 'policy.json'), json(policy));
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A maintenance window that is closed for the next eleven hours. */
export function closedWindow(now: number): object {
  const hour = (new Date(now).getUTCHours() + 12) % 24;
  return { maintenance: [{ start: `0 ${hour} * * *`, duration: '1h', time_zone: 'UTC' }] };
}

/** Writes the package of a release with the program `tar`, and returns its path. Its module runs, or ends with an error. */
export function writePackage(
  { folder }: DemoMachine,
  release: string,
  module: keyof typeof PROGRAMS,
): string {
  const source = join(folder, release);
  mkdirSync(source);
  writeFileSync(join(source, 'meta.json'), '{ "entrypoint": "run", "stop_timeout": "2s" }\n');
  writeFileSync(join(source, 'run'), PROGRAMS[module], { mode: 0o755 });
  const path = join(folder, `${release}.tgz`);
  execFileSync('tar', ['czf', path, '-C', source, '.']);
  return path;
}

const PROGRAMS = {
  working: '#!/bin/sh\nexec sleep infinity\n',
  broken: '#!/bin/sh\necho "no motor at /dev/ttyUSB7" >&2\nexit 1\n',
} as const;
