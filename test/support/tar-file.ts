import { gzipSync } from 'node:zlib';

/** An entry of an archive. What is absent is as GNU tar writes it for a file. */
export interface TarMember {
  readonly name: string;
  readonly type?: string;
  readonly mode?: number;
  readonly content?: string | Buffer;
  /** Another size than that of the content. */
  readonly size?: number;
  readonly target?: string;
  readonly prefix?: string;
  /** Changes the header before its checksum is computed. */
  readonly change?: (header: Buffer) => void;
  /** Changes the header after its checksum is computed. */
  readonly damage?: (header: Buffer) => void;
}

const BLOCK = 512;
/** What ends an archive. */
export const END: Buffer = Buffer.alloc(2 * BLOCK);

/** The blocks of one entry: its header and its content. */
export function member(entry: TarMember): Buffer {
  const { name, type = '0', mode = 0o644, target = '', prefix = '', change, damage } = entry;
  const content = Buffer.from(entry.content ?? '');
  const size = entry.size ?? content.length;
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write(`${octal(mode, 7)}\0`, 100);
  header.write(`${octal(0, 7)}\0${octal(0, 7)}\0`, 108);
  header.write(`${octal(size, 11)}\0${octal(0, 11)}\0`, 124);
  header.write(type, 156);
  header.write(target, 157, 100);
  header.write('ustar\x0000', 257);
  header.write(prefix, 345, 155);
  change?.(header);
  header.fill(' ', 148, 156);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  damage?.(header);
  return Buffer.concat([header, content, Buffer.alloc(-content.length & (BLOCK - 1))]);
}

function octal(number: number, digits: number): string {
  return number.toString(8).padStart(digits, '0');
}

/** An extended header with these records, which applies to the entry after it. */
export function extension(records: Readonly<Record<string, string>>, type = 'x'): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(rest) + 1;
    while (`${length}${rest}`.length !== length) length = Buffer.byteLength(`${length}${rest}`);
    return `${length}${rest}`;
  });
  return member({ name: 'PaxHeader', type, content: lines.join('') });
}

/** A complete archive, not compressed. */
export function tarOf(...members: readonly (TarMember | Buffer)[]): Buffer {
  return Buffer.concat([...members.map((one) => (Buffer.isBuffer(one) ? one : member(one))), END]);
}

/** A package with one program, compressed with gzip. */
export function packageFile(...more: readonly (TarMember | Buffer)[]): Buffer {
  return gzipSync(tarOf(...PROGRAM, ...more));
}

/** What every package needs. */
export const PROGRAM: readonly TarMember[] = [
  { name: 'meta.json', content: '{"entrypoint":"bin/lidar"}' },
  { name: 'bin/lidar', mode: 0o755, content: '#!/bin/sh\necho lidar\n' },
];
