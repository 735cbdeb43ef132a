import { readFileSync, renameSync, statSync, writeFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { quote } from '../../src/core/text/quote.ts';
import { Catalogue, readRelease, type PublishedRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { tokenFor } from '../support/token.ts';
import { temporaryFolder } from '../support/folder.ts';
import { publishedUntilKilled } from './support/killed-publisher.ts';

const LIDAR = moduleId('acme:lidar');

function release(version: string, fields: object = {}): PublishedRelease {
  const read = readRelease({ version, ...fields });
  if (!read.ok) throw new Error(read.error.join('\n'));
  return read.value;
}

function newCatalogue(): { path: string; catalogue: Catalogue } {
  const path = join(temporaryFolder(), 'home', 'registry.db');
  return { path, catalogue: new Catalogue(path, { mode: 'create' }) };
}

function textOf(catalogue: Catalogue): string {
  return Buffer.from(catalogue.document(LIDAR)?.bytes ?? []).toString();
}

describe('a catalogue', () => {
  it('is a file in a folder that only the owner can access', () => {
    const { path, catalogue } = newCatalogue();
    catalogue.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it('publishes all releases of a list, or none', () => {
    const { catalogue } = newCatalogue();
    const many = [release('1.0.0'), release('1.0.1'), release('1.0.0')];
    expect(catalogue.publishAll(LIDAR, many, 1)).toEqual(['published', 'published', 'unchanged']);
    const before = textOf(catalogue);
    const some = [release('2.0.0'), release('1.0.1', { deprecated: 'old' })];
    expect(catalogue.publishAll(LIDAR, some, 2)).toEqual(['published', 'other-content']);
    expect(textOf(catalogue)).toBe(before);
    catalogue.close();
  });

  it('shows the same content to every process that opened it', () => {
    const { path, catalogue } = newCatalogue();
    const other = new Catalogue(path);
    catalogue.publish(LIDAR, release('1.0.0'), 1);
    expect(textOf(other)).toBe(textOf(catalogue));
    other.yank(LIDAR, '1.0.0', 'why');
    expect(textOf(catalogue)).toContain('"yanked":"why"');
    expect(catalogue.summaries()).toEqual([{ moduleId: 'acme:lidar', generation: 2, count: 1 }]);
    other.close();
    catalogue.close();
  });

  it('yanks releases that a list publishes as yanked, and never unyanks one', () => {
    const { catalogue } = newCatalogue();
    const publish = (fields: object): unknown => {
      const results = catalogue.publishAll(LIDAR, [release('1.0.0', fields)], 1);
      return [results[0], /"yanked":(.*?)\}/.exec(textOf(catalogue))?.[1], catalogue.sequence()];
    };
    expect(publish({ yanked: 'burns' })).toEqual(['published', '"burns"', 2]);
    expect(publish({ yanked: 'stops' })).toEqual(['unchanged', '"burns"', 2]);
    expect(publish({ yanked: null })).toEqual(['unchanged', '"burns"', 2]);
    catalogue.yank(LIDAR, '1.0.0', null);
    expect(publish({ yanked: '' })).toEqual(['yanked', '""', 4]);
    catalogue.close();
  });

  it('may have any file name', () => {
    const folder = temporaryFolder();
    for (const name of [':memory:', 'file:x?mode=memory', 'a b%20#?.db', '-']) {
      const path = join(folder, name);
      new Catalogue(path, { mode: 'create' }).close();
      expect(readFileSync(path).subarray(0, 15).toString()).toBe('SQLite format 3');
    }
  });

  it('refuses changes after the file was replaced or removed', () => {
    const { path, catalogue } = newCatalogue();
    renameSync(path, `${path}.old`);
    const message = `"${path}": the file was replaced or removed`;
    const publish = (): unknown => catalogue.publish(LIDAR, release('1.0.0'), 1);
    expect(publish).toThrow(expect.objectContaining({ kind: 'missing', message }));
    new Catalogue(path, { mode: 'create' }).close();
    expect(publish).toThrow(expect.objectContaining({ kind: 'missing', message }));
    catalogue.close();
  });

  it('refuses changes after the file was truncated to a size that it had before', () => {
    const { path, catalogue } = newCatalogue();
    const { size: before } = statSync(path);
    catalogue.publish(LIDAR, release('1.0.0', { deprecated: 'x'.repeat(1000) }), 1);
    for (let patch = 1; patch < 20; patch++) {
      catalogue.publish(LIDAR, release(`1.0.${patch}`, { deprecated: 'x'.repeat(1000) }), 1);
    }
    new DatabaseSync(path).exec('PRAGMA wal_checkpoint(TRUNCATE)');
    catalogue.sequence();
    const { size } = statSync(path);
    expect(size).toBeGreaterThan(before);
    truncateSync(path, size - 4096);
    const message = `"${path}": the file was truncated, from ${size} to ${size - 4096} bytes`;
    const publish = (): unknown => catalogue.publish(LIDAR, release('2.0.0'), 1);
    expect(publish).toThrow(expect.objectContaining({ kind: 'damaged', message }));
    catalogue.close();
  });

  it('may be closed twice', () => {
    const { catalogue } = newCatalogue();
    catalogue.close();
    catalogue.close();
    expect(() => tokenFor(catalogue)).toThrow('registry.db": it was closed');
  });

  it('stores the hash of a token, and not the token', () => {
    const { path, catalogue } = newCatalogue();
    const token = tokenFor(catalogue);
    expect([catalogue.tokenWith(token)?.id, catalogue.tokenWith(`${token}x`)]).toEqual([
      't1',
      undefined,
    ]);
    expect(tokenFor(catalogue, ['publish'], 'other')).not.toBe(token);
    catalogue.close();
    expect(readFileSync(path).includes(token.slice('modreg_'.length))).toBe(false);
  });
});

it('reports a damaged record that claims more memory than is available', () => {
  const { path, catalogue } = newCatalogue();
  catalogue.publish(LIDAR, release('1.0.0'), 1);
  catalogue.close();
  const bytes = readFileSync(path);
  // The end of the page that stores the modules.
  writeFileSync(path, bytes.fill(0xff, 3.5 * 4096, 4 * 4096));
  const damaged = new Catalogue(path);
  const message = `"${path}": database disk image is malformed`;
  expect(() => damaged.summaries()).toThrow(expect.objectContaining({ kind: 'damaged', message }));
  damaged.close();
});

describe('a catalogue cannot be opened', () => {
  it.each<[string, (path: string) => void, string, string]>([
    ['a missing file', () => undefined, 'missing', 'there is no such file'],
    [
      'a text file',
      (path) => writeFileSync(path, 'not a database, and long enough to be looked at'),
      'damaged',
      'file is not a database',
    ],
    [
      'a catalogue whose pages are damaged',
      (path) => {
        new Catalogue(path, { mode: 'create' }).close();
        const bytes = readFileSync(path);
        writeFileSync(path, bytes.fill(0x5a, 100));
      },
      'damaged',
      'database disk image is malformed',
    ],
    [
      'a database of another program',
      (path) => new DatabaseSync(path).exec('CREATE TABLE theirs (x)'),
      'unreadable',
      'it is a SQLite file of another program',
    ],
    [
      'a database of another program without tables',
      (path) => new DatabaseSync(path).exec('PRAGMA user_version = 1'),
      'unreadable',
      'it is a SQLite file of another program',
    ],
    [
      'a catalogue without a schema version',
      (path) => {
        new Catalogue(path, { mode: 'create' }).close();
        new DatabaseSync(path).exec('PRAGMA user_version = 0');
      },
      'unreadable',
      'its schema has no version',
    ],
    [
      'a catalogue with a later schema',
      (path) => {
        new Catalogue(path, { mode: 'create' }).close();
        new DatabaseSync(path).exec(
          'PRAGMA user_version = 99; UPDATE compatibility SET oldest_reader = 98',
        );
      },
      'later-schema',
      'it has schema 99, for programs that know 98 or later, and this modreg knows 17; nothing was changed: use the later modreg again',
    ],
    ['a folder', () => undefined, 'unreadable', 'unable to open database file'],
  ])('from %s', (what, make, kind, message) => {
    const folder = temporaryFolder();
    const path = what === 'a folder' ? folder : join(folder, 'registry.db');
    make(path);
    const open = (): Catalogue => new Catalogue(path);
    expect(open).toThrow(expect.objectContaining({ kind, message: `"${path}": ${message}` }));
  });
});

it('[T71] a catalogue of a later modreg that allows it is read and written', () => {
  const { path, catalogue } = newCatalogue();
  catalogue.close();
  const later = new DatabaseSync(path);
  later.exec('ALTER TABLE releases ADD COLUMN size INTEGER; PRAGMA user_version = 18');
  later.close();
  const earlier = new Catalogue(path);
  expect(earlier.publish(LIDAR, release('1.0.0'), 1)).toBe('published');
  earlier.close();
  const database = new DatabaseSync(path);
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 18 });
  database.close();
});

it.each([
  ['/proc/nowhere/registry.db', 'it cannot be created (ENOENT)'],
  [
    '/nowhere/at/all/registry.db',
    'its folder "/nowhere/at/all" cannot be created in "/nowhere/at", which does not exist: create that first',
  ],
  [`/tmp/${'n'.repeat(300)}/registry.db`, 'it cannot be created (ENAMETOOLONG)'],
])('%s cannot be created', (path, because) => {
  const message = `${quote(path)}: ${because}`;
  const open = (): Catalogue => new Catalogue(path, { mode: 'create' });
  expect(open).toThrow(expect.objectContaining({ kind: 'unwritable', message }));
});

it('a process that is killed while it publishes loses nothing that it acknowledged', async () => {
  const { acknowledged, lost, ...list } = await publishedUntilKilled([40]);
  expect(lost).toEqual([]);
  expect(acknowledged).toBeGreaterThan(1);
  expect(list).toEqual({
    count: list.releases,
    generation: list.releases,
    releases: list.releases,
  });
});
