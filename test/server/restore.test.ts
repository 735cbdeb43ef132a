import fs, {
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
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, it, onTestFinished } from 'vitest';
import { backUp } from '../../src/server/backup/backup.ts';
import { checkRegistry } from '../../src/server/backup/registry-check.ts';
import { restore } from '../../src/server/backup/restore.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { documentsOf, FILE, LIDAR, listOf, NOON, publish, site, sql } from '../support/backups.ts';

/** The modes of the files and folders in `folder`. */
function modesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => `${(statSync(`${folder}/${name}`).mode & 0o777).toString(8)} ${name}`);
}

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
    expect(modesIn(`${home}/new`)).toEqual([
      '600 registry.db',
      '700 registry.db-files',
      '700 registry.db-files/incoming',
      '700 registry.db-files/sha256',
      `600 registry.db-files/sha256/${FILE}`,
      '600 registry.db-restore.lock',
    ]);
    expect(listOf(target, LIDAR)).toEqual([1002, 2, '1.0.0', '1.1.0']);
    expect(readFileSync(`${target}-files/sha256/${FILE}`, 'utf8')).toBe('lidar 1.0.0');
    expect(checkRegistry(target)).toMatchObject({ contents: { sequence: 1002 }, findings: [] });
    const ids = [path, target].map((one) => checkRegistry(one).contents?.history);
    expect(new Set(ids).size).toBe(2);
    publish(target, 'acme:arm', '1.0.0');
    // Machines may know the first generations of a module that the backup lacks.
    expect(listOf(target, 'acme:arm')).toEqual([1001, 1, '1.0.0']);
  });

  it('[T241] is that of a single server, also from a backup of a front', async () => {
    const { path, folder, home } = site();
    const front = new Catalogue(path, { mode: 'write' });
    front.log.begin({ sequence: 1, subject: 'modreg.fleet', id: 'a', body: '{}' }, 'shared');
    front.close();
    await backUp(path, folder, NOON);
    const target = `${home}/new/registry.db`;
    restore(folder, target, CREATES);
    const restored = new Catalogue(target, { mode: 'read' });
    expect([restored.log.last(), restored.history()]).toEqual([
      0,
      expect.not.stringMatching('shared'),
    ]);
    restored.close();
    publish(target, 'acme:arm', '1.0.0');
    expect(listOf(target, 'acme:arm')).toEqual([1001, 1, '1.0.0']);
  });

  it('keeps the earlier one under another name, and names what it had', async () => {
    const { path, folder } = site();
    const catalogue = new Catalogue(path);
    const created = catalogue.createToken({ name: 'ci', scopes: ['publish'] }, NOON);
    // What the backup has as well is not lost.
    catalogue.createToken({ name: 'old', scopes: ['publish'] }, NOON);
    catalogue.revokeToken('old', NOON);
    catalogue.yank(moduleId(LIDAR), '1.0.0', 'stops');
    await backUp(path, folder, NOON);
    publish(path, LIDAR, '1.2.0');
    publish(path, 'acme:arm', '1.0.0');
    catalogue.yank(moduleId(LIDAR), '1.1.0', 'stops');
    catalogue.yank(moduleId(LIDAR), '1.2.0', 'stops');
    catalogue.revokeToken('ci', NOON);
    catalogue.createToken({ name: 'new', scopes: ['publish'] }, NOON);
    catalogue.revokeToken('new', NOON);
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
    expect(listOf(path, LIDAR)).toEqual([1003, 2, '1.0.0', '1.1.0']);
    // A second one gets a name of its own, also within the same second.
    const again = { ...REPLACES, now: NOON + 999 };
    expect(restore(folder, path, again)).toMatchObject({ setAside: `${setAside}-2` });
    expect(restore(folder, path, again)).toMatchObject({ setAside: `${setAside}-3` });
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

  it.each<[string, string, number]>([
    ['a generation 999 ahead', 'UPDATE modules SET generation = 1001', 1000],
    ['a generation 1,000 ahead', 'UPDATE modules SET generation = 1002', 2000],
    ['a generation 1,998 ahead', 'UPDATE modules SET generation = 2000', 2000],
    [
      'a sequence 5,000 ahead',
      'UPDATE modules SET sequence = 5002; UPDATE catalogue SET sequence = 5002',
      6000,
    ],
    [
      'a module that the backup lacks',
      `INSERT INTO modules (namespace, name, generation, sequence) VALUES ('acme', 'arm', 1500, 3);
       UPDATE catalogue SET sequence = 3`,
      2000,
    ],
  ])('is above an earlier one with %s', async (_, statement, added) => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    sql(path, statement);
    expect(restore(folder, path, REPLACES)).toMatchObject({ kind: 'done', added });
  });

  it('adds no more for a new module of an earlier one that was restored before', async () => {
    const { path, folder } = site();
    const later = `${folder}-2`;
    await backUp(path, folder, NOON);
    restore(folder, path, REPLACES);
    await backUp(path, later, NOON);
    // Its generation is 1001, as the first one after the backup.
    publish(path, 'acme:arm', '1.0.0');
    expect(restore(later, path, REPLACES)).toMatchObject({ added: 1000 });
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
    writeFileSync(`${path}-shm`, 'its index');
    const setAside = `${path}.replaced-20261122T120000Z`;
    expect(restore(folder, path, REPLACES)).toMatchObject({ setAside, losses: undefined });
    expect(listOf(path, LIDAR)).toEqual([1002, 2, '1.0.0', '1.1.0']);
    expect(readFileSync(`${setAside}-wal`, 'utf8')).toBe('a log');
    expect(readFileSync(`${setAside}-shm`, 'utf8')).toBe('its index');
  });

  it('keeps a copy of the earlier one where a file can have no second name', async () => {
    const { path, folder } = site();
    await backUp(path, folder, NOON);
    publish(path, LIDAR, '1.2.0');
    const before = documentsOf(path);
    const { linkSync: link } = fs;
    onTestFinished(() => {
      fs.linkSync = link;
      syncBuiltinESMExports();
    });
    fs.linkSync = () => {
      throw Object.assign(new Error('no links'), { code: 'EPERM' });
    };
    syncBuiltinESMExports();
    const setAside = `${path}.replaced-20261122T120000Z`;
    expect(restore(folder, path, REPLACES)).toMatchObject({ kind: 'done', setAside });
    expect(documentsOf(setAside)).toBe(before);
    expect(listOf(path, LIDAR)[1]).toBe(2);
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
    const parts = ['', '.part', '-journal'].map((suffix) => `${path}.4711.part${suffix}`);
    const others = [`${home}/other.db.4711.part`, `${path}.part`, `${path}.x.part`];
    for (const file of [...parts, ...others]) writeFileSync(file, 'half');
    linkSync(path, `${path}.replaced-20261101T000000Z`);
    restore(folder, path, REPLACES);
    expect(readdirSync(home).filter((name) => /\.(part|replaced)/.test(name))).toEqual([
      'other.db.4711.part',
      'registry.db.part',
      'registry.db.replaced-20261122T120000Z',
      'registry.db.x.part',
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

it('[D56] a restored registry halts the rollouts that were running in the backup', async () => {
  const { path, folder, home } = site();
  const catalogue = new Catalogue(path);
  const release = readRelease({ version: '1.2.0', rollout: {} });
  if (!release.ok) throw new Error(release.error.join());
  catalogue.publish(moduleId(LIDAR), release.value, NOON);
  catalogue.close();
  await backUp(path, folder, NOON);
  const target = `${home}/new/registry.db`;
  restore(folder, target, CREATES);
  const restored = new Catalogue(target);
  expect(
    restored.rollouts
      .all()
      .rollouts.map(({ version, rollout }) => [version, rollout.status, rollout.because]),
  ).toEqual([['1.2.0', 'halted', 'the registry was restored from a backup']]);
  restored.close();
});
