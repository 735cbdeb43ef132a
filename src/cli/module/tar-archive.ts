import { createReadStream, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of an archive, with what is the same on each machine. */
export interface ArchiveEntry {
  /** Relative to the packed folder. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link';
  readonly isExecutable: boolean;
  readonly size: number;
  /** Of a link; else empty. */
  readonly target: string;
}

/** What is no part of a module: of version control, of editors, and what programs derive from its files. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.modreg', '.DS_Store', '__pycache__']);
const BLOCK = 512;
const LONGEST_NAME = 100;
const TYPES = { file: '0', link: '2', folder: '5' } as const;

/** The entries of a folder, in text order. Throws the error of a file that is none of them, or that cannot be read. */
export function* entriesIn(root: string, below = ''): Generator<ArchiveEntry, void> {
  for (const own of readdirSync(join(root, below)).toSorted()) {
    if (LEFT_OUT.has(own)) continue;
    const entry = entryAt(root, `${below}${own}`);
    yield entry;
    if (entry.kind === 'folder') yield* entriesIn(root, `${entry.name}/`);
  }
}

function entryAt(root: string, name: string): ArchiveEntry {
  const path = join(root, name);
  const stats = lstatSync(path);
  const entry = { name, isExecutable: (stats.mode & 0o111) !== 0, size: 0, target: '' };
  if (stats.isDirectory()) return { ...entry, kind: 'folder' };
  if (stats.isSymbolicLink()) return { ...entry, kind: 'link', target: readlinkSync(path) };
  if (stats.isFile()) return { ...entry, kind: 'file', size: stats.size };
  throw new UnpackableFile(`${name} is neither a file, a folder nor a link`);
}

/** A file that no archive of a module can have. */
export class UnpackableFile extends Error {
  override readonly name = 'UnpackableFile';
}

/** The bytes of a reproducible archive: users, times and the order of reading do not change them. */
export async function* archiveOf(
  root: string,
  entries: readonly ArchiveEntry[],
): AsyncGenerator<Buffer, void> {
  for (const entry of entries) {
    yield headersOf(entry);
    if (entry.kind !== 'file') continue;
    let bytes = 0;
    for await (const chunk of createReadStream(join(root, entry.name))) {
      bytes += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
    if (bytes !== entry.size) throw new UnpackableFile(`${entry.name} changed while it was packed`);
    yield Buffer.alloc(-bytes & (BLOCK - 1));
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** The header of an entry, after one with its name and its target if they are long. */
function headersOf({ name, kind, isExecutable, size, target }: ArchiveEntry): Buffer {
  const path = kind === 'folder' ? `${name}/` : name;
  const mode = kind === 'folder' || isExecutable ? 0o755 : 0o644;
  const long = [...record('path', path), ...record('linkpath', target)].join('');
  const header = headerOf({ path, mode, size, type: TYPES[kind], target });
  if (long === '') return header;
  const content = Buffer.from(long);
  const about = { path: 'PaxHeader', mode: 0o644, size: content.length, type: 'x', target: '' };
  const rest = Buffer.alloc(-content.length & (BLOCK - 1));
  return Buffer.concat([headerOf(about), content, rest, header]);
}

/** A record of a text that has no place in a header; none for a short one (POSIX, pax). */
function record(key: string, text: string): string[] {
  if (Buffer.byteLength(text) <= LONGEST_NAME) return [];
  const rest = ` ${key}=${text}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + `${bytes}`.length;
  if (`${length}`.length > `${bytes}`.length) length = bytes + `${length}`.length;
  return [`${length}${rest}`];
}

interface Header {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
  readonly target: string;
}

function headerOf({ path, mode, size, type, target }: Header): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, LONGEST_NAME);
  header.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  header.write(`${octal(size, 11)}\0${octal(0, 11)}\0`, 124);
  header.write(type, 156);
  header.write(target, 157, LONGEST_NAME);
  header.write('ustar\x0000', 257);
  header.fill(' ', 148, 156);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

function octal(number: number, digits: number): string {
  return number.toString(8).padStart(digits, '0');
}
