import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './process.ts';

const VERDACCIO = '6.10.4';
/** A dependency of verdaccio asks for `node-fetch@cjs`, a tag that not every npm registry has. */
const NODE_FETCH = '2.7.0';
const RELEASES = 10_000;
const START_MS = 60_000;

/** A registry of somebody else on loopback, with a document of 2.7 MB at `large` and a short one at `small`. */
export interface PeerServer {
  readonly name: string;
  readonly child: ChildProcess;
  readonly address: string;
  readonly large: string;
  readonly small: string;
}

/** Installs verdaccio in `folder`, with a package that has 10,000 versions, and starts it. */
export async function startVerdaccio(folder: string): Promise<PeerServer> {
  const dependencies = { verdaccio: VERDACCIO };
  const project = { private: true, dependencies, overrides: { 'node-fetch': NODE_FETCH } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  execFileSync('npm', ['install', '--silent', '--ignore-scripts'], { cwd: folder });
  const storage = join(folder, 'storage');
  for (const [name, count] of [
    ['large', RELEASES],
    ['small', 1],
  ] as const) {
    mkdirSync(join(storage, name), { recursive: true });
    writeFileSync(join(storage, name, 'package.json'), JSON.stringify(packument(name, count)));
  }
  const configuration = join(folder, 'verdaccio.yaml');
  const settings = ["packages: {'**': {access: $all}}", 'web: {enable: false}'];
  const log = 'log: {type: stdout, format: json, level: fatal}';
  writeFileSync(configuration, [`storage: ${storage}`, ...settings, log].join('\n'));
  const address = await freeAddress();
  const script = join(folder, 'node_modules/verdaccio/bin/verdaccio');
  const listen = address.replace('http://', '');
  const child = spawn(process.execPath, [script, '--config', configuration, '--listen', listen], {
    stdio: 'ignore',
  });
  await answering(`${address}/small`);
  return { name: `verdaccio ${VERDACCIO}`, child, address, large: '/large', small: '/small' };
}

function packument(name: string, count: number): object {
  const versions = Array.from({ length: count }, (_, at) => {
    const version = `1.${Math.trunc(at / 100)}.${at % 100}`;
    const tarball = `http://localhost/${name}/-/${name}-${version}.tgz`;
    const shasum = at.toString(16).padStart(40, '0');
    const description = 'The driver of a sensor, with tools to calibrate it and to record data.';
    return [version, { name, version, description, dist: { tarball, shasum } }] as const;
  });
  const latest = versions.at(-1)?.[0];
  const stored = { time: {}, _distfiles: {}, _attachments: {}, _uplinks: {}, _rev: '1' };
  return { name, versions: Object.fromEntries(versions), 'dist-tags': { latest }, ...stored };
}

/** Unpacks Debian's docker-registry in `folder`, without installing it, and starts it with a blob of 2.7 MB. */
export async function startDockerRegistry(folder: string): Promise<PeerServer> {
  const download = 'apt-get download -q docker-registry && dpkg -x docker-registry_*.deb unpacked';
  execFileSync('sh', ['-c', download], { cwd: folder, stdio: 'ignore' });
  const address = await freeAddress();
  const configuration = join(folder, 'registry.yml');
  const storage = `storage: {filesystem: {rootdirectory: ${folder}/data}}`;
  const http = `http: {addr: "${address.replace('http://', '')}"}`;
  const log = 'log: {level: error, accesslog: {disabled: true}}';
  writeFileSync(configuration, ['version: 0.1', storage, http, log].join('\n'));
  const binary = join(folder, 'unpacked/usr/bin/docker-registry');
  const child = spawn(binary, ['serve', configuration], { stdio: 'ignore' });
  await answering(`${address}/v2/`);
  const large = await upload(address, Buffer.alloc(2_700_000, 'modreg'));
  const small = await upload(address, Buffer.from('{}'));
  return { name: 'Debian docker-registry', child, address, large, small };
}

/** Uploads a blob, and returns its path. */
async function upload(address: string, bytes: Buffer<ArrayBuffer>): Promise<string> {
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const begun = await fetch(`${address}/v2/bench/blobs/uploads/`, { method: 'POST' });
  const place = new URL(begun.headers.get('location') ?? '', address);
  place.searchParams.set('digest', digest);
  const done = await fetch(place, { method: 'PUT', body: bytes });
  if (done.status !== 201)
    throw new Error(`docker-registry answered an upload with ${done.status}`);
  return `/v2/bench/blobs/${digest}`;
}

async function freeAddress(): Promise<string> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  server.close();
  return `http://127.0.0.1:${port}`;
}

async function answering(url: string): Promise<void> {
  const end = performance.now() + START_MS;
  for (;;) {
    const status = await ask(url, {}, new Agent()).catch(String);
    if (status === 200) return;
    if (performance.now() > end) throw new Error(`${url} does not answer: ${status}`);
    await sleep(200);
  }
}
