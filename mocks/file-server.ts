/*
 * Stands in for the web server of a release's file, which modreg asks for the rest of a file after a connection broke.
 *
 * - `Range: bytes=<first>-` is answered with 206, `Content-Range: bytes <first>-<last>/<size>` and those bytes. (RFC 9110, sections
 *   14.2, 14.4 and 15.3.7)
 * - A first byte at or after the end is 416, with the size in `Content-Range`. (RFC 9110, section 15.5.17)
 *
 * On a real socket: connections break in the middle of a file, and large files arrive in pieces.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { plainServer, type PlainServer } from './plain-server.ts';

/** What a release lists of a file. */
interface ListedFile {
  readonly platform: string;
  readonly url: string | undefined;
  readonly digest: string;
  readonly size: number;
}

/** A server of one file, which may answer differently each time. */
interface FileServer extends PlainServer {
  readonly artifact: ListedFile;
  /** The `Range` of each request; `whole` without one. */
  readonly ranges: readonly string[];
}

const SEEN_MS = 50;

/** How a request is answered. */
export type FileAnswer = (response: ServerResponse, request: IncomingMessage) => void;

export function artifactOf(file: Buffer, url?: string): ListedFile {
  const digest = `sha256:${createHash('sha256').update(file).digest('hex')}`;
  return { platform: 'linux/amd64', url, digest, size: file.length };
}

/** Serves `file`, with ranges. The first requests get the answers in `first` instead. */
export async function fileServer(
  file: Buffer,
  first: readonly FileAnswer[] = [],
): Promise<FileServer> {
  const answers = [...first];
  const ranges: string[] = [];
  const server = await plainServer((response, request) => {
    ranges.push(request.headers.range ?? 'whole');
    (answers.shift() ?? whole(file))(response, request);
  });
  return { ...server, ranges, artifact: artifactOf(file, `${server.address}/lidar.tgz`) };
}

interface Part {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** The response to a request for `file` with this `Range` header. */
export function partOf(file: Buffer, range: string | null | undefined): Part {
  const [, from] = /^bytes=(\d+)-$/.exec(range ?? '') ?? [];
  const first = Number(from ?? 0);
  const bytes = file.subarray(first);
  if (from === undefined) {
    return { status: 200, headers: { 'content-length': `${bytes.length}` }, bytes };
  }
  if (first >= file.length) {
    return { status: 416, headers: { 'content-range': `bytes */${file.length}` }, bytes };
  }
  const place = `bytes ${first}-${file.length - 1}/${file.length}`;
  const headers = { 'content-range': place, 'content-length': `${bytes.length}` };
  return { status: 206, headers, bytes };
}

/** Answers with the whole file, or with a range of it. */
export function whole(file: Buffer): FileAnswer {
  return (response, request) => {
    const { status, headers, bytes } = partOf(file, request.headers.range);
    response.writeHead(status, headers).end(bytes);
  };
}

/** Sends so many bytes of what was asked for, and breaks the connection. */
export function breaksAfter(file: Buffer, count: number): FileAnswer {
  return (response, request) => {
    const { status, headers, bytes } = partOf(file, request.headers.range);
    response.writeHead(status, headers);
    // A client may not see bytes that arrive together with the end of the connection.
    response.write(bytes.subarray(0, count), () => {
      setTimeout(() => response.destroy(), SEEN_MS);
    });
  };
}
