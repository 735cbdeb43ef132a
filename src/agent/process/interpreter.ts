import { existsSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { excerpt } from '../../core/text/quote.ts';

/** Longer than the first line of any script that Linux starts, and than the header of an ELF file. */
const HEAD_BYTES = 256;
/** An ELF file of 64 bits: where its header says where its segments are described, and how many there are. */
const SEGMENTS_AT = 32;
const SEGMENT_SIZE_AT = 54;
const SEGMENT_COUNT_AT = 56;
/** A description of a segment: its type is first, and its offset and length in the file are at these places. */
const SEGMENT_BYTES = 56;
const OFFSET_AT = 8;
const LENGTH_AT = 32;
/** The type of the segment that has the path of the loader. */
const LOADER_SEGMENT = 3;
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

/** What a script that runs in the folder `from` needs and this machine does not have, in words. `env` searches its argument in `searchPath`. */
export function missingForScript(
  { interpreter, argument }: { readonly interpreter: string; readonly argument: string },
  searchPath: string | undefined,
  from: string,
): string | undefined {
  if (!existsSync(resolve(from, interpreter))) return `its first line names ${absent(interpreter)}`;
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

function absent(path: string): string {
  return `${excerpt(path)}, which this machine does not have`;
}

/** The path of the loader; undefined for a program that needs none. */
function loaderOf(file: number): string | undefined {
  const head = headOf(file);
  const isWhole = head.length >= SEGMENT_COUNT_AT + 2;
  if (!isWhole || head.readUInt16LE(SEGMENT_SIZE_AT) !== SEGMENT_BYTES) return undefined;
  const count = head.readUInt16LE(SEGMENT_COUNT_AT);
  const table = bytesAt(file, head.readBigUInt64LE(SEGMENTS_AT), count * SEGMENT_BYTES);
  for (let at = 0; at + SEGMENT_BYTES <= table.length; at += SEGMENT_BYTES) {
    if (table.readUInt32LE(at) !== LOADER_SEGMENT) continue;
    const length = Math.min(Number(table.readBigUInt64LE(at + LENGTH_AT)), LONGEST_PATH);
    const path = bytesAt(file, table.readBigUInt64LE(at + OFFSET_AT), length).toString('latin1');
    return path.split('\0', 1).join('');
  }
  return undefined;
}

/** Fewer bytes at the end of the file. */
function bytesAt(file: number, position: bigint, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  // No file is as long as what a wrong header may say.
  if (position > BigInt(Number.MAX_SAFE_INTEGER)) return bytes.subarray(0, 0);
  return bytes.subarray(0, readSync(file, bytes, 0, length, Number(position)));
}
