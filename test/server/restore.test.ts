import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { Catalogue } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { documentsOf, FILE, LIDAR, listOf, NOON, publish, site, sql } from '../support/backups.ts';

const REPLACES = { replaces: true, now: NOON };
const CREATES = { replaces: false, now: NOON };

describe('[D43] [T76] a restored registry', () => {
  it('has the releases and files of the backup, 1,000 more in each number, and another history', async () => {
    const { path, folder, home } = site();
    await backUp(path, folder, NOON);
    const target = `${home}/new/registry.db`;
    expect(restore(folder, target, CREATES)).toMatchObject({
      kind: 'done',
      added: 1000,
      setAside: undefined,
    });
    expect(listOf(target, LIDAR)).toEqual([1002, 2, '1.0.0', '1.1.0']);
    expect(readFileSync(`${target}-files/sha256/${FILE}`, 'utf8')).toBe('lidar 1.0.0');
    expect(checkRegistry(target)).toMatchObject({ contents: { sequence: 1002 }, findings: [] });
    expect(statSync(target).mode & 0o777).toBe(0o600);
    const ids = [path, target].map((one) => checkRegistry(one).contents?.history);
    expect(new Set(ids).size).toBe(2);
    publish(target, 'acme:arm', '1.0.0');
    // Machines may know the first generations of a module that the backup lacks.
    expect(listOf(target, 'acme:arm')).toEqual([1001, 1, '1.0.0']);
  });

  it('keeps the earlier one under another name, and names what it had', async () => {
    const { path, folder } = site();
    const catalogue = new Catalogue(path);
    const created = catalogue.createToken({ name: 'ci', scopes: ['publish'] }, NOON);
    await backUp(path, folder, NOON);
    publish(path, LIDAR, '1.2.0');
    publish(path, 'acme:arm', '1.0.0');
    catalogue.yank(moduleId(LIDAR), '1.1.0', 'stops');
    catalogue.revokeToken('ci', NOON);
    catalogue.close();
    expect(created.ok).toBe(true);
    const before = documentsOf(path);
    const setAside = `${path}.replaced-20261122T120000Z`;
    expect(restore(folder, path, CREATES)).toEqual({ kind: 'exists', path });
    expect(restore(folder, path, REPLACES)).toMatchObject({
      kind: 'done',
      setAside,
      losses: {
        releases: ['acme:arm 1.0.0', 'acme:lidar 1.2.0'],
        yanks: ['acme:lidar 1.1.0'],
        revocations: ['t1 (ci)'],
      },
    });
    expect(documentsOf(setAside)).toBe(before);
    expect(listOf(path, LIDAR)).toEqual([1002, 2, '1.0.0', '1.1.0']);
    // A second one gets a name of its own.
    expect(restore(folder, path, REPLACES)).toMatchObject({ setAside: `${setAside}-2` });
  });

  it('is above the earlier one, however often the same backup is restored', async () => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    sql(
      path,
      'UPDATE modules SET generation = 1500, sequence = 40; UPDATE catalogue SET sequence = 40',
    );
    const generations = Array.from({ length: 3 }, () => {
      restore(folder, path, REPLACES);
      return listOf(path, LIDAR)[0];
    });
    expect(generations).toEqual([2002, 3002, 4002]);
  });

  it('is above a lost one after a second restore with --replace', async () => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    restore(folder, path, REPLACES);
    restore(folder, path, REPLACES);
    publish(path, LIDAR, '1.2.0');
    const [seen] = listOf(path, LIDAR);
    for (const name of ['', '-wal', '-shm']) rmSync(path + name, { force: true });
    const generations = Array.from({ length: 3 }, () => {
      restore(folder, path, REPLACES);
      return listOf(path, LIDAR)[0];
    });
    expect([seen, generations]).toEqual([2003, [1002, 2002, 3002]]);
  });

  it('replaces a file that is not a database, with its log', async () => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    writeFileSync(path, 'x'.repeat(5000));
    writeFileSync(`${path}-wal`, 'a log');
    const setAside = `${path}.replaced-20261122T120000Z`;
    expect(restore(folder, path, REPLACES)).toMatchObject({ setAside, losses: undefined });
    expect(listOf(path, LIDAR)).toEqual([1002, 2, '1.0.0', '1.1.0']);
    expect(readFileSync(`${setAside}-wal`, 'utf8')).toBe('a log');
  });

  it('is at the end of a link, as before', async () => {
    const { path, folder, home } = site();
    await backUp(path, folder, NOON);
    mkdirSync(`${home}/real`);
    renameSync(path, `${home}/real/r.db`);
    symlinkSync(`${home}/real/r.db`, path);
    expect(restore(folder, path, REPLACES)).toMatchObject({ kind: 'done' });
    expect(listOf(`${home}/real/r.db`, LIDAR)[0]).toBe(1002);
  });

  it('does not replace one that a process has open, however idle', async () => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    const open = new Catalogue(path, { mode: 'read' });
    const before = documentsOf(path);
    expect(() => restore(folder, path, REPLACES)).toThrow(
      expect.objectContaining({ kind: 'locked' }),
    );
    open.close();
    expect(documentsOf(path)).toBe(before);
    expect(
      readdirSync(`${folder}/..`).filter(
        (name) => name.includes('.replaced-') || name.includes('.part'),
      ),
    ).toEqual([]);
  });

  it('removes what a killed restore left', async () => {
    const { path, folder, home } = site();
    await backUp(path, folder, NOON);
    writeFileSync(`${path}.4711.part`, 'half');
    linkSync(path, `${path}.replaced-20261101T000000Z`);
    restore(folder, path, REPLACES);
    expect(readdirSync(home).filter((name) => name.startsWith('registry.db.'))).toEqual([
      'registry.db.replaced-20261122T120000Z',
    ]);
  });

  it('is not begun in a folder that cannot be written', async () => {
    const { path, folder, home } = site();
    await backUp(path, folder, NOON);
    mkdirSync(`${home}/locked`);
    chmodSync(`${home}/locked`, 0o500);
    writeFileSync(`${home}/file`, '');
    expect(() => restore(folder, `${home}/file/registry.db`, CREATES)).toThrow(
      expect.objectContaining({ kind: 'unwritable' }),
    );
  });
});
