import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SavedListsError, type SavedList } from '../../src/registry/index.ts';
import { openMachineFile, savedListsIn, type MachineFile } from '../../src/store/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';

const LIDAR = moduleId('acme:lidar');
const ARM = moduleId('acme:arm');
const HERE = 'modreg:https://registry.example/';

function list(more: Partial<SavedList> = {}): SavedList {
  return {
    records: [{ version: '1.2.3', publishedAt: 5, artifacts: [{ platform: 'any' }], yanked: '' }],
    dropped: ['a line'],
    lost: [{ version: '1.2.2', platform: 'any', digest: 'sha1:aa' }],
    digest: 'd1',
    size: 100,
    etag: '"1"',
    generation: 1,
    confirmedAt: 1000,
    sequence: 7,
    ...more,
  };
}

function open(path = `${temporaryFolder()}/machine.db`): MachineFile {
  const file = openMachineFile(path);
  onTestFinished(() => file.close());
  return file;
}

it('gives back what was saved, after a restart too', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const bare = list({ etag: undefined, generation: undefined, sequence: undefined, lost: [] });
  savedListsIn(open(path)).save(HERE, LIDAR, list());
  savedListsIn(open(path)).save(HERE, ARM, bare);
  const saved = savedListsIn(open(path));
  expect(saved.read(HERE, LIDAR)).toEqual(list());
  expect(saved.read(HERE, ARM)).toEqual(bare);
  expect(saved.digest(HERE, LIDAR)).toBe('d1');
});

it('keeps registries and modules apart', () => {
  const saved = savedListsIn(open());
  saved.save(HERE, LIDAR, list());
  expect([saved.read('npm:https://registry.example/', LIDAR), saved.read(HERE, ARM)]).toEqual([
    undefined,
    undefined,
  ]);
  saved.forget(HERE, ARM);
  expect(saved.digest(HERE, LIDAR)).toBe('d1');
  saved.forget(HERE, LIDAR);
  expect(saved.digest(HERE, LIDAR)).toBeUndefined();
});

it('notes for many at once that they are still the list', () => {
  const saved = savedListsIn(open());
  saved.save(HERE, LIDAR, list());
  saved.save(HERE, ARM, list());
  saved.confirm(HERE, [LIDAR, ARM], { confirmedAt: 2000, sequence: undefined });
  const confirmed = list({ confirmedAt: 2000, sequence: undefined });
  expect([saved.read(HERE, LIDAR), saved.read(HERE, ARM)]).toEqual([confirmed, confirmed]);
});

it.each([
  ['[T60] a lower generation', list({ generation: 0, digest: 'd2' }), 'd1'],
  ['the same generation', list({ digest: 'd2' }), 'd2'],
  ['a higher one', list({ generation: 2, digest: 'd2' }), 'd2'],
  ['one of a format without generations', list({ generation: undefined, digest: 'd2' }), 'd1'],
])('a list of %s', (_, next, digest) => {
  const saved = savedListsIn(open());
  saved.save(HERE, LIDAR, list());
  saved.save(HERE, LIDAR, next);
  expect(saved.digest(HERE, LIDAR)).toBe(digest);
});

describe('[T68] what is saved is bounded', () => {
  it('by bytes: those that were confirmed longest ago go', () => {
    const saved = savedListsIn(open());
    const size = 200 * 1024 * 1024;
    saved.save(HERE, LIDAR, list({ size, confirmedAt: 2 }));
    saved.save(HERE, ARM, list({ size, confirmedAt: 1 }));
    saved.save(HERE, moduleId('acme:cam'), list({ size, confirmedAt: 3 }));
    expect([saved.digest(HERE, LIDAR), saved.digest(HERE, ARM)]).toEqual(['d1', undefined]);
  });

  it('by number', () => {
    const file = open();
    const saved = savedListsIn(file);
    file.sql.run(`
      WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
      INSERT INTO saved_lists (address, module_id, confirmed_at, digest, size)
      SELECT 'a', n, n, 'd', 1 FROM numbers`);
    saved.save(HERE, LIDAR, list({ confirmedAt: 1_000_000 }));
    const count = file.sql.get(
      'SELECT count(*) AS count, min(confirmed_at) AS least FROM saved_lists',
    );
    expect(count).toEqual({ count: 20_000, least: 2 });
  });

  it('but what is saved is kept, however large it is', () => {
    const saved = savedListsIn(open());
    saved.save(HERE, LIDAR, list({ size: 1e12 }));
    expect(saved.digest(HERE, LIDAR)).toBe('d1');
  });
});

/** The kind and the message of what `work` throws. */
function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error instanceof SavedListsError ? [error.kind, error.message] : error;
  }
}

describe('where lists cannot be saved or read, the error says why', () => {
  it('[T52] a full disk', () => {
    const file = open();
    file.sql.get('PRAGMA max_page_count = 4');
    const saved = savedListsIn(file);
    const records = [{ version: '1.0.0', deprecated: 'x'.repeat(100_000) }];
    expect(caught(() => saved.save(HERE, LIDAR, list({ records })))).toEqual([
      'state-write',
      `"${file.path}": database or disk is full`,
    ]);
    expect(saved.digest(HERE, LIDAR)).toBeUndefined();
  });

  it.each(['{', '[]', '{"records":[]}', '{"records":{},"dropped":[],"lost":[]}'])(
    'a list that was damaged: %s',
    (content) => {
      const file = open();
      const saved = savedListsIn(file);
      saved.save(HERE, LIDAR, list());
      file.sql.run('UPDATE saved_contents SET content = ?', content);
      expect(caught(() => saved.read(HERE, LIDAR))).toEqual([
        'state-unreadable',
        `"${file.path}": a saved list is damaged`,
      ]);
    },
  );

  it('another process that writes for too long', () => {
    const file = open();
    const saved = savedListsIn(openMachineFile(file.path, { patienceMs: 20 }));
    file.database.exec('BEGIN IMMEDIATE');
    expect(caught(() => saved.save(HERE, LIDAR, list()))).toEqual([
      'locked',
      `"${file.path}": database is locked`,
    ]);
  });

  it('no SQLite file', () => {
    const path = `${temporaryFolder()}/machine.db`;
    writeFileSync(path, 'no SQLite file, and long enough to be looked at'.repeat(100));
    expect(() => openMachineFile(path)).toThrow(`"${path}": file is not a database`);
  });
});
