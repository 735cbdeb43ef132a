import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { onLoopback } from '../../mocks/loopback-port.ts';
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

/** Debian's nginx; undefined if there is none. */
const NGINX = process.env['MODREG_NGINX'];

/** A verdaccio for its users alone, behind an nginx that has it at `/npm/`. Returns that address. */
async function verdaccio(context: TestContext): Promise<string> {
  needs(context, PROGRAM !== undefined, 'there is no verdaccio: set MODREG_VERDACCIO');
  needs(context, NGINX !== undefined, 'there is no nginx: set MODREG_NGINX');
  const [inner, front] = [await freeAddress(), await freeAddress()];
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
  const env = { ...process.env, VERDACCIO_PUBLIC_URL: `${front}/npm/` };
  const child = spawn(process.execPath, args, { stdio: 'ignore', env });
  onTestFinished(() => void child.kill());
  startNginx(folder, front, inner);
  await expect.poll(async () => await isUp(`${front}/npm`), { timeout: 60_000 }).toBe(true);
  return `${front}/npm`;
}

async function freeAddress(): Promise<string> {
  const free = await onLoopback(createServer());
  free.close();
  return `http://127.0.0.1:${free.port}`;
}

/** nginx decodes `%2f` in a path that it maps, as many proxies do. */
function startNginx(folder: string, front: string, inner: string): void {
  const { host } = new URL(front);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder}/nginx-${one};`,
  );
  const text = `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log;
events {}
http {
  access_log off;
  ${temporary.join(' ')}
  server {
    listen ${host};
    location /npm/ { proxy_pass ${inner}/; proxy_set_header Host ${host}; }
  }
}
`;
  writeFileSync(`${folder}/nginx.conf`, text);
  const child = spawn(NGINX ?? '', ['-c', `${folder}/nginx.conf`, '-p', folder], {
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill());
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

it('[T434] verdaccio behind nginx: scoped, for its users, at a path: list, age, digest and file', async (context) => {
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
