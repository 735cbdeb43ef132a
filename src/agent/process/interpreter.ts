import { accessSync, constants, existsSync, fstatSync, readSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { excerpt } from '../../core/text/quote.ts';

/** What Linux reads of the first line of a script; longer than the header of an ELF file. */
const HEAD_BYTES = 256;
/** An ELF file of 64 bits: how long its header is, where it says what it is, where it starts, where its segments are described, and how many there are. */
const HEADER_BYTES = 64;
const FORMAT_AT = 4;
const FORMAT_64 = 2;
const TYPE_AT = 16;
const OBJECT_FILE = 1;
const ENTRY_AT = 24;
const SEGMENTS_AT = 32;
const SEGMENT_SIZE_AT = 54;
const SEGMENT_COUNT_AT = 56;
/** A description of a segment: its type is first, and its offset and length in the file are at these places. */
const SEGMENT_BYTES = 56;
const OFFSET_AT = 8;
const LENGTH_AT = 32;
/** The types of the segments that have the path of the loader, and what is loaded. */
const LOADER_SEGMENT = 3;
const LOADED_SEGMENTS: ReadonlySet<number> = new Set([1, LOADER_SEGMENT]);
const LONGEST_PATH = 4096;

/** The first bytes of an open file. */
export function headOf(file: number): Buffer {
  return bytesAt(file, 0n, HEAD_BYTES);
}

/** The interpreter that the first line of a script names, and its argument; undefined if it names none. */
export function firstLineOf(
  head: Buffer,
): { readonly interpreter: string; readonly argument: string } | undefined {
  const [, interpreter, argument = ''] =
    /^#![ \t]*([^ \t\n]+)[ \t]*([^\n]*)/.exec(head.toString('latin1')) ?? [];
  return interpreter === undefined ? undefined : { interpreter, argument };
}

/** Whether Linux reads only a part of the interpreter that a first line names, and starts nothing (ENOEXEC). It cuts an argument without a word. */
export function isCutLine(head: Buffer): boolean {
  return head.length === HEAD_BYTES && /^#![ \t]*[^ \t\n]+$/.test(head.toString('latin1'));
}

/** Whether a file with these first bytes is an ELF file. */
export function isElf(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === '\u007fELF';
}

/** What a script that runs in the folder `from` needs and this machine does not have, in words. `env` searches its argument in `searchPath`. */
export function missingForScript(
  { interpreter, argument }: { readonly interpreter: string; readonly argument: string },
  searchPath: string | undefined,
  from: string,
): string | undefined {
  const path = resolve(from, interpreter);
  if (!existsSync(path)) return `its first line names ${absent(interpreter)}`;
  if (!isStartable(path))
    return `its first line names ${excerpt(interpreter)}, which is not executable on this machine`;
  const [, name] = /^(?:-S[ \t]*)?([^-\s=/][^\s=/]*)(?:\s|$)/.exec(argument) ?? [];
  if (!interpreter.endsWith('/env') || name === undefined || searchPath === undefined) {
    return undefined;
  }
  const folders = searchPath.split(':');
  if (folders.some((folder) => existsSync(join(folder, name)))) return undefined;
  return `its first line names ${excerpt(name)}, which is in no folder of PATH (${excerpt(searchPath)})`;
}

/** The loader that an ELF file of 64 bits needs and this machine does not have, in words. */
export function missingForElf(file: number): string | undefined {
  const loader = loaderOf(file);
  return loader === undefined || existsSync(loader) ? undefined : `it needs ${absent(loader)}`;
}

/** Whether this process may start the file. */
function isStartable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function absent(path: string): string {
  return `${excerpt(path)}, which this machine does not have`;
}

/** The path of the loader; undefined for a program that needs none. */
function loaderOf(file: number): string | undefined {
  const found = segmentsOf(file).find(({ type }) => type === LOADER_SEGMENT);
  if (!found) return undefined;
  const length = Math.min(Number(found.length), LONGEST_PATH);
  return bytesAt(file, found.offset, length).toString('latin1').split('\0', 1).join('');
}

/** How an ELF file of 64 bits is cut off, in words; undefined if it has all that is loaded of it. */
export function cutElf(file: number): string | undefined {
  const { size } = fstatSync(file);
  const { end } = tableOf(file);
  const loaded = segmentsOf(file).filter(({ type }) => LOADED_SEGMENTS.has(type));
  const needed = loaded.reduce((most, one) => {
    const last = one.offset + one.length;
    return last > most ? last : most;
  }, end);
  if (needed <= BigInt(size)) return undefined;
  return `it is cut off: it has ${size} bytes, and needs ${needed}`;
}

/** Why an ELF file of 64 bits is no program, in words; undefined if it is one. */
export function noProgram(file: number): string | undefined {
  const head = headOf(file);
  if (head.length < HEADER_BYTES || head[FORMAT_AT] !== FORMAT_64) return undefined;
  if (head.readUInt16LE(TYPE_AT) === OBJECT_FILE) return 'it is an object file, not linked';
  const isLibrary = head.readBigUInt64LE(ENTRY_AT) === 0n;
  return isLibrary ? 'it is a shared library: no address is named at which it starts' : undefined;
}

interface Segment {
  readonly type: number;
  readonly offset: bigint;
  readonly length: bigint;
}

/** The segments whose descriptions the file has. */
function segmentsOf(file: number): Segment[] {
  const { start, end } = tableOf(file);
  const table = bytesAt(file, start, Number(end - start));
  const count = Math.floor(table.length / SEGMENT_BYTES);
  return Array.from({ length: count }, (_, place) => {
    const one = table.subarray(place * SEGMENT_BYTES);
    const offset = one.readBigUInt64LE(OFFSET_AT);
    return { type: one.readUInt32LE(0), offset, length: one.readBigUInt64LE(LENGTH_AT) };
  });
}

/** Where the descriptions of the segments are; of no length if there are none of the known size. */
function tableOf(file: number): { readonly start: bigint; readonly end: bigint } {
  const head = headOf(file);
  if (head.length < HEADER_BYTES) return { start: 0n, end: BigInt(HEADER_BYTES) };
  if (head.readUInt16LE(SEGMENT_SIZE_AT) !== SEGMENT_BYTES) return { start: 0n, end: 0n };
  const start = head.readBigUInt64LE(SEGMENTS_AT);
  return { start, end: start + BigInt(head.readUInt16LE(SEGMENT_COUNT_AT) * SEGMENT_BYTES) };
}

/** Fewer bytes at the end of the file. */
function bytesAt(file: number, position: bigint, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  // No file is as long as what a wrong header may say.
  if (position > BigInt(Number.MAX_SAFE_INTEGER)) return bytes.subarray(0, 0);
  return bytes.subarray(0, readSync(file, bytes, 0, length, Number(position)));
}
