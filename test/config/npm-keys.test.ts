import { describe, expect, it } from 'vitest';
import { readUpdatePolicy } from '../../src/config/index.ts';
import { npmKey } from '../support/npm-signed.ts';

const KEY = npmKey('one').listed;

function found(keys: readonly object[]): readonly string[] {
  const { problems } = readUpdatePolicy(JSON.stringify({ npm_keys: keys }));
  return problems.map(({ path, message }) => `${path}: ${message}`);
}

/** A key with these coordinates of its point. */
function keyAt(x: bigint, y: bigint): object {
  const hex = [x, y].map((one) => one.toString(16).padStart(64, '0')).join('');
  const head = Buffer.from('MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE', 'base64');
  const key = Buffer.concat([head, Buffer.from(hex, 'hex')]).toString('base64');
  return { keyid: 'a', key };
}

const PRIME = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
/** The point of the curve whose x is 0 has this y. */
const Y = 0x66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4n;
const NO_POINT = '/npm_keys/0/key: the key is no point of the curve P-256; copy it again';

describe('[D201] the keys of npm registries in a policy', () => {
  it.each<[string, readonly object[], readonly string[]]>([
    ['a point of the curve', [keyAt(0n, Y)], []],
    ['no point of the curve', [keyAt(1n, Y)], [NO_POINT]],
    ['x not below the prime', [keyAt(PRIME, Y)], [NO_POINT]],
    ['y not below the prime', [keyAt(5n, PRIME + 1n)], [NO_POINT]],
    ['fifty keys', Array.from({ length: 50 }, (_, n) => ({ ...KEY, keyid: `${n}` })), []],
    [
      'fifty-one',
      Array.from({ length: 51 }, (_, n) => ({ ...KEY, keyid: `${n}` })),
      ['/npm_keys: found 51 keys, expected at most 50'],
    ],
    [
      'a second key of one name',
      [KEY, { ...npmKey('one').listed }],
      ['/npm_keys: the keyid "SHA256:one" is there twice, expected one key for it'],
    ],
    [
      'a name that is too long',
      [{ ...KEY, keyid: 'a'.repeat(101) }],
      [
        `/npm_keys/0/keyid: "${'a'.repeat(101)}" is not a keyid, expected 1 to 100 characters of ASCII without spaces`,
      ],
    ],
  ])('%s', (_title, keys, expected) => {
    expect(found(keys)).toEqual(expected);
  });

  it('a private key is not shown', () => {
    const { privateKey } = npmKey('one');
    const key = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
    expect(found([{ keyid: 'a', key }])).toEqual([
      '/npm_keys/0/key: found 184 characters that begin with "MIGHAgEA", expected a public key of the curve P-256 as SPKI in base64: 124 characters that begin with MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE',
    ]);
  });
});
