import { describe, expect, it } from 'vitest';
import { readUpdatePolicy } from '../../src/config/index.ts';
import { npmKey } from '../support/npm-signed.ts';

const KEYS = [npmKey('one').listed].map(({ keyid, key }) => ({ keyid, key }));
const OTHERS = [npmKey('two').listed].map(({ keyid, key }) => ({ keyid, key }));
const NPM = 'npm:https://npm.example';
const MODREG = 'https://registry.example';
const PIN = `sha256:${'0385'.repeat(16)}`;
const NO_NPM =
  'it has no effect: no registry that it applies to is an npm: registry; other registries need trust';
const KEYS_COUNT =
  'it has no effect: each registry that it applies to is an npm: registry, and npm_keys counts in its place';

function found(policy: object, now?: number): string[] {
  const reading = readUpdatePolicy(JSON.stringify(policy), { now });
  return reading.problems.map(({ kind, path, message }) => `${kind} ${path}: ${message}`);
}

describe('[D198] what a policy says of signatures has no effect', () => {
  it.each<[string, object, string[]]>([
    [
      'keys of npm, and a registry of modreg',
      { registry: MODREG, trust: PIN, npm_keys: KEYS },
      [`idle-trust /npm_keys: ${NO_NPM}`],
    ],
    [
      'keys of npm, and a folder',
      { registry: './registry', npm_keys: KEYS },
      [`idle-trust /npm_keys: ${NO_NPM}`],
    ],
    [
      'those of a module, whose registry is another',
      {
        registry: NPM,
        npm_keys: KEYS,
        modules: { m: { registry: 'oci:https://a.example', npm_keys: OTHERS } },
      },
      [`idle-trust /modules/m/npm_keys: ${NO_NPM}`],
    ],
    [
      'the general ones, because the module from npm has its own',
      {
        registry: MODREG,
        trust: PIN,
        npm_keys: KEYS,
        modules: { m: { registry: NPM, npm_keys: OTHERS } },
      },
      [`idle-trust /npm_keys: ${NO_NPM}`],
    ],
    [
      'a trust document, and npm with keys',
      { registry: NPM, npm_keys: KEYS, trust: PIN },
      [`idle-trust /trust: ${KEYS_COUNT}`],
    ],
    [
      'unsigned, and npm with keys',
      { registry: NPM, npm_keys: KEYS, modules: { m: { trust: 'unsigned' } } },
      [`idle-trust /modules/m/trust: ${KEYS_COUNT}`],
    ],
  ])('%s', (_title, policy, expected) => {
    expect(found(policy, 0)).toEqual(expected);
    // Only a check says it.
    expect(found(policy)).toEqual([]);
  });

  it.each<[string, object]>([
    [
      'keys of npm, and a module from npm',
      { registry: MODREG, trust: PIN, npm_keys: KEYS, modules: { m: { registry: NPM } } },
    ],
    ['keys without a registry: --registry may name one', { npm_keys: KEYS }],
    ['an empty list of keys', { registry: MODREG, trust: PIN, npm_keys: [] }],
    [
      'a trust document, and npm without keys: its modules are stuck',
      { registry: NPM, trust: PIN },
    ],
    [
      'a trust document, and a module that does not come from npm',
      { registry: NPM, npm_keys: KEYS, trust: PIN, modules: { m: { registry: MODREG } } },
    ],
    [
      'unsigned, and a module of npm that needs no keys',
      { registry: NPM, npm_keys: KEYS, modules: { m: { trust: 'unsigned', npm_keys: [] } } },
    ],
  ])('but not %s', (_title, policy) => {
    expect(found(policy, 0)).toEqual([]);
  });
});
