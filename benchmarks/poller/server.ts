/*
 * The registry of `npm run bench -- poller`: `node server.ts <file> <modules> <releases>`. Prints its address,
 * and publishes a release for each line on stdin, `<module> <version>`.
 */
import { createInterface } from 'node:readline';
import { Catalogue, readRelease, serveRegistry, type PublishedRelease } from 'modreg/server';
import { moduleId } from '../parsed.ts';

const [, , path = '', modules = '0', releases = '0'] = process.argv;

function release(version: string, size: number): PublishedRelease {
  const url = `https://modules.example/${version}.tar.gz`;
  const digest = `sha256:${size.toString(16).padStart(64, '0')}`;
  const artifacts = [{ platform: 'linux/arm64', url, digest, size }];
  const read = readRelease({ version, artifacts });
  if (!read.ok) throw new Error(read.error.join());
  return read.value;
}

const catalogue = new Catalogue(path, { mode: 'create' });
const first = Array.from({ length: Number(releases) }, (_, at) => {
  return release(`1.${Math.trunc(at / 100)}.${at % 100}`, at);
});
for (let at = 0; at < Number(modules); at++) {
  catalogue.publishAll(moduleId(`bench:m${at}`), first, 0);
}
const place = { host: '127.0.0.1', port: 0 };
const running = await serveRegistry(catalogue, place, { spreadMs: 0 });
console.log(running.address);
for await (const line of createInterface(process.stdin)) {
  const [module = '', version = ''] = line.split(' ');
  catalogue.publish(moduleId(module), release(version, 1), Date.now());
}
// stdin has closed, so the parent process has ended.
process.exit();
