import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkBackup } from '../../src/server/backup/backup-folder.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { LIDAR, publish, site } from '../support/backups.ts';
import { ROOT } from '../support/modreg.ts';
import { registry } from './support/registry-command.ts';
import { randomFrom } from '../support/mutate.ts';
import { SLOWNESS } from '../support/slowness.ts';

/** The kills of each test: `MODREG_KILLS`, 6 by default. */
const KILLS = Number(process.env['MODREG_KILLS'] ?? 6);
const TIMEOUT = { timeout: SLOWNESS * (60_000 + KILLS * 4000) };

/** Runs `modreg registry …`, and kills it after `ms` milliseconds. Resolves with whether it ended before. */
async function killed(ms: number, ...args: readonly string[]): Promise<boolean> {
  const child = spawn(`${ROOT}bin/modreg`, ['registry', ...args], { stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  const [exit] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return exit === 0;
}

/** The time that a command takes on this machine, in milliseconds. */
async function usual(...args: readonly string[]): Promise<number> {
  const began = performance.now();
  await killed(60_000, ...args);
  return performance.now() - began;
}

describe('a command that is killed at a random moment', () => {
  it('[T75] leaves the earlier backup or the new one', TIMEOUT, async () => {
    const { path, folder } = site();
    const longest = await usual('backup', folder, '--db', path);
    const random = randomFrom(1);
    let sequence = 2;
    for (let kill = 0; kill < KILLS; kill++) {
      publish(path, LIDAR, `2.0.${kill}`, `a file of release ${kill}`);
      await killed(random() * 1.1 * longest, 'backup', folder, '--db', path);
      const { manifest, findings } = checkBackup(folder);
      expect(findings).toEqual([]);
      expect([sequence, kill + 3]).toContain(manifest?.sequence);
      sequence = manifest?.sequence ?? 0;
    }
    expect((await registry(path, 'backup', folder)).exit).toBe(0);
    expect(checkBackup(folder)).toMatchObject({ manifest: { sequence: KILLS + 2 }, findings: [] });
  });

  it('[T76] leaves the earlier registry or the restored one', TIMEOUT, async () => {
    const { path, folder } = site();
    await registry(path, 'backup', folder);
    const longest = await usual('restore', folder, '--replace', '--db', path);
    const random = randomFrom(2);
    let generation = 1002;
    for (let kill = 0; kill < KILLS; kill++) {
      await killed(random() * 1.1 * longest, 'restore', folder, '--replace', '--db', path);
      expect(existsSync(path)).toBe(true);
      const { contents, findings } = checkRegistry(path);
      expect(findings).toEqual([]);
      // Each restore is above the earlier one.
      expect([generation, generation + 1000]).toContain(contents?.sequence);
      generation = contents?.sequence ?? 0;
      expect(contents).toMatchObject({ modules: 1, releases: 2 });
    }
    expect((await registry(path, 'restore', folder, '--replace')).exit).toBe(0);
    expect((await registry(path, 'verify')).exit).toBe(0);
  });
});
