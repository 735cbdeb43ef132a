import type { FileHandle } from 'node:fs/promises';
import { machineOf, type Machine } from './elf.ts';

/** What a downloaded file is, by its first bytes. */
export type FileType =
  | { readonly kind: 'archive'; readonly compression: 'gzip' | 'zstd' }
  | { readonly kind: 'program'; readonly machine: Machine }
  /** `name` is what it is, in words. */
  | { readonly kind: 'other'; readonly name: string };

const HEAD_BYTES = 512;

/** A frame of zstd, or one without content, which pzstd writes first (RFC 8878, 3.1). */
const ZSTD = /^(?:28b52ffd|5[0-9a-f]2a4d18)/;

/** Other types, so that a message can name them: the first bytes as hexadecimal digits. */
const OTHERS: readonly (readonly [start: string, name: string])[] = [
  ['504b0304', 'a zip archive'],
  ['fd377a585a00', 'an archive compressed with xz'],
  ['425a68', 'an archive compressed with bzip2'],
  ['377abcaf271c', 'a 7z archive'],
  ['213c617263683e', 'a Debian package'],
  ['edabeedb', 'an RPM package'],
  ['2321', 'a script'],
  ['4d5a', 'a program for Windows'],
  ['cffaedfe', 'a program for macOS'],
  ['7b', 'JSON'],
];

/** The type of a file by its magic bytes; its name and its media type say nothing. */
export async function typeOf(file: FileHandle): Promise<FileType> {
  const head = await headOf(file);
  const hex = head.toString('hex');
  if (hex.startsWith('1f8b08')) return { kind: 'archive', compression: 'gzip' };
  if (ZSTD.test(hex)) return { kind: 'archive', compression: 'zstd' };
  const machine = machineOf(head);
  if (machine !== undefined) return { kind: 'program', machine };
  return { kind: 'other', name: nameOf(head, hex) };
}

function nameOf(head: Buffer, hex: string): string {
  if (head.length === 0) return 'empty';
  if (head.toString('latin1', 257, 262) === 'ustar') return 'a tar archive without compression';
  if (isMarkup(head)) return 'a web page';
  return OTHERS.find(([start]) => hex.startsWith(start))?.[1] ?? 'of an unknown type';
}

/** Whether a server sent a page of HTML instead of a file. */
export async function isWebPage(file: FileHandle): Promise<boolean> {
  return isMarkup(await headOf(file));
}

function isMarkup(head: Buffer): boolean {
  return /^(?:\ufeff)?\s*<(?:!doctype|html|head|body|script|meta|\?xml)/i.test(head.toString());
}

async function headOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
