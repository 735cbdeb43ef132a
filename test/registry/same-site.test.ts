import { expect, it } from 'vitest';
import { secret } from '../../src/core/index.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const PAIR = 'bob:pass-word';
const BASIC = `Basic ${Buffer.from(PAIR).toString('base64')}`;

/** What the token server at `server` gets from a machine that has a user and a password for the registry at `registry`. */
async function sentTo(server: string, registry: string): Promise<string | null | undefined> {
  let sent: string | null | undefined;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { url, headers } = new Request(input, init);
    if (new URL(url).host === server && url.includes('/token')) {
      sent = headers.get('authorization');
      return await Promise.resolve(new Response(null, { status: 401 }));
    }
    const challenge = `Bearer realm="https://${server}/token",service="registry"`;
    return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } });
  };
  const options = { token: () => secret(PAIR), fetch };
  await outcomeOf(remembered(`oci:https://${registry}`, options).registry.read(LIDAR));
  return sent;
}

it.each<readonly [string, string, boolean]>([
  ['oci.dlr.de', 'auth.dlr.de', true],
  ['oci.bmw.de', 'bmw.de', true],
  ['registry.kit.io', 'auth.kit.io', true],
  ['registry.gitlab.com', 'gitlab.com', true],
  ['registry-1.docker.io', 'auth.docker.io', true],
  ['registry.example.co.uk', 'auth.example.co.uk', true],
  ['oci.corp.internal', 'auth.corp.internal', true],
  ['a.azurecr.io', 'a.azurecr.io', true],
  ['registry.example:5000', 'registry.example:5001', true],
  ['10.0.0.1', '10.0.0.1:8443', true],
  ['oci.dlr.de', 'auth.bmw.de', false],
  ['registry.co.uk', 'evil.co.uk', false],
  ['a.azurecr.io', 'b.azurecr.io', false],
  ['1.dkr.ecr.eu-west-1.amazonaws.com', '2.dkr.ecr.eu-west-1.amazonaws.com', false],
  ['acme.github.io', 'evil.github.io', false],
  ['registry', 'auth', false],
  ['10.0.0.1', '10.0.0.2', false],
  ['registry.example.com', 'example.com.evil.example', false],
])(
  '[T504] %s names the token server %s: the password is sent %s',
  async (registry, server, isSent) => {
    expect(await sentTo(server, registry)).toBe(isSent ? BASIC : null);
  },
);
