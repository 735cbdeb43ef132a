import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { onLoopback } from '../../mocks/loopback-port.ts';
import { served } from '../../mocks/network.ts';
import { fetchArtifact } from '../../src/agent/index.ts';
import { secret } from '../../src/core/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { needs } from '../support/prerequisite.ts';
import { LIDAR, remembered } from './support/remembered.ts';

/** The program of verdaccio, an npm registry; undefined if there is none. */
const PROGRAM = process.env['MODREG_VERDACCIO'];

const PAIR = 'bob:pass-word';
const BASIC = Buffer.from(PAIR).toString('base64');
const FILE = Buffer.from('a program');

/** A verdaccio for its users alone, behind a server that has it at `/npm/`. Returns that address. */
async function verdaccio(context: TestContext): Promise<string> {
  needs(context, PROGRAM !== undefined, 'there is no verdaccio: set MODREG_VERDACCIO');
  const free = await onLoopback(createServer());
  free.close();
  const inner = `http://127.0.0.1:${free.port}`;
  const front = await served(async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = request.method === 'PUT' ? await request.text() : null;
    const { method, headers } = request;
    const answer = await fetch(`${inner}${pathname.replace(/^\/npm/, '')}${search}`, {
      method,
      headers,
      body,
    });
    const type = answer.headers.get('content-type') ?? 'text/plain';
    return new Response(await answer.bytes(), {
      status: answer.status,
      headers: { 'content-type': type },
    });
  });
  const folder = temporaryFolder();
  const access = { access: '$authenticated', publish: '$authenticated' };
  const config = {
    storage: `${folder}/storage`,
    auth: { htpasswd: { file: `${folder}/htpasswd` } },
    packages: { '@*/*': access, '**': access },
    log: { type: 'stdout', format: 'json', level: 'fatal' },
  };
  // YAML has JSON.
  writeFileSync(`${folder}/config.yaml`, JSON.stringify(config));
  const args = [PROGRAM ?? '', '--config', `${folder}/config.yaml`, '--listen', inner];
  const env = { ...process.env, VERDACCIO_PUBLIC_URL: front };
  const child = spawn(process.execPath, args, {
    stdio: 'ignore',
    env: { ...env, VERDACCIO_URL_PREFIX: '/npm/' },
  });
  onTestFinished(() => void child.kill());
  await expect.poll(async () => await isUp(inner), { timeout: 60_000 }).toBe(true);
  return `${front}/npm`;
}

async function isUp(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/-/ping`)).ok;
  } catch {
    return false;
  }
}

async function put(url: string, body: object, authorization?: string): Promise<unknown> {
  const headers = new Headers({ 'content-type': 'application/json' });
  if (authorization !== undefined) headers.set('authorization', authorization);
  const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`PUT ${url}: ${response.status} ${await response.text()}`);
  return await response.json();
}

/** Adds the user. Returns its token. (npm, "npm login") */
async function signUp(address: string): Promise<string> {
  const [name = '', password = ''] = PAIR.split(':');
  const answer = await put(`${address}/-/user/org.couchdb.user:${name}`, { name, password });
  return String(Object(answer).token);
}

/** Publishes `@acme/lidar` as `npm publish` does. */
async function publish(address: string, version: string, token: string): Promise<void> {
  const name = '@acme/lidar';
  const tarball = `${name}-${version}.tgz`;
  const integrity = `sha512-${createHash('sha512').update(FILE).digest('base64')}`;
  const dist = { tarball: `${address}/${name}/-/${tarball}`, integrity };
  const data = FILE.toString('base64');
  const attachment = { content_type: 'application/octet-stream', data, length: FILE.length };
  const body = {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { name, version, dist } },
    _attachments: { [tarball]: attachment },
  };
  await put(`${address}/@acme%2flidar`, body, `Bearer ${token}`);
}

it('[T434] verdaccio: scoped, for its users, at a path: list, age, digest and file', async (context) => {
  const address = await verdaccio(context);
  const token = await signUp(address);
  await publish(address, '1.0.0', token);
  await publish(address, '1.1.0', token);
  const { host, pathname } = new URL(address);
  const said = async (line: string): Promise<string> => {
    const HOME = temporaryFolder();
    const lines = [`@acme:registry=${address}/`, `//${host}${pathname}/:${line}`];
    writeFileSync(`${HOME}/.npmrc`, lines.join('\n'), { mode: 0o600 });
    const command = ['resolve', 'acme:lidar', '1.*', '--registry', 'npm:'];
    const { stdout, stderr } = await inProcess(command, { HOME, PLATFORM_HOME: HOME });
    return stdout === '' ? (stderr.split('\n')[0] ?? '') : stdout;
  };
  expect([await said(`_authToken=${token}`), await said(`_auth=${BASIC}`)]).toEqual([
    '1.1.0\n',
    '1.1.0\n',
  ]);
  expect(await said('always-auth=true')).toContain('error[REGISTRY_REFUSED]');

  const given = (): ReturnType<typeof secret> => secret(token);
  const { registry } = remembered(`npm:${address}`, { token: given });
  const { records } = await registry.read(LIDAR);
  const newest = Array.from(records).find(({ version }) => version === '1.1.0');
  const [artifact] = newest?.artifacts ?? [];
  if (!artifact) throw new Error('expected a file');
  const path = `${temporaryFolder()}/lidar.tgz`;
  const fetched = await fetchArtifact(artifact, path, { token: given });
  expect([typeof newest?.publishedAt, fetched.ok && fetched.value.isVerified]).toEqual([
    'number',
    true,
  ]);
  expect(readFileSync(path)).toEqual(FILE);
});
