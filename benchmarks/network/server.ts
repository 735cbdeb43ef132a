/* The registry of `npm run bench -- network`: prints its address, and responds from memory. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const RELEASES = 10_000;

function artifact(platform: string, at: number): object {
  return {
    platform,
    url: `https://modules.example/${platform}/${at}.tar.gz`,
    digest: `sha256:${at.toString(16).padStart(64, '0')}`,
    size: at,
  };
}

function documentOf(module: string, generation: number, count: number): string {
  const releases = Array.from({ length: count }, (_, at) => ({
    version: `1.${Math.trunc(at / 100)}.${at % 100}`,
    published_at: '2026-01-02T03:04:05Z',
    artifacts: [artifact('linux/amd64', at), artifact('linux/arm64', at)],
    yanked: null,
  }));
  return JSON.stringify({ module_id: module, generation, count, releases });
}

const small = documentOf('bench:small', 1, 50);
let generation = 1;
let large = documentOf('bench:large', generation, RELEASES);
// Each line on stdin increments the generation of the large list, and is acknowledged on stdout.
process.stdin.on('data', () => {
  generation++;
  large = documentOf('bench:large', generation, RELEASES);
  console.log('done');
});
const server = createServer((request, response) => {
  if (request.headers['if-none-match'] === '"small"') {
    response.writeHead(304).end();
    return;
  }
  const isSmall = request.url?.endsWith('small') ?? false;
  const etag = isSmall ? '"small"' : `"${generation}"`;
  response
    .writeHead(200, { 'content-type': 'application/json', etag })
    .end(isSmall ? small : large);
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
