import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { receiveArtifact } from '../../src/server/artifacts/receive-artifact.ts';
import { backUp } from '../../src/server/backup/backup.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { LIDAR, NOON, publish, sha256Of, site } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';
import { lostWithPower } from '../support/on-disk.ts';

const TEXT = 'the module';
const HEX = sha256Of(TEXT);

async function receive(path: string, isListed = false): Promise<unknown> {
  const bytes = new Blob([TEXT]).stream();
  return await receiveArtifact(path, { sha256: HEX, size: TEXT.length, isListed }, bytes);
}

/** Publishes a release that lists the file. */
function list({ path }: Catalogue): void {
  const catalogue = new Catalogue(path);
  const hosted = { platform: 'any', url: `../../artifacts/sha256/${HEX}`, size: TEXT.length };
  const release = readRelease({
    version: '3.0.0',
    artifacts: [{ ...hosted, digest: `sha256:${HEX}` }],
  });
  expect(release.ok && catalogue.publish(moduleId(LIDAR), release.value, NOON)).toBe('published');
  catalogue.close();
}

it('[T85] a file that was received, and then listed, survives a loss of power', async () => {
  const folder = temporaryFolder();
  const catalogue = new Catalogue(`${folder}/registry.db`, { mode: 'create' });
  const { path } = catalogue;
  expect(await lostWithPower(folder, async () => await receive(path))).toEqual([]);
  expect(existsSync(`${path}-files/incoming/${HEX}`)).toBe(true);
  expect(await lostWithPower(folder, () => list(catalogue))).toEqual([]);
  expect(existsSync(`${path}-files/sha256/${HEX}`)).toBe(true);
  expect(await lostWithPower(folder, async () => await receive(path, true))).toEqual([]);
  catalogue.close();
});

it('[T75] [T76] a backup, a later one, and a restored registry survive a loss of power', async () => {
  const { path, home } = site();
  const folder = `${home}/backups/daily`;
  const backingUp = async (): Promise<unknown> => await backUp(path, folder, NOON);
  expect(await lostWithPower(home, backingUp)).toEqual([]);
  publish(path, LIDAR, '1.2.0', 'lidar 1.2.0');
  expect(await lostWithPower(home, backingUp)).toEqual([]);
  const target = `${home}/new/restored.db`;
  const lost = await lostWithPower(home, () =>
    restore(folder, target, { replaces: false, now: NOON }),
  );
  expect(lost).toEqual([]);
  const hosted = `${target}-files/sha256/${sha256Of('lidar 1.2.0')}`;
  expect(readFileSync(hosted, 'utf8')).toBe('lidar 1.2.0');
});
