import { expect, it } from 'vitest';
import { secret } from '../../src/core/text/secret.ts';
import { machineKeyFor } from '../../src/host/registry-token.ts';
import { quietWorld } from '../support/quiet-world.ts';

const HERE = 'https://registry.example/v1/logs';
const machine = (origin: string | undefined) =>
  ({ key: secret('key'), keyId: 't1', partId: 'rover-7', group: undefined, origin }) as const;
const MINE = machine('https://registry.example');
const UNNAMED = machine(undefined);

it.each([
  [HERE, { machine: MINE }, {}, 'key'],
  ['https://registry.example/elsewhere', { machine: MINE }, {}, 'key'],
  ['http://registry.example/v1/logs', { machine: MINE }, {}, undefined],
  [
    'http://registry.example/v1/logs',
    { machine: machine('http://registry.example') },
    {},
    undefined,
  ],
  ['http://127.0.0.1:4870/v1/logs', { machine: machine('http://127.0.0.1:4870') }, {}, 'key'],
  ['https://registry.example:8443/v1/logs', { machine: MINE }, {}, undefined],
  ['https://other.example/v1/logs', { machine: MINE }, {}, undefined],
  [HERE, { machine: MINE, registry: 'https://other.example' }, {}, 'key'],
  [HERE, { machine: undefined, registry: 'https://registry.example' }, {}, undefined],
  [HERE, { machine: UNNAMED }, {}, undefined],
  ['no address', { machine: UNNAMED }, {}, undefined],
  [HERE, { machine: UNNAMED, registry: 'https://registry.example' }, {}, 'key'],
  [HERE, { machine: UNNAMED }, { MODREG_REGISTRY: 'https://registry.example' }, 'key'],
  [HERE, { machine: UNNAMED }, { MODREG_REGISTRY: 'https://other.example' }, undefined],
])('[D309] for %s, %j and %j, the key is %s', (address, owner, environment, key) => {
  const world = { ...quietWorld('linux/arm64'), environment };
  expect(machineKeyFor(address, world, owner)?.reveal()).toBe(key);
});
