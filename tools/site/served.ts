import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.txt': 'text/plain; charset=utf-8',
};

/** A folder that is served on loopback, compressed as by the usual servers of static files. */
export interface Served {
  readonly origin: string;
  /** The bytes of the bodies that were sent since the last call. */
  takeBytes(): number;
  stop(): void;
}

export async function serve(folder: string): Promise<Served> {
  let bytes = 0;
  const server = createServer(({ url = '/' }, response) => {
    const file = join(folder, new URL(url, 'http://site').pathname);
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const body = gzipSync(readFileSync(file));
    bytes += body.length;
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    response
      .writeHead(200, {
        'content-type': type,
        'content-encoding': 'gzip',
        'cache-control': 'no-store',
      })
      .end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeBytes: () => {
      const taken = bytes;
      bytes = 0;
      return taken;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
