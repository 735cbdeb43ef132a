import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { quote } from '../../src/core/text/quote.ts';
import { Catalogue, readRelease, type PublishedRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT } from '../support/modreg.ts';

const LIDAR = moduleId('acme:lidar');
/** Runs killed in the middle; more by an environment variable. */
const KILLS = Number(process.env['MODREG_KILLS'] ?? 5);

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
  it('is a file and a folder that nobody else can read', () => {
    const { path, catalogue } = newCatalogue();
    catalogue.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it('publishes many releases, or none', () => {
    const { catalogue } = newCatalogue();
    const many = [release('1.0.0'), release('1.0.1'), release('1.0.0')];
    expect(catalogue.publishAll(LIDAR, many, 1)).toEqual(['published', 'published', 'unchanged']);
    const before = textOf(catalogue);
    const some = [release('2.0.0'), release('1.0.1', { deprecated: 'old' })];
    expect(catalogue.publishAll(LIDAR, some, 2)).toEqual(['published', 'other-content']);
    expect(textOf(catalogue)).toBe(before);
    catalogue.close();
  });

  it('is the same to all who opened it', () => {
    const { path, catalogue } = newCatalogue();
    const beside = new Catalogue(path);
    catalogue.publish(LIDAR, release('1.0.0'), 1);
    expect(textOf(beside)).toBe(textOf(catalogue));
    beside.yank(LIDAR, '1.0.0', 'why');
    expect(textOf(catalogue)).toContain('"yanked":"why"');
    expect(catalogue.summaries()).toEqual([{ moduleId: 'acme:lidar', generation: 2, count: 1 }]);
    beside.close();
    catalogue.close();
  });

  it('takes the yanks of a list over, and never takes one back', () => {
    const { catalogue } = newCatalogue();
    const publish = (fields: object): unknown => {
      const fates = catalogue.publishAll(LIDAR, [release('1.0.0', fields)], 1);
      return [fates[0], /"yanked":(.*?)\}/.exec(textOf(catalogue))?.[1], catalogue.sequence()];
    };
    expect(publish({ yanked: 'burns' })).toEqual(['published', '"burns"', 2]);
    expect(publish({ yanked: 'stops' })).toEqual(['unchanged', '"burns"', 2]);
    expect(publish({ yanked: null })).toEqual(['unchanged', '"burns"', 2]);
    catalogue.yank(LIDAR, '1.0.0', null);
    expect(publish({ yanked: '' })).toEqual(['yanked', '""', 4]);
    catalogue.close();
  });

  it('may have any name', () => {
    const folder = temporaryFolder();
    for (const name of [':memory:', 'file:x?mode=memory', 'a b%20#?.db', '-']) {
      const path = join(folder, name);
      new Catalogue(path, { mode: 'create' }).close();
      expect(readFileSync(path).subarray(0, 15).toString()).toBe('SQLite format 3');
    }
  });

  it('acknowledges nothing once another file is in its place', () => {
    const { path, catalogue } = newCatalogue();
    renameSync(path, `${path}.old`);
    const message = `"${path}": the file was replaced or removed`;
    const publish = (): unknown => catalogue.publish(LIDAR, release('1.0.0'), 1);
    expect(publish).toThrow(expect.objectContaining({ kind: 'missing', message }));
    new Catalogue(path, { mode: 'create' }).close();
    expect(publish).toThrow(expect.objectContaining({ kind: 'missing', message }));
    catalogue.close();
  });

  it('closes twice', () => {
    const { catalogue } = newCatalogue();
    catalogue.close();
    catalogue.close();
    expect(() => catalogue.createToken(0)).toThrow('registry.db": it was closed');
  });

  it('keeps the hash of a token, and not the token', () => {
    const { path, catalogue } = newCatalogue();
    const token = catalogue.createToken(0);
    expect([catalogue.isToken(token), catalogue.isToken(`${token}x`)]).toEqual([true, false]);
    expect(catalogue.createToken(0)).not.toBe(token);
    catalogue.close();
    expect(readFileSync(path).includes(token.slice('modreg_'.length))).toBe(false);
  });
});

it('a record that asks for more memory than there is', () => {
  const { path, catalogue } = newCatalogue();
  catalogue.publish(LIDAR, release('1.0.0'), 1);
  catalogue.close();
  const bytes = readFileSync(path);
  // The end of the page of modules, where they are.
  writeFileSync(path, bytes.fill(0xff, 3.5 * 4096, 4 * 4096));
  const damaged = new Catalogue(path);
  const message = `"${path}": out of memory`;
  expect(() => damaged.summaries()).toThrow(
    expect.objectContaining({ kind: 'unreadable', message }),
  );
  damaged.close();
});

describe('a file that is no catalogue', () => {
  it.each<[string, (path: string) => void, string, string]>([
    ['nothing', () => undefined, 'missing', 'there is no such file'],
    [
      'text',
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
      'a catalogue whose version was lost',
      (path) => {
        new Catalogue(path, { mode: 'create' }).close();
        new DatabaseSync(path).exec('PRAGMA user_version = 0');
      },
      'unreadable',
      'its schema has no version',
    ],
    [
      'a catalogue from the future',
      (path) => {
        new Catalogue(path, { mode: 'create' }).close();
        new DatabaseSync(path).exec('PRAGMA user_version = 99');
      },
      'later-schema',
      'its schema is 99, and this modreg reads schemas up to 1',
    ],
    ['a folder', () => undefined, 'unreadable', 'unable to open database file'],
  ])('but %s', (what, make, kind, message) => {
    const folder = temporaryFolder();
    const path = what === 'a folder' ? folder : join(folder, 'registry.db');
    make(path);
    const open = (): Catalogue => new Catalogue(path);
    expect(open).toThrow(expect.objectContaining({ kind, message: `"${path}": ${message}` }));
  });
});

it.each([
  ['/proc/nowhere/registry.db', 'ENOENT'],
  ['/nowhere/at/all/registry.db', 'ENOENT'],
  [`/tmp/${'n'.repeat(300)}/registry.db`, 'ENAMETOOLONG'],
])('%s cannot be made', (path, code) => {
  const message = `${quote(path)}: it cannot be created (${code})`;
  const open = (): Catalogue => new Catalogue(path, { mode: 'create' });
  expect(open).toThrow(expect.objectContaining({ kind: 'unwritable', message }));
});

/** Publishes in a process of its own until it is killed; the versions that it acknowledged. */
async function publishUntilKilled(path: string, ms: number): Promise<string[]> {
  const script = join(ROOT, 'test/support/publish-forever.ts');
  const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let acknowledged = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // The time runs from the first publication on, however long a start takes.
    if (acknowledged === '') setTimeout(() => child.kill('SIGKILL'), ms);
    acknowledged += text;
  });
  await once(child, 'close');
  // Of the last line, only a part may have come.
  return acknowledged.split('\n').slice(0, -1);
}

describe('a process that is killed while it publishes', () => {
  it(
    `loses nothing that it acknowledged, in ${KILLS} runs`,
    { timeout: KILLS * 2000 },
    async () => {
      const { path, catalogue } = newCatalogue();
      catalogue.close();
      const acknowledged: string[] = [];
      for (let run = 0; run < KILLS; run++) {
        acknowledged.push(...(await publishUntilKilled(path, 10 + run * 7)));
      }
      const after = new Catalogue(path);
      const { count, generation, releases } = JSON.parse(textOf(after)) as {
        count: number;
        generation: number;
        releases: { version: string }[];
      };
      const published = new Set(releases.map(({ version }) => version));
      expect(acknowledged.filter((version) => !published.has(version))).toEqual([]);
      expect(acknowledged.length).toBeGreaterThan(KILLS);
      expect([count, generation]).toEqual([releases.length, releases.length]);
      after.close();
    },
  );
});
