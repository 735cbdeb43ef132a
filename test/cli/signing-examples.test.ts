import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { packageFile } from '../support/tar-file.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { needs } from '../support/prerequisite.ts';
import { serve } from '../support/served-process.ts';
import { createdToken } from './support/registry-command.ts';

interface Pipeline {
  readonly folder: string;
  readonly run: (script: string, ...args: readonly string[]) => readonly [number | null, string];
  readonly env: Record<string, string>;
  /** How many signatures machines with the pin find of a version. */
  readonly resolved: (version: string) => Promise<string>;
}

/** A served registry whose namespace acme needs the keys of a pipeline and of a person. */
async function pipeline(threshold: 1 | 2): Promise<Pipeline> {
  const folder = temporaryFolder({
    'lidar.tar.gz': packageFile(),
    'other.tar.gz': packageFile({ name: 'altered' }),
  });
  const db = `${folder}/registry.db`;
  await inProcess(['registry', 'publish', 'acme:old', '1.0.0', '--db', db, '--create']);
  const made = async (name: string): Promise<string> => {
    const { stdout } = await inProcess(['keys', 'new', `${folder}/${name}.key`]);
    return stdout.trim();
  };
  const [root, ci, person] = [await made('root'), await made('publish'), await made('approver')];
  const lines = [
    'modreg/trust@1',
    'name acme-plant',
    'version 1',
    'expires 2099-01-01T00:00:00Z',
    `root 1 ${root}`,
    `namespace acme ${threshold} ${ci} ${person}`,
  ];
  writeFileSync(`${folder}/trust.txt`, `${lines.join('\n')}\n`);
  await inProcess(['keys', 'sign', `${folder}/trust.txt`, '--key', `${folder}/root.key`]);
  const { stdout } = await inProcess([
    'keys',
    'init',
    '--document',
    `${folder}/trust.txt`,
    '--db',
    db,
  ]);
  const token = await createdToken(db, 'publish');
  const { address } = await serve(db);
  writeFileSync(
    `${folder}/policy.json`,
    JSON.stringify({ registry: address, trust: stdout.trim() }),
  );
  const modreg = `#!/bin/sh\nexec "${process.execPath}" "${ROOT}bin/modreg.mjs" "$@"\n`;
  writeFileSync(`${folder}/modreg`, modreg);
  chmodSync(`${folder}/modreg`, 0o755);
  const env: Record<string, string> = {
    PATH: `${folder}:${process.env['PATH']}`,
    PLATFORM_HOME: `${folder}/home`,
    MODREG_REGISTRY: address,
    MODREG_TOKEN: token,
  };
  return {
    folder,
    env,
    run(script, ...args) {
      const path = join(ROOT, 'examples/signing', script);
      const {
        status,
        stdout: out,
        stderr,
      } = spawnSync('sh', [path, ...args], { cwd: folder, encoding: 'utf8', env });
      return [status, `${out}${stderr}`];
    },
    async resolved(version) {
      const args = ['resolve', 'acme:lidar', version, '--policy', `${folder}/policy.json`];
      const { stdout: out, stderr } = await inProcess(args, { PLATFORM_HOME: `${folder}/home` });
      return out.trim() || (/unsigned: [^;\n]*/.exec(stderr)?.[0] ?? stderr);
    },
  };
}

/** Skips a test where there is no openssl. */
function needsOpenssl(context: TestContext): void {
  const { status } = spawnSync('openssl', ['version']);
  needs(context, status === 0, 'openssl is not installed (Debian: openssl)');
}

describe('[D180] examples/signing', () => {
  it('ci-secret.sh publishes with the key of a secret', async () => {
    const { env, folder, run, resolved } = await pipeline(1);
    env['MODREG_SIGNING_KEY'] = readFileSync(`${folder}/publish.key`, 'utf8');
    expect(run('ci-secret.sh', 'acme:lidar', '1.4.0', 'lidar.tar.gz')).toEqual([
      0,
      'acme:lidar: 1 published, 0 unchanged\n',
    ]);
    expect(await resolved('1.4.0')).toBe('1.4.0');
  });

  it('ci-program.sh publishes with a program that has the key', async (context) => {
    needsOpenssl(context);
    const { env, folder, run, resolved } = await pipeline(1);
    env['SIGNING_KEY_FILE'] = `${folder}/publish.key`;
    expect(run('ci-program.sh', 'acme:lidar', '1.4.0', 'lidar.tar.gz')).toEqual([
      0,
      'acme:lidar: 1 published, 0 unchanged\n',
    ]);
    expect(await resolved('1.4.0')).toBe('1.4.0');
  });

  it('approve.sh adds the second signature to the same file only', async () => {
    const { env, folder, run, resolved } = await pipeline(2);
    env['MODREG_SIGNING_KEY'] = readFileSync(`${folder}/publish.key`, 'utf8');
    run('ci-secret.sh', 'acme:lidar', '1.4.0', 'lidar.tar.gz');
    delete env['MODREG_SIGNING_KEY'];
    expect(await resolved('1.4.0')).toBe('unsigned: 1 of 2 signatures');
    expect(run('approve.sh', 'acme:lidar', '1.4.0', 'other.tar.gz', 'approver.key')).toEqual([
      1,
      'approve.sh: the registry does not have other.tar.gz as acme:lidar 1.4.0\n',
    ]);
    expect(run('approve.sh', 'acme:lidar', '1.4.0', 'lidar.tar.gz', 'approver.key')[0]).toBe(0);
    expect(await resolved('1.4.0')).toBe('1.4.0');
  });
});
