import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { InstallStep } from '../../../src/agent/install/install-step.ts';
import { readPackage } from '../../../src/agent/install/package.ts';
import { removeUnused } from '../../../src/agent/install/retention.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { PLACE } from '../../support/installing.ts';
import { ROOT } from '../../support/modreg.ts';
import { packageFile } from '../../support/tar-file.ts';

/** Each step, whether the package then has its name, and what is there besides it. */
const STEPS: readonly [InstallStep['kind'], boolean, readonly string[]][] = [
  ['downloading', false, ['downloads/@.part']],
  ['downloaded', false, ['downloads/@']],
  ['unpacking', false, ['downloads/@', 'staging/1.2.9-3f8a91c20b7d']],
  ['unpacked', false, ['downloads/@', 'staging/1.2.9-3f8a91c20b7d']],
  ['synced', false, ['downloads/@', 'staging/1.2.9-3f8a91c20b7d']],
  ['renamed', true, ['downloads/@']],
  ['installed', true, []],
];

/** Each step is tried so often again. */
const repeats = Number(process.env['MODREG_INSTALL_KILLS'] ?? 1) - 1;

const INSTALL = `${ROOT}test/support/install-once.ts`;

/** What is in the folders of an installation that is not over. */
function left(home: string): string[] {
  return ['downloads', 'staging'].flatMap((folder) =>
    existsSync(`${home}/${folder}`)
      ? readdirSync(`${home}/${folder}`).map(
          (name) => `${folder}/${name.replace(/^sha256-[0-9a-f]{64}/, '@')}`,
        )
      : [],
  );
}

describe('[A14] killed while it installs, the next process installs the package', () => {
  it.for(STEPS)('at the step %s', { repeats }, async ([step, isNamed, between]) => {
    const folder = temporaryFolder();
    writeFileSync(`${folder}/package.tgz`, packageFile());
    const home = `${folder}/home`;
    const root = `${home}/${PLACE}`;
    expect(spawnSync(process.execPath, [INSTALL, folder, step]).signal).toBe('SIGKILL');
    expect([existsSync(root), left(home)]).toEqual([isNamed, between]);
    const again = spawnSync(process.execPath, [INSTALL, folder], { encoding: 'utf8' });
    expect([again.stderr, again.status]).toEqual(['', 0]);
    const found = readPackage(root, { command: undefined, platform: 'linux/amd64' });
    expect(found).toMatchObject({ ok: true, value: { entryPoint: `${root}/bin/lidar` } });
    await removeUnused(home, { kept: new Set([root]), now: Infinity });
    expect(left(home)).toEqual([]);
    expect(existsSync(root)).toBe(true);
  });
});
