import type { Result } from '../../core/index.ts';
import type { Located } from './json-document.ts';

/** Text that could not be decoded completely, and the reason. */
export interface Undecodable {
  readonly text: string;
  readonly finding: Located;
}

/** Decodes a document, which must be UTF-8 without a byte order mark. */
export function decode(source: string | Uint8Array): Result<string, Undecodable> {
  const mark = markOf(typeof source === 'string' ? encoded(source.slice(0, 2)) : source);
  if (mark !== undefined) {
    const message = `the document begins with ${mark}, expected plain UTF-8`;
    return { ok: false, error: { text: '', finding: badJson(message, 0) } };
  }
  return typeof source === 'string' ? { ok: true, value: source } : decodeBytes(source);
}

function decodeBytes(bytes: Uint8Array): Result<string, Undecodable> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  // What is not UTF-8 becomes this character, which a document may also contain.
  if (!text.includes('\ufffd')) return { ok: true, value: text };
  const same = encoded(text);
  const first = bytes.findIndex((byte, place) => byte !== same[place]);
  if (first === -1 && same.length === bytes.length) return { ok: true, value: text };
  // Up to here the text encodes to the same bytes.
  const legal = new TextDecoder('utf-8', { ignoreBOM: true }).decode(same.subarray(0, first));
  const offset = legal.replace(/\ufffd$/, '').length;
  return { ok: false, error: { text, finding: badJson('bytes that are not UTF-8', offset) } };
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** How many bytes `text` takes as UTF-8. Browsers have no `Buffer` (D347). */
export function utf8Length(text: string): number {
  return encoded(text).length;
}

function badJson(message: string, offset: number): Located {
  return { kind: 'bad-json', path: [], message, offset };
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'a byte order mark';
  if (first === 0xff && second === 0xfe) return 'a UTF-16 byte order mark';
  if (first === 0xfe && second === 0xff) return 'a UTF-16 byte order mark';
  if (first === 0 || second === 0) return 'a NUL byte, which suggests UTF-16';
  return undefined;
}
