/*
 * A server for the load generator: `node server.ts <bare|registry> <file>`. Prints its address, and for each
 * line on stdin the heap after garbage collection, in MiB; for the line `cpu` the CPU time until then, in microseconds.
 */
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Catalogue } from '../../src/server/catalogue/catalogue.ts';
import { serveRegistry } from '../../src/server/serve.ts';
import { moduleId } from '../parsed.ts';

const [, , kind, path = ''] = process.argv;

function bareServer(): void {
  const catalogue = new Catalogue(path);
  const document = catalogue.document(moduleId('bench:large'));
  catalogue.close();
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/small') === true) {
      response.end('{}');
    } else if (request.headers['if-none-match'] !== undefined) {
      response.writeHead(304, { etag: document?.etag ?? '' });
      response.end();
    } else {
      response.writeHead(200, { 'content-type': 'application/json', etag: document?.etag ?? '' });
      response.end(document?.bytes);
    }
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${Object(server.address()).port}`);
  });
}

async function registryServer(): Promise<void> {
  const catalogue = new Catalogue(path);
  const place = { host: '127.0.0.1', port: 0 };
  const { address } = await serveRegistry(catalogue, place, { spreadMs: 0 });
  console.log(address);
}

createInterface(process.stdin).on('line', (line) => {
  if (line === 'cpu') {
    const { user, system } = process.cpuUsage();
    console.log(user + system);
    return;
  }
  globalThis.gc?.();
  globalThis.gc?.();
  console.log((process.memoryUsage().heapUsed / 2 ** 20).toFixed(1));
});
if (kind === 'bare') bareServer();
else await registryServer();
