import { excerpt, quote } from '../../core/text/quote.ts';
import { CHUNK_BYTES } from './decompressed.ts';
import { byteSource, type ByteSource } from './byte-source.ts';
import {
  badArchive,
  BLOCK,
  parseExtension,
  parseHeader,
  textIn,
  type Extension,
  type TarHeader,
} from './tar-header.ts';

/** An entry of an archive, as it is named there. */
export interface TarEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'hard-link';
  readonly name: string;
  /** In bytes; 0 unless it is a file. */
  readonly size: number;
  readonly isExecutable: boolean;
  /** Where a link leads; empty unless it is a link. */
  readonly target: string;
  /** The content, part by part. It is skipped unless it is read; what begins to read it reads all of it. */
  readonly content: AsyncGenerator<Buffer, void>;
}

/** As many as arrive at once. */
const ZEROS = Buffer.alloc(CHUNK_BYTES);
/** The longest extended header, and the longest name, in bytes. */
const LONGEST_EXTENSION = 64 * 1024;

const KINDS: ReadonlyMap<string, TarEntry['kind']> = new Map([
  ['0', 'file'],
  ['\0', 'file'],
  // A file whose blocks were next to each other on its disk.
  ['7', 'file'],
  ['1', 'hard-link'],
  ['2', 'link'],
  ['5', 'folder'],
]);

const REFUSED: ReadonlyMap<string, string> = new Map([
  ['3', 'a character device'],
  ['4', 'a block device'],
  ['6', 'a FIFO'],
  ['S', 'a sparse file'],
]);

/**
 * The entries of a tar archive. Both passes over an archive read it with this function, so what was surveyed is what is
 * unpacked. Throws a refusal for what it does not read.
 */
export async function* tarEntries(bytes: AsyncIterable<Buffer>): AsyncGenerator<TarEntry, void> {
  const source = byteSource(bytes, () => badArchive('ends within an entry'));
  let extension: Extension = {};
  for (;;) {
    const block = await source.take(BLOCK);
    // Some programs write no blocks of zeros (T355). The compression has ended, so nothing was cut off after it.
    if (!block) {
      if (Object.keys(extension).length > 0) throw badArchive('ends within an entry');
      return;
    }
    if (isZero(block)) return await checkEnd(source);
    const header = parseHeader(block);
    const extending = await extensionOf(header, source);
    if (extending) {
      Object.assign(extension, extending);
      continue;
    }
    const { size, ...entry } = entryOf(header, extension);
    extension = {};
    const content = source.parts(size);
    yield { ...entry, size, content };
    await drain(content);
    await drain(source.parts(padding(size)));
  }
}

/** What `header` and its content say about the next one; undefined if it is an entry itself. */
async function extensionOf(header: TarHeader, source: ByteSource): Promise<Extension | undefined> {
  const { type, size } = header;
  if (!['x', 'g', 'L', 'K'].includes(type)) return undefined;
  if (size > LONGEST_EXTENSION) {
    throw badArchive(
      `has an extended header of ${size} bytes, expected at most ${LONGEST_EXTENSION}`,
    );
  }
  const content = size === 0 ? Buffer.alloc(0) : await source.take(size);
  if (!content) throw badArchive('ends within an entry');
  await drain(source.parts(padding(size)));
  if (type === 'L') return { path: textIn(content) };
  if (type === 'K') return { linkpath: textIn(content) };
  const extension = parseExtension(content);
  if (type === 'x') return extension;
  if (Object.keys(extension).length > 0) {
    throw badArchive('gives all its entries one name or size');
  }
  return {};
}

function entryOf(
  header: TarHeader,
  { path, linkpath, size: pax }: Extension,
): Omit<TarEntry, 'content'> {
  const { type, mode } = header;
  const name = path ?? header.name;
  const kind = kindOf(type, name);
  const size = pax === undefined ? header.size : sizeIn(pax, name);
  if (kind !== 'file' && size > 0) {
    throw badArchive(`has content in ${quote(name)}, which is not a file`);
  }
  const isLink = kind === 'link' || kind === 'hard-link';
  const target = isLink ? (linkpath ?? header.target) : '';
  return { kind, name, size, isExecutable: (mode & 0o111) !== 0, target };
}

function kindOf(type: string, name: string): TarEntry['kind'] {
  const kind = KINDS.get(type);
  // Programs before POSIX.1 have no type for folders.
  if (kind === 'file') return name.endsWith('/') ? 'folder' : 'file';
  if (kind !== undefined) return kind;
  const what = REFUSED.get(type) ?? `an entry of the type ${quote(type)}`;
  throw badArchive(`has ${what}: ${quote(name)}`);
}

function sizeIn(text: string, name: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badArchive(`gives ${quote(name)} the size ${excerpt(text)}`);
}

/** After the first block of zeros, only zeros follow. */
async function checkEnd(source: ByteSource): Promise<void> {
  for await (const part of source.rest()) {
    if (!isZero(part)) throw badArchive('continues after its end');
  }
}

function isZero(bytes: Buffer): boolean {
  return bytes.equals(ZEROS.subarray(0, bytes.length));
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

/** Reads what is left. */
async function drain(parts: AsyncGenerator<Buffer, void>): Promise<void> {
  while ((await parts.next()).done !== true);
}
