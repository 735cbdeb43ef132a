import { createHash } from 'node:crypto';
import { createWriteStream, statSync, type Stats } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Result } from '../../core/index.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import type { Problem } from '../../base/problem.ts';
import { archiveOf, entriesIn, UnpackableFile } from './tar-archive.ts';

/** A folder as an archive. */
export interface Packed {
  readonly entries: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** The place of the operating system in the header of gzip, and the value that names none. */
const SYSTEM_AT = 9;
const NO_SYSTEM = 255;

/** Packs a folder into the file `path`: the same bytes for the same content (D244). The error: what cannot be packed or written. */
export async function packFolder(
  folder: string,
  path: string,
  flags: 'w' | 'wx' = 'w',
): Promise<Result<Packed, Problem>> {
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (bytes <= SYSTEM_AT && bytes + chunk.length > SYSTEM_AT)
        chunk[SYSTEM_AT - bytes] = NO_SYSTEM;
      bytes += chunk.length;
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  try {
    const entries = [...entriesIn(folder)];
    const archive = Readable.from(archiveOf(folder, entries));
    await pipeline(archive, createGzip({ level: 9 }), counted, createWriteStream(path, { flags }));
    return { ok: true, value: { entries: entries.length, bytes, sha256: hash.digest('hex') } };
  } catch (error) {
    const { code, path: at = folder } = error as NodeJS.ErrnoException;
    if (code === undefined && !(error instanceof UnpackableFile)) throw error;
    const why = code === undefined ? (error as Error).message : `${excerpt(at)} (${code})`;
    const message = `the folder ${quote(folder)} cannot be packed: ${why}`;
    return { ok: false, error: { severity: 'error', kind: 'unreadable-file', message } };
  }
}

/** Whether there is a folder. A path that cannot be followed, such as a link to itself, leads to none. */
export function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() === true;
}

/** Whether there is a regular file, as `isFolder` says it of a folder. */
export function isFile(path: string): boolean {
  return statsOf(path)?.isFile() === true;
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
