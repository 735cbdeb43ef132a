import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { served } from '../../mocks/network.ts';
import { ociContents, ociRepository, withTokenServer } from '../../mocks/oci-registry.ts';
import { dockerCredentials } from '../../src/host/docker-config.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

const PAIR = 'bob:pass-word';
const AUTH = Buffer.from(PAIR).toString('base64');

/** The address of a registry that wants the user and the password. */
async function locked(): Promise<string> {
  const releases = ociContents({ '1.0.0': { body: Buffer.from('x') } });
  return await served(withTokenServer(ociRepository('acme/lidar', releases), { pair: PAIR }));
}

/** Resolves with this `config.json` of Docker. */
async function resolved(
  address: string,
  config: string,
  {
    path = '',
    args = ['resolve', 'acme:lidar', 'latest'],
  }: { path?: string; args?: readonly string[] } = {},
): Promise<string> {
  const DOCKER_CONFIG = temporaryFolder({ 'config.json': config });
  const environment = { DOCKER_CONFIG, PATH: path };
  const { stdout, stderr } = await inProcess(
    [...args, '--registry', `oci:${address}`],
    environment,
  );
  return stdout === '' ? (stderr.split('\n')[0] ?? '') : stdout.trim();
}

const HELPER = `#!/bin/sh
read server
[ "$1" = get ] && echo "{\\"ServerURL\\":\\"$server\\",\\"Username\\":\\"bob\\",\\"Secret\\":\\"pass-word\\"}"
`;

function helperFolder(text: string = HELPER): string {
  const folder = temporaryFolder({ 'docker-credential-test': text });
  chmodSync(`${folder}/docker-credential-test`, 0o755);
  return folder;
}

describe('the credentials of Docker', () => {
  it.each([
    ['by host', (host: string) => ({ auths: { [host]: { auth: AUTH } } })],
    ['by an address', (host: string) => ({ auths: { [`https://${host}/v1/`]: { auth: AUTH } } })],
    ['of a helper', (host: string) => ({ credHelpers: { [host]: 'test' } })],
    ['of the store', () => ({ auths: {}, credsStore: 'test' })],
  ])('%s', async (_, config) => {
    const address = await locked();
    const text = JSON.stringify(config(new URL(address).host));
    expect(await resolved(address, text, { path: helperFolder() })).toBe('1.0.0');
  });

  it.each([
    ['an empty entry', '{"auths":{"HOST":{}}}'],
    [
      'an identity token',
      `{"auths":{"HOST":{"auth":"${Buffer.from('bob:').toString('base64')}"}}}`,
    ],
    ['credentials for another host', `{"auths":{"registry.example":{"auth":"${AUTH}"}}}`],
    ['a helper that is a path', '{"credsStore":"../test"}'],
    ['a helper that does not exist', '{"credsStore":"none"}'],
  ])('[T410, T501] %s are none', async (_, config) => {
    const address = await locked();
    const text = config.replace('HOST', new URL(address).host);
    expect(await resolved(address, text, { path: helperFolder() })).toBe(
      `error[REGISTRY_REFUSED]: the token server ${address}/token of the registry oci:${address} gives no token without a user and password (401)`,
    );
  });

  it.each([
    [
      'a key without quotation marks',
      '{\n  "auths": {},\n  pass-word: 1 }',
      'line 3, column 3: Expected double-quoted property name in JSON',
    ],
    [
      'half a file',
      '{"auths":{"registry.example":{"auth":"pass-wo',
      'line 1, column 46: Unterminated string in JSON',
    ],
    [
      'a comma too much',
      '{"auths":{},}',
      'line 1, column 13: Expected double-quoted property name in JSON',
    ],
    [
      'comments',
      '{} // pass-word',
      'line 1, column 4: Unexpected non-whitespace character after JSON',
    ],
    ['nothing', '', 'it ends before its JSON does'],
    ['a value without quotation marks', '{"auths":pass-word}', 'it is not JSON'],
    ['null', 'null', 'expected an object'],
    ['a list', '["pass-word"]', 'expected an object'],
    [
      'a number',
      '{"auths":{"HOST":{"auth":7}}}',
      '/auths/HOST/auth is not base64 of <user>:<password>',
    ],
    [
      'no user',
      '{"auths":{"HOST":{"auth":"cGFzcy13b3Jk"}}}',
      '/auths/HOST/auth is not base64 of <user>:<password>',
    ],
  ])('[T501] a file with %s is an error, which repeats nothing of it', async (_, config, what) => {
    const address = await locked();
    const { host } = new URL(address);
    const error = await resolved(address, config.replace('HOST', host));
    expect(error.replace(/"\/.*?"/, '"…"')).toBe(
      `error[BAD_VALUE]: the credentials file of Docker "…" cannot be used: ${what.replace('HOST', host)}`,
    );
  });

  it('[T501] a file for a registry that a token is known for is not read', async () => {
    const address = await locked();
    const environment = {
      DOCKER_CONFIG: temporaryFolder({ 'config.json': '{' }),
      MODREG_REGISTRY: `oci:${address}`,
      MODREG_TOKEN: PAIR,
    };
    const { stdout } = await inProcess(['resolve', 'acme:lidar', 'latest'], environment);
    expect(stdout).toBe('1.0.0\n');
  });

  it.each([
    ['a command', true, PAIR],
    ['an agent or a poller, which never runs one', false, undefined],
  ])('[T410] of a helper, for %s', (_, runsHelpers, pair) => {
    const DOCKER_CONFIG = temporaryFolder({ 'config.json': '{"credsStore":"test"}' });
    const environment = { DOCKER_CONFIG, PATH: helperFolder() };
    const found = dockerCredentials(environment, { runsHelpers })(new URL('https://h.example'));
    expect(found.ok && found.value?.reveal()).toBe(pair);
  });
});
