import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPageFile, type PageFile } from '../../../src/page/access/page-file.ts';
import { PAGE_LAYOUT } from '../../../src/page/access/page-layout.ts';
import { openDatabase, transaction } from '../../../src/sqlite/database.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { fillDisk, smallDisk } from '../../support/small-disk.ts';

const NOW = 1_764_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WRONG = '0123-4567-89ab-cdef-0123-4567-89ab-cdef';

function newFile(): { readonly path: string; readonly file: PageFile } {
  const path = `${temporaryFolder()}/page.db`;
  return { path, file: openPageFile(path, 100) };
}

/** The token of a new session. */
function signedIn(file: PageFile, now = NOW): string {
  const token = file.signIn(file.newCode(now), now);
  if (token === undefined) throw new Error('the code is not accepted');
  return token;
}

describe('page.db', () => {
  it('can be read by its owner only, keeps its label, and has no secret in it', () => {
    const { path, file } = newFile();
    const code = file.newCode(NOW);
    const token = signedIn(file);
    file.setAddress('http://localhost:1');
    file.close();
    const again = openPageFile(path, 100);
    expect(again.label).toBe(file.label);
    expect(again.label).toMatch(/^[\da-f]{20}$/);
    expect(again.address()).toBe('http://localhost:1');
    again.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const content = readFileSync(path, 'latin1');
    expect([code, code.replaceAll('-', ''), token].filter((one) => content.includes(one))).toEqual(
      [],
    );
  });

  it('has another label and no address when it is new', () => {
    const [one, two] = [newFile().file, newFile().file];
    expect(one.label).not.toBe(two.label);
    expect(one.address()).toBe(undefined);
  });
});

describe('a code', () => {
  it('has 128 bits, in groups that a person can type', () => {
    const { file } = newFile();
    const codes = [file.newCode(NOW), file.newCode(NOW)];
    expect(new Set(codes).size).toBe(2);
    for (const code of codes) expect(code).toMatch(/^([\da-f]{4}-){7}[\da-f]{4}$/);
  });

  it.for([
    ['as it is shown', (code: string) => code],
    ['in upper case', (code: string) => code.toUpperCase()],
    ['without hyphens, between spaces', (code: string) => ` ${code.replaceAll('-', '')}\n`],
  ] as const)('is accepted %s', ([, typed]) => {
    const { file } = newFile();
    expect(file.signIn(typed(file.newCode(NOW)), NOW)).toMatch(/^[\w-]{43}$/);
  });

  it('is accepted once (T127)', () => {
    const { file } = newFile();
    const code = file.newCode(NOW);
    expect(file.signIn(code, NOW)).toBeTypeOf('string');
    expect(file.signIn(code, NOW)).toBe(undefined);
  });

  it.each([
    ['after five minutes', 5 * MINUTE, true],
    ['later', 5 * MINUTE + 1, false],
    ['with a clock that was set back by more', -5 * MINUTE - 1, false],
  ])('is accepted %s: %s ms, %s (T127)', (_, after, isAccepted) => {
    const { file } = newFile();
    const code = file.newCode(NOW);
    expect(file.signIn(code, NOW + after) !== undefined).toBe(isAccepted);
  });

  it('is accepted after any number of wrong ones, which write nothing (T128)', () => {
    const { path, file } = newFile();
    const code = file.newCode(NOW);
    const other = openDatabase(path, PAGE_LAYOUT, { mode: 'write', busyTimeoutMs: 0 });
    transaction(other, () => {
      for (let count = 0; count < 20; count++) expect(file.signIn(WRONG, NOW)).toBe(undefined);
    });
    other.close();
    expect(file.signIn(code, NOW)).toBeTypeOf('string');
  });

  it('ends when eight newer ones exist', () => {
    const { file } = newFile();
    const codes = Array.from({ length: 9 }, (_, place) => file.newCode(NOW + place));
    expect(file.signIn(codes[0] ?? '', NOW + 9)).toBe(undefined);
    expect(file.signIn(codes[1] ?? '', NOW + 9)).toBeTypeOf('string');
  });
});

describe('a session', () => {
  it('lasts for twelve hours after its last use, and outlives the process', () => {
    const { path, file } = newFile();
    const token = signedIn(file);
    file.noteUse(token, NOW + 11 * HOUR);
    file.close();
    const again = openPageFile(path, 100);
    expect(again.session(token, NOW + 23 * HOUR)).toStrictEqual({ account: undefined });
    expect(again.session(token, NOW + 23 * HOUR + 1)).toBeUndefined();
  });

  it('goes on on a full disk, where its use is not recorded', (context) => {
    const disk = `${temporaryFolder()}/disk`;
    smallDisk(context, disk, '512k');
    const file = openPageFile(`${disk}/page.db`, 100);
    onTestFinished(() => file.close());
    const token = signedIn(file);
    fillDisk(`${disk}/filling`);
    expect(() => file.newCode(NOW)).toThrow('database or disk is full');
    for (let at = 0; at <= 6 * HOUR; at += MINUTE) file.noteUse(token, NOW + at);
    expect(file.session(token, NOW + 12 * HOUR)).toStrictEqual({ account: undefined });
  });

  it('lasts for twelve hours after a use by a clock that was set back', () => {
    const { file } = newFile();
    const token = signedIn(file);
    file.noteUse(token, NOW - 6 * HOUR);
    expect(file.session(token, NOW + 6 * HOUR)).toStrictEqual({ account: undefined });
    expect(file.session(token, NOW + 6 * HOUR + 1)).toBeUndefined();
  });

  it('lasts for seven days at most', () => {
    const { file } = newFile();
    const token = signedIn(file);
    for (let at = 0; at <= 7 * DAY; at += 6 * HOUR) file.noteUse(token, NOW + at);
    expect(file.session(token, NOW + 7 * DAY)).toStrictEqual({ account: undefined });
    expect(file.session(token, NOW + 7 * DAY + 1)).toBeUndefined();
  });

  it('ends with a clock that was set back by more than its time', () => {
    const { file } = newFile();
    const token = signedIn(file);
    expect(file.session(token, NOW - 12 * HOUR)).toStrictEqual({ account: undefined });
    expect(file.session(token, NOW - 12 * HOUR - 1)).toBeUndefined();
  });

  it('ends when it is signed out, and no other does', () => {
    const { file } = newFile();
    const [one, two] = [signedIn(file), signedIn(file)];
    file.signOut(one);
    expect([one, two, 'x'].map((token) => file.session(token, NOW) !== undefined)).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('is removed from the file by a later sign-in once it has ended', () => {
    const { path, file } = newFile();
    signedIn(file);
    signedIn(file, NOW + DAY);
    const database = openDatabase(path, PAGE_LAYOUT, { mode: 'read', busyTimeoutMs: 0 });
    expect(database.prepare('SELECT created_at FROM sessions').all()).toEqual([
      { created_at: NOW + DAY },
    ]);
    database.close();
  });

  it('of an account is removed from the file by a later sign-in of an account once it has ended', () => {
    const { path, file } = newFile();
    const account = { name: 'ada', stamp: 'first' };
    file.signInAs(account, NOW);
    file.signInAs(account, NOW + DAY);
    const database = openDatabase(path, PAGE_LAYOUT, { mode: 'read', busyTimeoutMs: 0 });
    expect(database.prepare('SELECT created_at FROM account_sessions').all()).toEqual([
      { created_at: NOW + DAY },
    ]);
    database.close();
  });

  it('lasts while another process has the file locked, although its use is not recorded (T129)', () => {
    const { path, file } = newFile();
    const token = signedIn(file);
    const other = openDatabase(path, PAGE_LAYOUT, { mode: 'write', busyTimeoutMs: 0 });
    transaction(other, () => {
      file.noteUse(token, NOW + HOUR);
      expect(file.session(token, NOW + HOUR)).toStrictEqual({ account: undefined });
      expect(() => file.newCode(NOW)).toThrow(
        expect.objectContaining({ name: 'DatabaseError', kind: 'locked' }) as Error,
      );
    });
    expect(file.session(token, NOW + 12 * HOUR + 1)).toBeUndefined();
    other.close();
  });
});

it.each([
  ['damaged', (path: string) => writeFileSync(path, 'x'.repeat(8192))],
  [
    'later-schema',
    (path: string) => {
      openPageFile(path, 100).close();
      const known = PAGE_LAYOUT.migrations;
      const later = { ...PAGE_LAYOUT, oldestReader: 99, migrations: [...known, 'SELECT 1'] };
      openDatabase(path, later, { mode: 'write', busyTimeoutMs: 0 }).close();
    },
  ],
] as const)('a file that is %s is not opened, and stays (T129)', (kind, make) => {
  const path = `${temporaryFolder()}/page.db`;
  make(path);
  const before = readFileSync(path);
  expect(() => openPageFile(path, 100)).toThrow(
    expect.objectContaining({ name: 'DatabaseError', kind }) as Error,
  );
  expect(readFileSync(path).equals(before)).toBe(true);
});
