import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { served, type Answer } from '../../mocks/network.ts';
import {
  ociContents,
  ociRegistry,
  ociRepository,
  withTokenServer,
} from '../../mocks/oci-registry.ts';
import { answers, HOST } from '../../mocks/scripted-registry.ts';
import { fetchArtifact } from '../../src/agent/index.ts';
import { secret, type Secret } from '../../src/core/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const WHERE = `the registry oci:${HOST}`;
const LIST = '/v2/acme/lidar/tags/list?n=1000';
const TOKEN = '/token?service=registry&scope=repository%3Aacme%2Flidar%3Apull';
const TAGS = ociRegistry({ 'acme/lidar': ['1.0.0'] });
function given(text: string): { readonly token: () => Secret } {
  return { token: () => secret(text) };
}

const PAIR = 'bob:pass-word';
const SENT = `Basic ${Buffer.from(PAIR).toString('base64')}`;

describe('[T407] a registry that asks for a token', () => {
  it('gets one that anybody may have, for pulling from this repository only, and keeps it', async () => {
    asked.next(withTokenServer(TAGS, { expiresIn: 300 }));
    const { registry, clock } = remembered(`oci:${HOST}`);
    const bearer = 'Bearer token-1-repository:acme/lidar:pull';
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0');
    expect(asked.requests).toEqual([LIST, TOKEN, `${LIST} ${bearer}`]);
    await registry.read(LIDAR);
    expect(asked.requests.slice(3)).toEqual([`${LIST} ${bearer}`]);
    clock.advance(300_000);
    await registry.read(LIDAR);
    expect(asked.requests.slice(4)).toEqual([LIST, TOKEN, `${LIST} ${bearer.replace('1', '2')}`]);
  });

  it('gets one for a user and a password', async () => {
    asked.next(withTokenServer(TAGS, { pair: PAIR }));
    const { registry } = remembered(`oci:${HOST}`, given(PAIR));
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0');
    expect(asked.requests.slice(0, 2)).toEqual([LIST, `${TOKEN} ${SENT}`]);
  });

  it.each([
    ['https://evil.example/token', 'the user and the password are not sent to another site'],
    [
      'https://registry.example.evil.example/token',
      'nor to a site whose name begins like that of the registry',
    ],
  ])('%s: %s', async (realm) => {
    const requests: string[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      const authorization = request.headers.get('authorization');
      requests.push(`${url.host} ${authorization}`);
      if (url.host !== 'registry.example') return new Response(null, { status: 401 });
      return await withTokenServer(TAGS, { realm })(request);
    };
    const { registry } = remembered(`oci:${HOST}`, { ...given(PAIR), fetch });
    const host = new URL(realm).host;
    expect(await outcomeOf(registry.read(LIDAR))).toBe(
      `registry-refused: the token server ${realm} of ${WHERE} gives no token without the user and password, which were not sent to another site (401)`,
    );
    expect(requests).toEqual(['registry.example null', `${host} null`]);
  });
});

describe('[T408] a registry does not name any token server', () => {
  it.each([
    [
      'http://auth.registry.example/token',
      `names the token server "http://auth.registry.example/token", whose traffic others could read: expected https:`,
    ],
    [
      'https://127.0.0.1/token',
      `names the token server "https://127.0.0.1/token", which is this machine itself`,
    ],
    [
      'https://169.254.169.254/token',
      'names a token server that is not contacted: 169.254.169.254 is a link-local address',
    ],
    [
      'https://bob:secret-word@registry.example/token',
      'names a token server that is not contacted: user info before the host registry.example: credentials do not belong here',
    ],
    ['/token', 'names a token server that is not contacted: expected https:// and a host'],
    [
      'file:///etc/passwd',
      'names a token server that is not contacted: "file:" is not https: or http:',
    ],
  ])('%s', async (realm, complaint) => {
    asked.next(withTokenServer(TAGS, { realm }));
    const { registry } = remembered(`oci:${HOST}`, given(PAIR));
    expect(await outcomeOf(registry.read(LIDAR))).toBe(`registry-refused: ${WHERE} ${complaint}`);
    expect(asked.requests).toEqual([LIST]);
  });
});

const locked: Answer = async (request) =>
  request.headers.get('authorization') === SENT
    ? await TAGS(request)
    : new Response(null, { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } });

describe('a registry that asks for a user and a password', () => {
  it('gets them after it has asked', async () => {
    asked.next(locked);
    const { registry } = remembered(`oci:${HOST}`, given(PAIR));
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0');
    expect(asked.requests).toEqual([LIST, `${LIST} ${SENT}`]);
  });

  it.each([
    [undefined, 'without a token', [LIST]],
    ['plain-token', 'with the token that was sent', [`${LIST} Bearer plain-token`]],
  ])('refuses %o', async (text, sent, requests) => {
    asked.next(locked);
    const { registry } = remembered(`oci:${HOST}`, text === undefined ? {} : given(text));
    expect(await outcomeOf(registry.read(LIDAR))).toBe(
      `registry-refused: ${WHERE} denies access ${sent} (401)`,
    );
    expect(asked.requests).toEqual(requests);
  });
});

it.each(['pass-word', Buffer.from(PAIR).toString('base64'), 'token-1-repository:acme/lidar:pull'])(
  '[T409] %s in a list or in an error is not repeated',
  async (echoed) => {
    const echo: Answer = () => Response.json({ name: 'acme/lidar', tags: [`1.0.0-${echoed}`] });
    asked.next(withTokenServer(echo, { pair: PAIR }));
    const { registry } = remembered(`oci:${HOST}`, given(PAIR));
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0-[token]');
    const link = { link: `<https://${encodeURIComponent(echoed).toLowerCase()}/>; rel="next"` };
    const led: Answer = () => Response.json({ name: 'acme/lidar', tags: [] }, { headers: link });
    asked.next(withTokenServer(led, { pair: PAIR }));
    expect(await outcomeOf(registry.read(LIDAR))).not.toContain(echoed);
  },
);

it('the agent downloads a blob for which a token is needed', async () => {
  const body = Buffer.from('the file');
  const contents = ociContents({ '1.0.0': { body } });
  const [digest = ''] = Array.from(contents.content).find(([, one]) => one.body === body) ?? [];
  const address: string = await served(
    withTokenServer(ociRepository('acme/lidar', contents), { pair: PAIR }),
  );
  asked.letThrough(address);
  const url = `${address}/v2/acme/lidar/blobs/${digest}`;
  const path = `${temporaryFolder()}/lidar`;
  const artifact = { platform: 'any', url, digest, size: body.length };
  expect(await fetchArtifact(artifact, path, given(PAIR))).toEqual({
    ok: true,
    value: { size: body.length, digest, isVerified: true },
  });
  expect(readFileSync(path)).toEqual(body);
});
