import { describe, expect, it, onTestFinished } from 'vitest';
import type { FirstSeen } from '../../src/core/releases/publish-time.ts';
import type { SavedList, SavedLists } from '../../src/registries/index.ts';
import { openDatabase } from '../../src/sqlite/database.ts';
import { savedListsIn, type MachineFile } from '../../src/store/index.ts';
import { machineFileIn } from '../../src/store/machine-file.ts';
import { LAYOUT } from '../../src/store/machine-layout.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';

const LIDAR = moduleId('acme:lidar');
const HERE = 'modreg:https://registry.example/';

/** A file whose checksums are not written, because that would take too long for many rows. */
function unsealed(): MachineFile {
  const path = `${temporaryFolder()}/machine.db`;
  const file = machineFileIn(
    openDatabase(path, LAYOUT, { mode: 'create', busyTimeoutMs: 0 }),
    path,
  );
  onTestFinished(() => file.close());
  return file;
}

const SPAN = { after: 2, at: 3 };

function seen(...versions: readonly string[]): FirstSeen {
  return { since: 1, added: new Map(versions.map((one) => [one, SPAN])) };
}

function save(saved: SavedLists, firstSeen: FirstSeen): void {
  const rest = { etag: undefined, generation: undefined, sequence: undefined, history: undefined };
  const list: SavedList = {
    ...rest,
    records: [],
    dropped: [],
    lost: [],
    digest: 'd',
    size: 1,
    firstSeen,
    confirmedAt: 1,
  };
  saved.save(HERE, LIDAR, list);
}

const INSERT = `
  WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
  INSERT INTO first_seen (address, module_id, version, seen_at)
  SELECT ?, 'acme:lidar', 'old-' || n, 3 FROM numbers`;

describe('[D34] when releases were first seen', () => {
  it.each<[string, string[], string[]]>([
    ['none', [], ['1.1.0', '1.2.0']],
    ['as many as this one', ['2.0.0'], ['1.1.0', '1.2.0', '2.0.0']],
    ['more than this one', ['2.0.0', '3.0.0'], ['1.1.0', '1.2.0', '2.0.0', '3.0.0']],
  ])('is kept if another process adds releases meanwhile: %s', (_, others, expected) => {
    const saved = savedListsIn(unsealed());
    save(saved, seen('1.1.0'));
    save(saved, seen('1.1.0', ...others));
    save(saved, seen('1.1.0', '1.2.0'));
    const first = saved.firstSeen(HERE, LIDAR);
    expect([first?.since, [...(first?.added.keys() ?? [])]]).toEqual([1, expected]);
  });

  it('is not written again while nothing is added', () => {
    const file = unsealed();
    const saved = savedListsIn(file);
    const changes = (): unknown => file.sql.get('SELECT total_changes() AS changes')?.['changes'];
    save(saved, seen('1.1.0'));
    const before = Number(changes());
    save(saved, seen('1.1.0'));
    // The list and its content.
    expect(Number(changes()) - before).toBe(2);
  });

  it.each([
    [99_997, 100_000],
    [99_998, 3],
  ])('has 100,000 rows for others at most: with %i, %i are left', (others, rows) => {
    const file = unsealed();
    const saved = savedListsIn(file);
    save(saved, seen('1.1.0'));
    file.sql.run(INSERT, others, HERE);
    file.sql.run(INSERT, 1, 'npm:https://other.example/');
    save(saved, seen('1.1.0', '1.2.0'));
    const first = saved.firstSeen(HERE, LIDAR);
    expect(['1.1.0', '1.2.0'].map((one) => first?.added.get(one))).toEqual([SPAN, SPAN]);
    // Rows of another registry stay.
    const left = file.sql.get('SELECT count(*) AS rows FROM first_seen');
    expect([(first?.added.size ?? 0) + 1, left]).toEqual([rows, { rows: rows + 1 }]);
  });
});
