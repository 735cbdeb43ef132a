import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Artifact } from '../../src/core/index.ts';
import { byteRange } from '../../src/server/artifacts/byte-range.ts';
import { plainServer, type PlainServer } from './plain-server.ts';

/** A server of one file, which may answer differently each time. */
export interface PackageServer extends PlainServer {
  /** What the file is listed as. */
  readonly artifact: Artifact;
  /** The `Range` of each request; `whole` without one. */
  readonly ranges: readonly string[];
}

const SEEN_MS = 50;

/** How a request is answered. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** The artifact of a file. */
export function artifactOf(file: Buffer, url?: string): Artifact {
  const digest = `sha256:${createHash('sha256').update(file).digest('hex')}`;
  return { platform: 'linux/amd64', url, digest, size: file.length };
}

/** Serves `file`, with ranges. The first requests get the answers in `first` instead. */
export async function packageServer(
  file: Buffer,
  first: readonly Answer[] = [],
): Promise<PackageServer> {
  const answers = [...first];
  const ranges: string[] = [];
  const server = await plainServer((response, request) => {
    ranges.push(request.headers.range ?? 'whole');
    (answers.shift() ?? whole(file))(response, request);
  });
  return { ...server, ranges, artifact: artifactOf(file, `${server.address}/lidar.tgz`) };
}

/** Answers with the whole file, or with a range of it. */
export function whole(file: Buffer): Answer {
  return (response, request) => {
    const range = byteRange(request.headers.range, file.length);
    if (range === 'none') {
      response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end();
    } else if (range === 'whole') {
      response.writeHead(200, { 'content-length': file.length }).end(file);
    } else {
      const { first, last } = range;
      const place = `bytes ${first}-${last}/${file.length}`;
      const part = file.subarray(first, last + 1);
      response.writeHead(206, { 'content-range': place, 'content-length': part.length }).end(part);
    }
  };
}

/** Sends so many bytes of what was asked for, and breaks the connection. */
export function breaksAfter(file: Buffer, bytes: number): Answer {
  return (response, request) => {
    const range = byteRange(request.headers.range, file.length);
    const { first, last } = typeof range === 'object' ? range : { first: 0, last: file.length - 1 };
    const place = `bytes ${first}-${last}/${file.length}`;
    response.writeHead(first > 0 ? 206 : 200, {
      'content-length': last + 1 - first,
      ...(first > 0 ? { 'content-range': place } : {}),
    });
    // A client may not see bytes that arrive together with the end of the connection.
    response.write(file.subarray(first, first + bytes), () => {
      setTimeout(() => response.destroy(), SEEN_MS);
    });
  };
}
