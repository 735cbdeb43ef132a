import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plainServer, send, type PlainServer } from '../../mocks/plain-server.ts';
import { tokensIn } from '../../src/host/registry-token.ts';
import type { World } from '../../src/base/world.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { quietWorld } from '../support/quiet-world.ts';

const REGISTRY = 'https://npm.acme.example/npm/';
const BASIC = Buffer.from('ada:pass-word').toString('base64');

/** A home with these settings of npm. */
function homeWith(npmrc: string, mode = 0o600): string {
  const home = temporaryFolder();
  writeFileSync(`${home}/.npmrc`, npmrc, { mode });
  return home;
}

/** The token for an address, or the error. */
function tokenFor(address: string, environment: World['environment']): string | undefined {
  const found = tokensIn({ ...quietWorld('linux/x64'), environment }, undefined)(new URL(address));
  if (found.ok) return found.value.token?.reveal();
  return `${found.error.kind}: ${found.error.message}, ${found.error.hint}`;
}

describe('[T434] the token of .npmrc', () => {
  it.each<[string, string, string | undefined]>([
    ['a token', '//npm.acme.example/npm/:_authToken=abc', 'abc'],
    ['spaces and quotes', '  //npm.acme.example/npm/:_authToken = "abc" ', 'abc'],
    ['no final slash', '//npm.acme.example/npm:_authToken=abc', 'abc'],
    ['the host alone', '//npm.acme.example/:_authToken=abc', 'abc'],
    [
      'the longest path first',
      '//npm.acme.example/npm/:_authToken=abc\n//npm.acme.example/:_authToken=other',
      'abc',
    ],
    [
      'the longest path last',
      '//npm.acme.example/:_authToken=other\n//npm.acme.example/npm/:_authToken=abc',
      'abc',
    ],
    ['of a variable', '//npm.acme.example/:_authToken=${NPM_TOKEN}', 'from-variable'],
    ['of a variable that is not set', '//npm.acme.example/:_authToken=${NONE}', undefined],
    ['user and password', `//npm.acme.example/:_auth=${BASIC}`, 'ada:pass-word'],
    [
      'user and password on two lines',
      `//npm.acme.example/:username=ada\n//npm.acme.example/:_password=${Buffer.from('pw').toString('base64')}`,
      'ada:pw',
    ],
    [
      'a comment',
      '; //npm.acme.example/:_authToken=abc\n#//npm.acme.example/:_authToken=abc',
      undefined,
    ],
    ['another path', '//npm.acme.example/np/:_authToken=abc', undefined],
    ['another port', '//npm.acme.example:8443/:_authToken=abc', undefined],
    ['another host', '//acme.example/:_authToken=abc', undefined],
    ['a token for no address', '_authToken=abc', undefined],
    ['a token with a line break', '//npm.acme.example/:_auth=YTpiCg==', undefined],
  ])('%s', (_what, npmrc, expected) => {
    expect(tokenFor(REGISTRY, { HOME: homeWith(npmrc), NPM_TOKEN: 'from-variable' })).toBe(
      expected,
    );
  });

  it('of a path is for addresses below it only', () => {
    const HOME = homeWith('//npm.acme.example/npm/:_authToken=abc');
    expect(tokenFor('https://npm.acme.example/other/', { HOME })).toBeUndefined();
    expect(tokenFor('https://npm.acme.example/npm/more/', { HOME })).toBe('abc');
  });

  it('comes after the token file, and from the file of NPM_CONFIG_USERCONFIG', () => {
    const home = homeWith('//npm.acme.example/:_authToken=home');
    const named = `${homeWith('//npm.acme.example/:_authToken=named')}/.npmrc`;
    expect(tokenFor(REGISTRY, { HOME: home, NPM_CONFIG_USERCONFIG: named })).toBe('named');
    writeFileSync(`${home}/tokens`, 'https://npm.acme.example own', { mode: 0o600 });
    expect(tokenFor(REGISTRY, { HOME: home, PLATFORM_HOME: home })).toBe('own');
  });

  it('is refused if others can read it; the settings for other hosts are not', () => {
    const HOME = homeWith('//npm.acme.example/:_authToken=abc', 0o644);
    expect(tokenFor(REGISTRY, { HOME })).toBe(
      `permissions: the settings file of npm "${HOME}/.npmrc" has mode 0644, and others can read it, chmod 600 ${HOME}/.npmrc restricts it to its owner`,
    );
    expect(tokenFor('https://npm.other.example', { HOME })).toBe(undefined);
  });
});

it.each([
  ['token', ':_authToken=abc', 'Bearer abc'],
  ['user and password', `:_auth=${BASIC}`, `Basic ${BASIC}`],
])('a command sends the %s of .npmrc to that registry alone', async (_, line, sent) => {
  const list = { name: '@acme/lidar', versions: { '1.0.0': {} } };
  const open = async (): Promise<PlainServer> =>
    await plainServer((response) => send(response, list));
  const [own, other] = [await open(), await open()];
  const HOME = homeWith(`//${new URL(own.address).host}/${line}`);
  for (const { address } of [own, other]) {
    const command = ['resolve', 'acme:lidar', 'latest', '--registry', `npm:${address}/npm`];
    expect((await inProcess(command, { HOME })).stdout).toBe('1.0.0\n');
  }
  const path = '/npm/@acme%2flidar';
  expect([own.requests, other.requests]).toEqual([[`${path} ${sent}`], [path]]);
});

async function packageServer(name: string): Promise<PlainServer> {
  return await plainServer((response) => send(response, { name, versions: { '1.0.0': {} } }));
}

it('`npm:` is the registry that .npmrc names for the scope, else the one for all others', async () => {
  const [acme, rest] = [await packageServer('@acme/lidar'), await packageServer('arm')];
  const lines = [`registry=${rest.address}`, `@acme:registry = "${acme.address}/npm/"`];
  const HOME = homeWith(lines.join('\n'));
  const resolved = async (id: string): Promise<string> =>
    (await inProcess(['resolve', id, 'latest', '--registry', 'npm:'], { HOME })).stdout;
  expect([await resolved('acme:lidar'), await resolved('npm:arm')]).toEqual(['1.0.0\n', '1.0.0\n']);
  expect([acme.requests, rest.requests]).toEqual([['/npm/@acme%2flidar'], ['/arm']]);
});

it('[T434] a registry of .npmrc that cannot be used', async () => {
  const HOME = homeWith('@acme:registry=ftp://npm.acme.example');
  const command = ['resolve', 'acme:lidar', 'latest', '--registry', 'npm:'];
  expect((await inProcess(command, { HOME })).stderr).toBe(
    'error[BAD_ADDRESS]: the settings of npm name a registry that cannot be used: "ftp:" is not https: or http:\n',
  );
});
