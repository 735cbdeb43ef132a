import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SavedListsError, type SavedList, type SavedLists } from '../../src/registries/index.ts';
import { openMachineFile, savedListsIn, type MachineFile } from '../../src/store/index.ts';
import type { ModuleId } from '../../src/core/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';

const LIDAR = moduleId('acme:lidar');
const ARM = moduleId('acme:arm');
const HERE = 'modreg:https://registry.example/';

function list(more: Partial<SavedList> = {}): SavedList {
  return {
    records: [
      { version: '1.2.3', publishedAt: 5, artifacts: [{ platform: 'any' }], yanked: '' },
      { version: '1.3.0', rollout: { salt: 's1', percent: 5, share: 0.05, halted: 'stops' } },
    ],
    dropped: ['a line'],
    lost: [{ version: '1.2.2', platform: 'any', digest: 'sha1:aa' }],
    digest: 'd1',
    size: 100,
    etag: '"1"',
    generation: 1,
    firstSeen: { since: 1000, added: new Map() },
    confirmedAt: 1000,
    sequence: 7,
    history: 'h',
    ...more,
  };
}

function open(path = `${temporaryFolder()}/machine.db`): MachineFile {
  const file = openMachineFile(path);
  onTestFinished(() => file.close());
  return file;
}

/** How many lists have content in the file. */
function contents({ sql }: MachineFile): unknown {
  return sql.get('SELECT count(*) AS contents FROM saved_contents')?.['contents'];
}

/** The digest of a module's saved list. */
function digestOf(saved: SavedLists, id: ModuleId): string | undefined {
  return saved.read(HERE, id)?.digest;
}

it('returns the lists that were saved, after a restart too', () => {
  const path = `${temporaryFolder()}/machine.db`;
  const none = { etag: undefined, generation: undefined, sequence: undefined, history: undefined };
  const bare = list({ ...none, lost: [] });
  savedListsIn(open(path)).save(HERE, LIDAR, list());
  savedListsIn(open(path)).save(HERE, ARM, bare);
  const saved = savedListsIn(open(path));
  expect(saved.read(HERE, LIDAR)).toEqual(list());
  expect(saved.read(HERE, ARM)).toEqual(bare);
  expect(saved.stamp(HERE, LIDAR)).toMatch(/ d1$/);
});

it.each<[string, string, Partial<SavedList>]>([
  [
    'without first-seen times counts as a first list',
    'DELETE FROM first_seen',
    { firstSeen: { since: 2000, added: new Map() } },
  ],
  [
    'has no history after an earlier program changed only its number',
    'UPDATE saved_lists SET sequence = 17',
    { sequence: 17, history: undefined },
  ],
])('a list %s', (_, change, expected) => {
  const file = open();
  const saved = savedListsIn(file);
  const one = list({ confirmedAt: 2000 });
  saved.save(HERE, LIDAR, one);
  file.sql.run(change);
  expect(saved.read(HERE, LIDAR)).toEqual({ ...one, ...expected });
});

it('keeps registries and modules apart', () => {
  const saved = savedListsIn(open());
  saved.save(HERE, LIDAR, list());
  expect([saved.read('npm:https://registry.example/', LIDAR), saved.read(HERE, ARM)]).toEqual([
    undefined,
    undefined,
  ]);
});

it('replaces a list with one of any generation, and changes its stamp', () => {
  const file = open();
  const saved = savedListsIn(file);
  saved.save(HERE, LIDAR, list());
  const before = saved.stamp(HERE, LIDAR);
  saved.confirm(HERE, new Map([[LIDAR, list({ confirmedAt: 2000 })]]));
  expect(saved.stamp(HERE, LIDAR)).toBe(before);
  const next = list({ generation: 0, lost: [] });
  saved.replace(HERE, LIDAR, next);
  expect(saved.read(HERE, LIDAR)).toEqual(next);
  expect(saved.stamp(HERE, LIDAR)).not.toBe(before);
  // The content of the earlier list takes no more space.
  expect(contents(file)).toBe(1);
});

it('confirms many lists at once', () => {
  const saved = savedListsIn(open());
  saved.save(HERE, LIDAR, list());
  saved.save(HERE, ARM, list());
  const confirmed = list({ confirmedAt: 2000, sequence: 8, history: 'other' });
  const lists = [LIDAR, ARM].map((id): [ModuleId, SavedList] => [id, confirmed]);
  saved.confirm(HERE, new Map(lists));
  expect([saved.read(HERE, LIDAR), saved.read(HERE, ARM)]).toEqual([confirmed, confirmed]);
  // A confirmation of a list that has another digest by now is ignored.
  saved.confirm(HERE, new Map([[LIDAR, list({ digest: 'd2', confirmedAt: 3000 })]]));
  // So is one of another registry.
  saved.confirm('npm:https://other.example/', new Map([[LIDAR, list({ confirmedAt: 3000 })]]));
  expect(saved.read(HERE, LIDAR)).toEqual(confirmed);
});

it('confirms lists with different times and positions, each with its own', () => {
  const saved = savedListsIn(open());
  saved.save(HERE, LIDAR, list());
  saved.save(HERE, ARM, list());
  const lidar = list({ confirmedAt: 2000, sequence: 8 });
  const arm = list({ confirmedAt: 2000, sequence: undefined, history: undefined });
  saved.confirm(
    HERE,
    new Map([
      [LIDAR, lidar],
      [ARM, arm],
    ]),
  );
  expect([saved.read(HERE, LIDAR), saved.read(HERE, ARM)]).toEqual([lidar, arm]);
});

it('replaces each part of a list, except when its releases were first seen', () => {
  const saved = savedListsIn(open());
  const next = list({
    records: [{ version: '1.2.4' }],
    dropped: [],
    lost: [],
    digest: 'd2',
    size: 200,
    etag: '"2"',
    generation: 2,
    confirmedAt: 2000,
    sequence: 9,
    history: 'i',
  });
  saved.save(HERE, LIDAR, list());
  saved.save(HERE, LIDAR, next);
  expect(saved.read(HERE, LIDAR)).toEqual(next);
});

it('has another version after each list that this process or another one writes', () => {
  const file = open();
  const [saved, other] = [savedListsIn(file), savedListsIn(open(file.path))];
  const versions = [saved.version()];
  saved.save(HERE, LIDAR, list());
  versions.push(saved.version());
  saved.replace(HERE, LIDAR, list());
  versions.push(saved.version());
  other.save(HERE, ARM, list());
  versions.push(saved.version());
  expect(new Set(versions).size).toBe(4);
  // A confirmation of this process changes no list.
  saved.confirm(HERE, new Map([[LIDAR, list({ confirmedAt: 2000 })]]));
  expect(saved.version()).toBe(versions.at(-1));
});

it.each([
  ['[T60] a lower generation', list({ generation: 0, digest: 'd2' }), 'd1'],
  ['the same generation', list({ digest: 'd2' }), 'd2'],
  ['a higher generation', list({ generation: 2, digest: 'd2' }), 'd2'],
  ['a format without generations', list({ generation: undefined, digest: 'd2' }), 'd1'],
])('saves a list of %s unless the saved one is newer', (_, next, digest) => {
  const saved = savedListsIn(open());
  saved.save(HERE, LIDAR, list());
  saved.save(HERE, LIDAR, next);
  expect(digestOf(saved, LIDAR)).toBe(digest);
});

describe('[T68] saved lists are limited', () => {
  it('by bytes: the lists that were confirmed longest ago are removed', () => {
    const file = open();
    const saved = savedListsIn(file);
    saved.save(HERE, LIDAR, list({ confirmedAt: 2 }));
    saved.save(HERE, ARM, list({ confirmedAt: 1 }));
    file.sql.run('UPDATE saved_lists SET kept = ?', 200 * 1024 * 1024);
    saved.save(HERE, moduleId('acme:cam'), list({ confirmedAt: 3 }));
    expect([digestOf(saved, LIDAR), digestOf(saved, ARM)]).toEqual(['d1', 'd1']);
    file.sql.run('UPDATE saved_lists SET kept = ?', 200 * 1024 * 1024);
    saved.save(HERE, moduleId('acme:gps'), list({ confirmedAt: 4 }));
    expect([digestOf(saved, LIDAR), digestOf(saved, ARM)]).toEqual(['d1', undefined]);
    expect(contents(file)).toBe(3);
  });

  it('by number', () => {
    const file = open();
    const saved = savedListsIn(file);
    file.sql.run(`
      WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
      INSERT INTO saved_lists (address, module_id, confirmed_at, digest, size, kept)
      SELECT 'a', n, n, 'd', 1, 1 FROM numbers`);
    saved.save(HERE, LIDAR, list({ confirmedAt: 1_000_000 }));
    const count = file.sql.get(
      'SELECT count(*) AS count, min(confirmed_at) AS least FROM saved_lists',
    );
    expect(count).toEqual({ count: 20_000, least: 2 });
  });

  it('but a new list is kept, even if the clock was set back', () => {
    const file = open();
    const saved = savedListsIn(file);
    saved.save(HERE, ARM, list({ confirmedAt: 2 }));
    file.sql.run('UPDATE saved_lists SET kept = ?', 1e12);
    saved.save(HERE, LIDAR, list({ confirmedAt: 1 }));
    expect([digestOf(saved, LIDAR), digestOf(saved, ARM)]).toEqual(['d1', undefined]);
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

describe('if lists cannot be saved or read, the error names the cause', () => {
  it('[T52] a full disk', () => {
    const file = open();
    file.sql.get('PRAGMA max_page_count = 4');
    const saved = savedListsIn(file);
    const records = [{ version: '1.0.0', deprecated: 'x'.repeat(100_000) }];
    expect(caught(() => saved.save(HERE, LIDAR, list({ records })))).toEqual([
      'state-write',
      `"${file.path}": database or disk is full`,
    ]);
    expect(digestOf(saved, LIDAR)).toBeUndefined();
  });

  it.each([
    '{',
    '[]',
    '{"records":[]}',
    '{"records":{},"dropped":[],"lost":[]}',
    '{"records":[null],"dropped":[],"lost":[]}',
    '{"records":[{"versiom":"1.0.0"}],"dropped":[],"lost":[]}',
    '{"records":[{"version":"1.0.0","publishedAt":"1"}],"dropped":[],"lost":[]}',
    '{"records":[{"version":"1.0.0","artifacts":[{"platforn":"any"}]}],"dropped":[],"lost":[]}',
    '{"records":[{"version":"1.0.0","yanked":true}],"dropped":[],"lost":[]}',
    '{"records":[],"dropped":[7],"lost":[]}',
    '{"records":[],"dropped":[],"lost":[{"version":"1.0.0","platform":"any"}]}',
  ])('a damaged list: %s', (content) => {
    const file = open();
    const saved = savedListsIn(file);
    saved.save(HERE, LIDAR, list());
    file.sql.run('UPDATE saved_contents SET content = ?', content);
    expect(caught(() => saved.read(HERE, LIDAR))).toEqual([
      'state-unreadable',
      `"${file.path}": a saved list is damaged`,
    ]);
  });

  it('another process that writes for too long', () => {
    const file = open();
    const saved = savedListsIn(openMachineFile(file.path, { busyTimeoutMs: 20 }));
    file.database.exec('BEGIN IMMEDIATE');
    expect(caught(() => saved.save(HERE, LIDAR, list()))).toEqual([
      'locked',
      `"${file.path}": database is locked`,
    ]);
  });

  it('a file that is not a SQLite file', () => {
    const path = `${temporaryFolder()}/machine.db`;
    writeFileSync(path, 'not a SQLite file, but long enough to be checked'.repeat(100));
    expect(() => openMachineFile(path)).toThrow(`"${path}": file is not a database`);
  });
});
