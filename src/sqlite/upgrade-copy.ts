import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { quote } from '../core/text/quote.ts';
import { syncFile, syncFolder } from '../files/sync.ts';
import { asDatabaseError, DatabaseError } from './database-error.ts';
import { isThere } from './is-there.ts';
import { openFile } from './open-file.ts';
import { createPrivate } from './private-file.ts';
import { isUsable, type Layout } from './schema.ts';

/** A copy that is not complete. */
const PART = '.part';
const CHUNK_BYTES = 65_536;

/**
 * Copies the file at `path` to `<path>.schema-<schema>` before an upgrade that programs of its schema would not
 * understand (T71). The caller holds SQLite's write lock on the file. An existing copy is never overwritten: one with the
 * same content is enough, and next to any other one the new copy has a number. Throws a DatabaseError if there is no space.
 */
export function copyBeforeUpgrade(path: string, schema: number): void {
  const copy = `${path}.schema-${schema}`;
  const part = copy + PART;
  try {
    // A process that was killed while it copied left its part.
    rmSync(part, { force: true });
    writeCopy(path, part);
    const place = placeFor(part, copy);
    if (isThere(place)) rmSync(part);
    else renameSync(part, place);
    syncFolder(dirname(resolve(path)));
  } catch (error) {
    rmSync(part, { force: true });
    throw notCopied(path, copy, error);
  }
}

/** Writes everything that is committed, which includes the write-ahead log. */
function writeCopy(path: string, part: string): void {
  createPrivate(part);
  const source = new DatabaseSync(pathToFileURL(path), { readOnly: true });
  try {
    source.prepare('VACUUM INTO ?').run(pathToFileURL(part).href);
  } finally {
    source.close();
  }
  syncFile(part);
}

/** The first of `copy`, `copy-2`, … that does not exist, or has the content of `part`. */
function placeFor(part: string, copy: string): string {
  let number = 1;
  let place = copy;
  while (isThere(place) && !isSame(place, part)) place = `${copy}-${++number}`;
  return place;
}

function isSame(one: string, other: string): boolean {
  if (statSync(one).size !== statSync(other).size) return false;
  const descriptors = [openSync(one, 'r'), openSync(other, 'r')] as const;
  const [left, right] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
  try {
    for (;;) {
      const length = readSync(descriptors[0], left);
      readSync(descriptors[1], right);
      if (length === 0) return true;
      if (!left.subarray(0, length).equals(right.subarray(0, length))) return false;
    }
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

function notCopied(path: string, copy: string, cause: unknown): unknown {
  const error = asDatabaseError(cause, copy);
  if (!(error instanceof DatabaseError)) return cause;
  // These concern the file itself, not the space for its copy.
  if (error.kind === 'damaged' || error.kind === 'locked') return cause;
  const message = `${quote(path)}: its schema needs an upgrade that earlier programs do not understand, and it could not be copied first`;
  const advice = 'nothing was changed: make space for a copy';
  return new DatabaseError('unwritable', `${message} (${error.message}); ${advice}`, {
    file: path,
    cause: error,
  });
}

/** The newest copy of the file at `path` that programs with `layout` can use. */
export function usableCopy(path: string, layout: Layout): string | undefined {
  const folder = dirname(path);
  const prefix = `${basename(path)}.schema-`;
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && /^\d+(-\d+)?$/.test(name.slice(prefix.length)))
    .map((name) => join(folder, name))
    .map((copy) => ({ copy, at: statSync(copy).mtimeMs }))
    .toSorted((a, b) => b.at - a.at)
    .find(({ copy }) => isUsableCopy(copy, layout))?.copy;
}

function isUsableCopy(copy: string, layout: Layout): boolean {
  const file = pathToFileURL(copy);
  // SQLite then creates no files beside it.
  file.searchParams.set('immutable', '1');
  let database: DatabaseSync | undefined;
  try {
    database = openFile(file, { readOnly: true });
    return isUsable(database, layout);
  } catch {
    // A damaged copy is not offered.
    return false;
  } finally {
    database?.close();
  }
}
