import { DatabaseSync } from 'node:sqlite';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asDatabaseError } from '../../src/sqlite/database-error.ts';
import { isLocked } from '../../src/sqlite/full-disk.ts';
import { integrityLines } from '../../src/sqlite/integrity-lines.ts';
import { createPrivate } from '../../src/sqlite/private-file.ts';
import { addChecksumFunction } from '../../src/sqlite/row-checksum.ts';
import { caught } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';

/** What an error of SQLite or of the file system becomes. */
function converted(fields: object, message = 'a reason'): unknown {
  return caught(() => {
    throw asDatabaseError(Object.assign(new Error(message), fields), '/home/machine.db');
  });
}

it.each([
  [5, true],
  [5 + 256, true],
  [5 + 2 * 256, true],
  [6, false],
  [13, false],
])('a file is locked by another connection if SQLite says %i: %s', (errcode, expected) => {
  expect(isLocked(Object.assign(new Error('a reason'), { errcode }))).toBe(expected);
});

describe('an error', () => {
  it.each([
    [1, 'unreadable'],
    [5, 'locked'],
    [6, 'locked'],
    [7, 'unreadable'],
    [8, 'unwritable'],
    [10, 'unwritable'],
    [11, 'damaged'],
    [13, 'unwritable'],
    [14, 'unreadable'],
    [15, 'locked'],
    [18, 'damaged'],
    [19, 'damaged'],
    [26, 'damaged'],
  ])('of SQLite with the code %i is %s, whatever its extended code', (errcode, kind) => {
    const expected = [kind, '"/home/machine.db": a reason'];
    const errors = [errcode, errcode + 256, errcode + 8 * 256].map((code) =>
      converted({ code: 'ERR_SQLITE_ERROR', errcode: code }),
    );
    expect(errors).toEqual([expected, expected, expected]);
  });

  it.each([
    'ENOENT',
    'ENOTDIR',
    'ENAMETOOLONG',
    'ELOOP',
    'EACCES',
    'EPERM',
    'EROFS',
    'ENOSPC',
    'EIO',
    'EMFILE',
    'Unknown system error -116',
  ])('of the file system with the code %s', (code) => {
    const errors = ['open', 'mkdir', 'access', 'read', undefined].map((syscall) =>
      converted({ code, syscall }),
    );
    const expected = ['created', 'created', 'created', 'used', 'used'].map((what) => {
      return ['unwritable', `"/home/machine.db": it cannot be ${what} (${code})`];
    });
    expect(errors).toEqual(expected);
  });

  it.each([
    ['ERR_INVALID_STATE', 'unreadable', 'it was closed'],
    ['ERR_OUT_OF_RANGE', 'damaged', 'it contains a number that is too large to read'],
  ])('of Node with the code %s', (code, kind, problem) => {
    expect(converted({ code })).toEqual([kind, `"/home/machine.db": ${problem}`]);
  });

  it('of another kind stays as it is, and its message is escaped otherwise', () => {
    const others = [new Error('no'), Object.assign(new Error('no'), { code: 'ECONNRESET' }), 'no'];
    expect(others.map((error) => asDatabaseError(error, 'x'))).toEqual(others);
    expect(converted({ errcode: 2 })).toBeInstanceOf(Error);
    expect(converted({ errcode: 5 }, 'a\nb')).toEqual([
      'locked',
      String.raw`"/home/machine.db": a\u{a}b`,
    ]);
  });
});

it('[T90] the checksum of a row depends on its values, their types and their limits', () => {
  const database = new DatabaseSync(':memory:');
  addChecksumFunction(database);
  const rows = ["1, 'ab', 'c'", "1, 'a', 'bc'", "'1', 'ab', 'c'", "1, 'ab', 'c', NULL"];
  const checksums = [...rows, "NULL, 'ab', 'c'", "'null', 'ab', 'c'", "'ab', 'c', 1"].map(
    (row) => database.prepare(`SELECT row_checksum(${row}) AS checksum`).get()?.['checksum'],
  );
  database.close();
  expect(new Set(checksums).size).toBe(checksums.length);
  // Files have these: they must stay the same.
  expect(checksums[0]).toBe(3_416_415_213);
});

it('what SQLite says about damage has no heading', () => {
  const row =
    '*** in database main ***\nTree 3 page 3: btreeInitPage() returns error code 11\nPage 4: never used';
  expect(integrityLines(row)).toEqual([
    'Tree 3 page 3: btreeInitPage() returns error code 11',
    'Page 4: never used',
  ]);
});

it('a file that another process creates at the same time keeps its content', () => {
  const path = `${temporaryFolder()}/machine.db`;
  writeFileSync(path, 'content');
  createPrivate(path);
  expect(readFileSync(path, 'utf8')).toBe('content');
  expect(() => createPrivate(`${path}/x`)).toThrow(/^ENOTDIR: /);
});
