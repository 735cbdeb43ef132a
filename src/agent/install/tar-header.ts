import { excerpt } from '../../core/text/quote.ts';
import { wrongRelease } from './install-failure.ts';

/** The bytes of a header, and of every block of content. */
export const BLOCK = 512;

/** A header as it is in the archive. */
export interface TarHeader {
  readonly name: string;
  /** The character that says what the entry is. */
  readonly type: string;
  readonly size: number;
  readonly mode: number;
  /** Where a link leads. */
  readonly target: string;
}

/** What an extended header says instead of the header after it. */
export interface Extension {
  readonly path?: string;
  readonly linkpath?: string;
  readonly size?: string;
}

const LARGEST_NUMBER = Number.MAX_SAFE_INTEGER;

export function badArchive(reason: string): Error {
  return wrongRelease('bad-archive', `the archive ${reason}`);
}

/** Parses a header of ustar, GNU tar or an older tar (POSIX.1, pax). Throws a refusal. */
export function parseHeader(block: Buffer): TarHeader {
  checkSum(block);
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const name = textIn(block.subarray(0, 100));
  const prefix = isPosix ? textIn(block.subarray(345, 500)) : '';
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    type: String.fromCharCode(block[156] ?? 0),
    size: numberIn(block.subarray(124, 136), 'size'),
    mode: numberIn(block.subarray(100, 108), 'mode'),
    target: textIn(block.subarray(157, 257)),
  };
}

/** The text before the first NUL. */
export function textIn(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return utf8(end === -1 ? bytes : bytes.subarray(0, end));
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function utf8(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw badArchive(`has a name that is not UTF-8: ${excerpt(bytes.toString('latin1'))}`);
  }
}

/** Octal digits; or, for a larger number, a byte 0x80 and a binary number, as GNU tar writes it. */
function numberIn(field: Buffer, what: string): number {
  if (field[0] === 0x80) {
    const number = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
    if (number <= LARGEST_NUMBER) return number;
  }
  const text = field.toString('latin1').replace(/^ +/, '');
  const [, digits] = /^([0-7]*)[ \0]*$/.exec(text) ?? [];
  if (digits === undefined) throw badArchive(`has a header whose ${what} is not a number`);
  return Number.parseInt(digits || '0', 8);
}

/** The sum of all bytes, with spaces in place of the sum. Old programs add signed bytes. */
function checkSum(block: Buffer): void {
  const stored = numberIn(block.subarray(148, 156), 'checksum');
  let unsigned = 0;
  let signed = 0;
  for (const [place, byte] of block.entries()) {
    const counted = place >= 148 && place < 156 ? 0x20 : byte;
    unsigned += counted;
    signed += counted > 127 ? counted - 256 : counted;
  }
  if (stored !== unsigned && stored !== signed) {
    throw badArchive('has a header with a wrong checksum');
  }
}

/** Parses the records of an extended header, `19 path=bin/lidar\n` (POSIX.1, pax). Throws a refusal. */
export function parseExtension(content: Buffer): Extension {
  const found: Record<string, string> = {};
  for (let at = 0; at < content.length;) {
    const [, digits = ''] = /^(\d{1,8}) /.exec(content.toString('latin1', at, at + 9)) ?? [];
    const end = at + Number(digits);
    const equals = content.indexOf('=', at + digits.length);
    if (
      digits === '' ||
      end > content.length ||
      content[end - 1] !== 0x0a ||
      equals === -1 ||
      equals >= end
    ) {
      throw badArchive('has an extended header that cannot be parsed');
    }
    const key = content.toString('latin1', at + digits.length + 1, equals);
    if (key.startsWith('GNU.sparse.')) throw badArchive('has a sparse file');
    if (key === 'path' || key === 'linkpath' || key === 'size') {
      found[key] = utf8(content.subarray(equals + 1, end - 1));
    }
    at = end;
  }
  return found;
}
