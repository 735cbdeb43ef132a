import { chmodSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  defaultDatabase,
  existingDatabase,
  namedRegistry,
  noRegistry,
} from '../../src/host/registry-choice.ts';
import { tokensIn } from '../../src/host/registry-token.ts';
import { parseTokenFile } from '../../src/host/token-file.ts';
import type { World } from '../../src/base/world.ts';
import { temporaryFolder } from '../support/folder.ts';
import { quietWorld } from '../support/quiet-world.ts';

function world(environment: World['environment']): World {
  return { ...quietWorld('linux/x64'), environment };
}

describe('the registry and the home of a command', () => {
  it.each<[string | undefined, string | undefined, string | undefined]>([
    [undefined, undefined, undefined],
    [undefined, '', undefined],
    [undefined, 'https://b', 'https://b'],
    ['https://a', 'https://b', 'https://a'],
    ['', 'https://b', ''],
  ])('--registry %s, MODREG_REGISTRY %s: %s', (registry, MODREG_REGISTRY, expected) => {
    const options = registry === undefined ? {} : { registry };
    expect(namedRegistry(options, world({ MODREG_REGISTRY }))).toBe(expected);
  });

  it.each<[Record<string, string>, string | undefined]>([
    [{}, undefined],
    [{ HOME: '/root' }, '/root/.platform/registry.db'],
    [{ HOME: '/root', PLATFORM_HOME: '/opt/p/' }, '/opt/p/registry.db'],
    [{ HOME: '/root', PLATFORM_HOME: '' }, '/root/.platform/registry.db'],
  ])('%j: %s', (environment, path) => {
    expect(defaultDatabase(world(environment))).toBe(path);
    const hint = noRegistry(world(environment)).hint ?? '';
    expect(hint.endsWith(`or create ${path ?? '$PLATFORM_HOME/registry.db'}`)).toBe(true);
  });

  it('a default file counts only if it exists', () => {
    const PLATFORM_HOME = temporaryFolder();
    expect(existingDatabase(world({ PLATFORM_HOME }))).toBeUndefined();
    writeFileSync(`${PLATFORM_HOME}/registry.db`, '');
    expect(existingDatabase(world({ PLATFORM_HOME }))).toBe(`${PLATFORM_HOME}/registry.db`);
  });
});

interface Asked {
  readonly environment: Readonly<Record<string, string>>;
  /** The value of --registry. */
  readonly registry: string | undefined;
  /** The registry that gets a request. */
  readonly asked: string;
}

describe('the token for a registry', () => {
  const FILE = 'https://a.example from-file\nhttps://b.example for-b\n';
  const [NAMED, OTHER] = ['https://a.example', 'https://b.example'];

  it.each<[string, Asked, string | undefined]>([
    [
      'the variable for the registry of the command line',
      { environment: { MODREG_TOKEN: 'own' }, registry: NAMED, asked: NAMED },
      'own',
    ],
    [
      'the variable for that of the environment',
      {
        environment: { MODREG_TOKEN: 'own', MODREG_REGISTRY: NAMED },
        registry: undefined,
        asked: NAMED,
      },
      'own',
    ],
    [
      'the owner of the variable is that of the environment',
      {
        environment: { MODREG_TOKEN: 'own', MODREG_REGISTRY: NAMED },
        registry: OTHER,
        asked: OTHER,
      },
      'for-b',
    ],
    [
      'an empty variable is none',
      { environment: { MODREG_TOKEN: '' }, registry: NAMED, asked: NAMED },
      'from-file',
    ],
    [
      'another path of the registry is the same origin',
      { environment: { MODREG_TOKEN: 'own' }, registry: `${NAMED}/x`, asked: NAMED },
      'own',
    ],
    [
      'another port is another origin',
      { environment: { MODREG_TOKEN: 'own' }, registry: `${NAMED}:444`, asked: NAMED },
      'from-file',
    ],
    [
      'the file for one that only a policy names',
      { environment: { MODREG_TOKEN: 'own' }, registry: undefined, asked: OTHER },
      'for-b',
    ],
    [
      'none for another one',
      { environment: { MODREG_TOKEN: 'own' }, registry: undefined, asked: 'https://c.example' },
      undefined,
    ],
  ])('%s', (_, { environment, registry, asked }, expected) => {
    const path = `${temporaryFolder()}/tokens`;
    writeFileSync(path, FILE, { mode: 0o600 });
    const tokens = tokensIn(world({ ...environment, MODREG_TOKEN_FILE: path }), registry);
    const found = tokens(new URL(asked));
    expect(found.ok && found.value.token?.reveal()).toBe(expected);
  });

  it.each([
    [65_536, ''],
    [65_537, 'has more than 65536 bytes'],
  ])('a file of %d bytes', (size, expected) => {
    const PLATFORM_HOME = temporaryFolder();
    writeFileSync(`${PLATFORM_HOME}/tokens`, FILE.padEnd(size, '#'), { mode: 0o600 });
    const found = tokensIn(world({ PLATFORM_HOME }), undefined)(new URL(NAMED));
    expect(found.ok ? '' : found.error.message).toContain(expected);
    expect(found.ok).toBe(expected === '');
  });

  it.each([
    [0o600, ''],
    [0o640, 'has mode 0640'],
    [0o604, 'has mode 0604'],
  ])('a file of mode %o', (mode, expected) => {
    const PLATFORM_HOME = temporaryFolder();
    writeFileSync(`${PLATFORM_HOME}/tokens`, FILE, { mode });
    const tokens = tokensIn(world({ PLATFORM_HOME }), undefined);
    const found = tokens(new URL(NAMED));
    expect(found.ok ? '' : found.error.message).toContain(expected);
    expect(found.ok).toBe(expected === '');
    // It is read again once an operator has corrected it.
    chmodSync(`${PLATFORM_HOME}/tokens`, 0o600);
    expect(tokens(new URL(NAMED)).ok).toBe(true);
  });

  it.each<[string, string | number]>([
    ['', 0],
    ['# comment\n\n  \n', 0],
    ['https://a t\n http://b:81/  u \n', 2],
    [
      'https://a',
      'line 1: expected an origin such as https://registry.example, a space and a token',
    ],
    [
      '\nhttps://a/path t',
      'line 2: expected an origin such as https://registry.example, a space and a token',
    ],
    [
      'https://a t more',
      'line 1: expected an origin such as https://registry.example, a space and a token',
    ],
    [
      'ftp://a t',
      'line 1: expected an origin such as https://registry.example, a space and a token',
    ],
    ['https://a \u00fc', 'line 1: the token is not printable ASCII'],
    ['https://a t\nHTTPS://A:443 u', 'line 2: the origin has a token on an earlier line'],
  ])('a token file %j', (text, expected) => {
    const read = parseTokenFile(text);
    expect(read.ok ? read.value.size : read.error).toBe(expected);
  });
});
