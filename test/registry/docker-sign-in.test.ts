import { spawn } from 'node:child_process';
import { createPrivateKey, randomUUID, sign, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import { onLoopback } from '../../mocks/loopback-port.ts';
import { served } from '../../mocks/network.ts';
import { fetchArtifact } from '../../src/agent/index.ts';
import { secret } from '../../src/core/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { needs } from '../support/prerequisite.ts';
import { fixture } from '../support/tls.ts';
import { pushFile } from './support/docker-push.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

/** The program of Debian's docker-registry; undefined if there is none. */
const PROGRAM = process.env['MODREG_DOCKER_REGISTRY_PROGRAM'];

const PAIR = 'bob:pass-word';
const BASIC = `Basic ${Buffer.from(PAIR).toString('base64')}`;
/** What `htpasswd -B` writes for that password. */
const HTPASSWD = 'bob:$2y$05$LCy5Ee5O1bSbmJxMkWtO5uBIw4HKirFG9jVDTH.WC1uhL4gp2cZUC\n';
const FILE = 'a program';
const REPOSITORY = 'acme/lidar';

/** A docker-registry with this sign-in. Returns its address. */
async function registryWith(context: TestContext, auth: object, htpasswd = ''): Promise<string> {
  needs(context, PROGRAM !== undefined, 'set MODREG_DOCKER_REGISTRY_PROGRAM');
  const free = await onLoopback(createServer());
  free.close();
  const folder = temporaryFolder({ htpasswd });
  const config = temporaryFolder({
    // YAML has JSON.
    'config.yml': JSON.stringify({
      version: '0.1',
      storage: { filesystem: { rootdirectory: `${folder}/data` } },
      http: { addr: `127.0.0.1:${free.port}` },
      auth: JSON.parse(JSON.stringify(auth).replace('HTPASSWD', `${folder}/htpasswd`)),
    }),
  });
  const child = spawn(PROGRAM ?? '', ['serve', `${config}/config.yml`], { stdio: 'ignore' });
  onTestFinished(() => void child.kill());
  const address = `http://127.0.0.1:${free.port}`;
  await expect.poll(async () => await statusAt(`${address}/v2/`), { timeout: 20_000 }).toBe(401);
  return address;
}

async function statusAt(url: string): Promise<number> {
  try {
    return (await fetch(url)).status;
  } catch {
    return 0;
  }
}

/** A token for `actions` on a repository, signed for the registry. (Token Authentication Implementation, "Getting a Bearer Token") */
function signed(name: string, actions: readonly string[]): string {
  const pem = readFileSync(fixture('good'), 'utf8');
  const now = Math.floor(Date.now() / 1000);
  const x5c = [new X509Certificate(pem).raw.toString('base64')];
  const access = actions.length === 0 ? [] : [{ type: 'repository', name, actions }];
  const times = { iat: now - 60, nbf: now - 60, exp: now + 300 };
  const claims = { iss: 'tests', sub: '', aud: 'registry', jti: randomUUID(), ...times, access };
  const parts = [{ typ: 'JWT', alg: 'ES256', x5c }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const key = createPrivateKey(pem);
  const data = parts.join('.');
  const signature = sign('sha256', Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' });
  return `${data}.${signature.toString('base64url')}`;
}

/** A token server that lets users pull, and the requests it had. */
async function tokenServer(
  isUser: (authorization: string | null) => boolean,
): Promise<{ readonly address: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const address = await served(({ url, headers }) => {
    const { searchParams } = new URL(url);
    const authorization = headers.get('authorization');
    const [, name = '', actions = ''] = (searchParams.get('scope') ?? '').split(':');
    asked.push([searchParams.get('scope'), authorization].filter(Boolean).join(' '));
    if (authorization !== null && !isUser(authorization)) return new Response('', { status: 401 });
    return Response.json({
      token: signed(name, isUser(authorization) ? actions.split(',') : []),
      expires_in: 300,
    });
  });
  return { address, asked };
}

function tokenAuth(realm: string): object {
  const rootcertbundle = fixture('authority');
  return {
    token: { realm: `${realm}/token`, service: 'registry', issuer: 'tests', rootcertbundle },
  };
}

/** The versions of the list, and what the agent downloads for the only one; or the error. */
async function used(address: string, pair?: string): Promise<readonly unknown[]> {
  const token = pair === undefined ? undefined : (): ReturnType<typeof secret> => secret(pair);
  const { registry } = remembered(`oci:${address}`, { token });
  const wanted = {
    constraint: { kind: 'latest' },
    eligibility: { now: Date.now(), platform: 'linux/arm64' },
  } as const;
  const outcome = await outcomeOf(registry.read(LIDAR, undefined, () => [wanted]));
  if (outcome !== '1.0.0') return [outcome];
  const { records } = await registry.read(LIDAR, undefined, () => [wanted]);
  const [artifact] = [...records].flatMap(({ artifacts = [] }) => artifacts);
  if (!artifact) throw new Error('expected a file');
  const path = `${temporaryFolder()}/lidar`;
  const fetched = await fetchArtifact(artifact, path, { token });
  return [outcome, fetched.ok ? readFileSync(path, 'utf8') : fetched.error.reason];
}

describe("Debian's docker-registry", () => {
  it('[T407] takes the signed token that anybody may have', async (context) => {
    const { address: realm, asked } = await tokenServer(() => true);
    const address = await registryWith(context, tokenAuth(realm));
    const authorization = `Bearer ${signed(REPOSITORY, ['pull', 'push'])}`;
    await pushFile({ repository: `${address}/v2/${REPOSITORY}`, authorization }, '1.0.0', FILE);
    expect(await used(address)).toEqual(['1.0.0', FILE]);
    expect(new Set(asked)).toEqual(new Set(['repository:acme/lidar:pull']));
  });

  it('[T407] takes the signed token for a user and a password, and no other', async (context) => {
    const { address: realm, asked } = await tokenServer((sent) => sent === BASIC);
    const address = await registryWith(context, tokenAuth(realm));
    const authorization = `Bearer ${signed(REPOSITORY, ['pull', 'push'])}`;
    await pushFile({ repository: `${address}/v2/${REPOSITORY}`, authorization }, '1.0.0', FILE);
    expect(await used(address, PAIR)).toEqual(['1.0.0', FILE]);
    expect(new Set(asked)).toEqual(new Set([`repository:acme/lidar:pull ${BASIC}`]));
    const where = `the registry oci:${address}`;
    expect([await used(address), await used(address, 'bob:other')]).toEqual([
      [`registry-refused: ${where} denies access with the token that its token server gave (401)`],
      [
        `registry-refused: the token server ${realm}/token of ${where} gives no token for the user and password that were sent (401)`,
      ],
    ]);
  });

  it('[T503] takes a user and a password that it asks for itself', async (context) => {
    const auth = { htpasswd: { realm: 'tests', path: 'HTPASSWD' } };
    const address = await registryWith(context, auth, HTPASSWD);
    const to = { repository: `${address}/v2/${REPOSITORY}`, authorization: BASIC };
    await pushFile(to, '1.0.0', FILE);
    expect(await used(address, PAIR)).toEqual(['1.0.0', FILE]);
    const where = `the registry oci:${address}`;
    expect(await used(address)).toEqual([
      `registry-refused: ${where} denies access without a token (401)`,
    ]);
  });
});
