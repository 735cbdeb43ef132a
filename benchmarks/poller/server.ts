/*
 * The registry of `npm run bench -- poller`: `node server.ts <file> <modules> <releases> [signed]`. Prints its address, and the
 * digest of its trust document if it is signed, and publishes a release for each line on stdin, `<module> <version>`.
 */
import { createInterface } from 'node:readline';
import { readRelease, type PublishedRelease } from 'modreg/server';
import { Catalogue } from '../../src/server/catalogue/catalogue.ts';
import { serveRegistry } from '../../src/server/serve.ts';
import { moduleId } from '../parsed.ts';
import { storeTrust } from '../signing.ts';

const [, , path = '', modules = '0', releases = '0', kind = ''] = process.argv;
const AT = '2026-01-01T00:00:00Z';

function release(module: string, version: string, size: number): PublishedRelease {
  const url = `https://modules.example/${version}.tar.gz`;
  const digest = `sha256:${size.toString(16).padStart(64, '0')}`;
  const artifacts = [{ platform: 'linux/arm64', url, digest, size }];
  const read = readRelease({ version, published_at: AT, artifacts });
  if (!read.ok) throw new Error(read.error.join());
  return signing ? signing.sign(module, read.value) : read.value;
}

const catalogue = new Catalogue(path, { mode: 'create' });
const signing = kind === 'signed' ? storeTrust(catalogue) : undefined;
const first = (module: string) =>
  Array.from({ length: Number(releases) }, (_, at) =>
    release(module, `1.${Math.trunc(at / 100)}.${at % 100}`, at),
  );
for (let at = 0; at < Number(modules); at++) {
  catalogue.publishAll(moduleId(`bench:m${at}`), first(`bench:m${at}`), Date.parse(AT));
}
const place = { host: '127.0.0.1', port: 0 };
const running = await serveRegistry(catalogue, place, { spreadMs: 0 });
console.log([running.address, signing?.pin ?? ''].join(' '));
for await (const line of createInterface(process.stdin)) {
  const [module = '', version = ''] = line.split(' ');
  catalogue.publish(moduleId(module), release(module, version, 1), Date.now());
}
// stdin has closed, so the parent process has ended.
process.exit();
