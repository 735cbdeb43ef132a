/*
 * What a hostile or broken server sends instead of a list, byte by byte. (docs/design/faults.md, T36 to T44)
 *
 * - A body ends after `Content-Length` bytes, after a chunk of size 0, or with the connection; all else is incomplete. (RFC 9112,
 *   sections 6.3, 7.1 and 8)
 * - A body may be compressed, several times in a row. (RFC 9110, section 8.4)
 */
import type { Socket } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';

/** Responds to a request on a connection. `request` is the first line of the request. */
export type WireFault = (socket: Socket, request: string) => void;

const MIB = 1024 * 1024;
const DOCUMENT =
  '{"module_id":"acme:lidar","generation":57,"count":1,"releases":[{"version":"1.2.3"}]}';

/** The head of a JSON response, with extra header lines. */
function head(...lines: readonly string[]): string {
  return ['HTTP/1.1 200 OK', 'content-type: application/json', ...lines, '', ''].join('\r\n');
}

function body(bytes: Uint8Array | string, ...lines: readonly string[]): WireFault {
  const content = Buffer.from(bytes);
  return (socket) => {
    socket.write(head(`content-length: ${content.length}`, ...lines));
    socket.write(content);
  };
}

/** Sends `part` every `ms` milliseconds until the connection closes. */
function dripping(start: string, part: string | Uint8Array, ms: number): WireFault {
  return (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(part), ms);
    socket.on('close', () => clearInterval(timer));
  };
}

/** Sends `part` repeatedly, as fast as the client accepts it. */
function pouring(start: string, part: Uint8Array | string): WireFault {
  return (socket) => {
    socket.write(start);
    const pour = (): void => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.on('drain', pour);
    pour();
  };
}

function sending(text: string): WireFault {
  return (socket) => void socket.write(text);
}

function ending(text: string): WireFault {
  return (socket) => void socket.end(text);
}

function resetting(text: string): WireFault {
  return (socket) => {
    if (text === '') socket.resetAndDestroy();
    else socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 20));
  };
}

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** Spaces, which compress very well. */
function blanks(mebibytes: number): Buffer {
  return Buffer.alloc(mebibytes * MIB, ' ');
}

/** 300 MiB in 10 KiB for each ten: what decompresses it reads the parts as one. RFC 1952, 2.2 */
function bomb(): Buffer {
  const part = gzipSync(blanks(10));
  return Buffer.concat(Array.from({ length: 30 }, () => part));
}

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const CHUNKED = head('transfer-encoding: chunked');

export const HONEST: WireFault = body(DOCUMENT, 'etag: "57"', 'connection: close');

/** Responses that would exhaust the memory. [T36] [T37] */
export const FLOODS: Readonly<Record<string, () => WireFault>> = {
  '[T36] a gzip bomb': () => body(bomb(), 'content-encoding: gzip'),
  '[T36] a deflate bomb': () => body(deflateSync(blanks(64)), 'content-encoding: deflate'),
  '[T36] a brotli bomb': () => body(brotliCompressSync(blanks(64), FAST), 'content-encoding: br'),
  '[T36] nested encodings': () =>
    body(gzipSync(gzipSync(blanks(64))), 'content-encoding: gzip, gzip'),
  '[T36] a token bomb in gzip': () =>
    body(gzipSync(`[${'{},'.repeat(20 * MIB)}{}]`), 'content-encoding: gzip'),
  '[T37] 2 MiB of {}': () => body(`[${'{},'.repeat((2 * MIB) / 3)}{}]`),
  '[T37] 2 MiB of []': () => body(`[${'[],'.repeat((2 * MIB) / 3)}[]]`),
  '[T37] a million numbers': () => body(`[${'1.5,'.repeat(1_000_000)}0]`),
  '[T37] brackets a million deep': () => body('['.repeat(1_000_000)),
  '[T37] the maximum number of objects': () => body(`[${'{},'.repeat(124_990)}{}]`),
  '[T37] the maximum number of strings': () =>
    body(`[${Array.from({ length: 249_990 }, (_, n) => `"${n + 1e6}"`).join()}]`),
  '[T37] an endless body in chunks': () => pouring(CHUNKED, chunk('[" '.padEnd(65_536, 'x'))),
  '[T37] an endless body without a length': () => pouring(head(), ' '.repeat(65_536)),
  '[T37] an endless body of tokens': () => pouring(head(), '[],'.repeat(20_000)),
  '[T37] a length of 10 GB': () => pouring(head('content-length: 10000000000'), ' '.repeat(65_536)),
  '[T37] a header of 64 KB': () => sending(head(`x: ${'x'.repeat(65_536)}`)),
  '[T37] 10,000 headers': () =>
    sending(head(...Array.from({ length: 10_000 }, (_, n) => `x${n}: y`))),
  '[T37] a header without end': () => pouring('HTTP/1.1 200 OK\r\n', 'x: y\r\n'.repeat(1000)),
};

/** Responses that take too long. [T38] [T39] */
export const STALLS: Readonly<Record<string, () => WireFault>> = {
  '[T38] a byte at a time': () => dripping(head(), ' ', 50),
  '[T38] fast enough, but endless': () => dripping(head(), ' '.repeat(1024), 20),
  '[T39] silence': () => () => undefined,
  '[T39] silence after the status': () => sending('HTTP/1.1 200 OK\r\n'),
  '[T39] silence in the header': () => sending('HTTP/1.1 200 OK\r\ncontent-type: appl'),
  '[T39] a header that drips': () => dripping('HTTP/1.1 200 OK\r\n', 'x: y\r\n', 50),
  '[T39] silence after the header': () => sending(head('content-length: 100')),
  '[T39] silence in the body': () => sending(`${head('content-length: 100')}{"releases":`),
  '[T39] silence in a chunk': () => sending(`${CHUNKED}64\r\n{"releases":`),
};

/** Responses that break off or are not HTTP. [T40] */
export const BREAKS: Readonly<Record<string, () => WireFault>> = {
  '[T40] a reset': () => resetting(''),
  '[T40] a reset in the header': () => resetting('HTTP/1.1 200 OK\r\n'),
  '[T40] a reset in the body': () => resetting(`${head('content-length: 100')}{"releases":`),
  '[T40] an end before the answer': () => ending(''),
  '[T40] an end in the header': () => ending('HTTP/1.1 200 OK\r\ncontent-type: appl'),
  '[T40] an end in the body': () => ending(`${head('content-length: 100')}${DOCUMENT}`),
  '[T40] an end in a chunk': () => ending(`${CHUNKED}64\r\n{"releases":`),
  '[T40] an end before the last chunk': () => ending(`${CHUNKED}${chunk(DOCUMENT)}`),
  '[T40] a chunk without a size': () => ending(`${CHUNKED}xyz\r\n${DOCUMENT}\r\n0\r\n\r\n`),
  '[T40] an end in the body of HTTP/1.0': () =>
    ending(`HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n{"releases":[`),
  '[T40] an end in gzip': () => {
    const half = gzipSync(DOCUMENT.repeat(50)).subarray(0, 60);
    return (socket) => {
      socket.write(head('content-encoding: gzip'));
      socket.end(half);
    };
  },
  '[T40] a status that is not a number': () => ending('HTTP/1.1 abc OK\r\n\r\n'),
  '[T40] no HTTP at all': () => ending('220 mail.example ESMTP\r\n'),
};

/** Responses whose headers contradict the body. */
export const LIES: Readonly<Record<string, () => WireFault>> = {
  '[T37] a length that is too small': () =>
    ending(`${head('content-length: 10', 'connection: close')}${DOCUMENT}`),
  '[T36] gzip without gzip data': () => body(DOCUMENT, 'content-encoding: gzip'),
  '[T44] two lengths': () =>
    ending(`${head('content-length: 10', `content-length: ${DOCUMENT.length}`)}${DOCUMENT}`),
  'UTF-16': () => body(Buffer.from(DOCUMENT, 'utf16le')),
  'a byte order mark': () => body(`\ufeff${DOCUMENT}`),
};
