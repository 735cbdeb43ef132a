import { createHash, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { indexReleases } from '../../../src/core/index.ts';
import { isSignature } from '../../../src/core/trust/key.ts';
import { verifierOf } from '../../../src/registry/trust/ed25519.ts';
import { npmChecks } from '../../../src/registry/trust/npm-checks.ts';
import { moduleId, version } from '../../support/ask.ts';
import { npmKey } from '../../support/npm-signed.ts';
import { keyOf } from '../../support/signed.ts';

/*
 * The kinds of signatures that the vectors of Wycheproof are of, made here from a key of RFC 8032 and a new key of P-256.
 */

function numberIn(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** As many bytes as Ed25519 and P-256 have, the most significant first. */
function big(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

function little(value: bigint): Buffer {
  return Buffer.from(big(value).toReversed());
}

describe('[T596] a signature of Ed25519', () => {
  /** RFC 8032, 7.1, test 2. */
  const SECRET = Buffer.from(
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    'hex',
  );
  const KEY = keyOf(SECRET);
  const TEXT = 'modreg/release@1\n';
  const MADE = Buffer.from(KEY.sign(TEXT), 'base64');
  const [R, S] = [MADE.subarray(0, 32), MADE.subarray(32)];
  /** The order of the group, and the prime of the field (RFC 8032, 5.1). */
  const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
  const P = 2n ** 255n - 19n;
  const s = numberIn(S.toReversed());
  const ZEROS = Buffer.alloc(32);
  const PUBLIC = Buffer.from(KEY.text.slice('ed25519:'.length), 'base64');
  /** The points of small order by their y, some of them not in their one form, with both signs of x (RFC 8032, 5.1.2). */
  const Y8 =
    0x05_fc_53_6d_88_02_38_b1_39_33_c6_d3_05_ac_df_d5_f0_98_ef_f2_89_f4_c3_45_b0_27_b2_c2_8f_95_e8_26n;
  const SMALL = [0n, 1n, Y8, P - Y8, P - 1n, P, P + 1n].flatMap((y) => [
    little(y),
    little(y + 2n ** 255n),
  ]);

  it.each<[string, Uint8Array, boolean]>([
    ['as it was made', MADE, true],
    ['whose S is L higher', Buffer.concat([R, little(s + L)]), false],
    ['whose S is 8 L higher', Buffer.concat([R, little(s + 8n * L)]), false],
    ['whose S is its negative', Buffer.concat([R, little(L - s)]), false],
    ['whose S has its highest bit', Buffer.concat([R, little(s + 2n ** 255n)]), false],
    ['whose S is 0', Buffer.concat([R, ZEROS]), false],
    ['whose S is L', Buffer.concat([R, little(L)]), false],
    ['whose R is 0', Buffer.concat([ZEROS, S]), false],
    ['whose R is no point', Buffer.concat([Buffer.alloc(32, 0xff), S]), false],
    [
      'whose R has the other sign',
      Buffer.concat([R.map((b, at) => (at < 31 ? b : b ^ 0x80)), S]),
      false,
    ],
    ['whose R has all its bits flipped', Buffer.concat([R.map((b) => b ^ 0xff), S]), false],
    ['whose halves are exchanged', Buffer.concat([S, R]), false],
    ['that is empty', Buffer.alloc(0), false],
    ['without S', R, false],
    ['cut by a byte', MADE.subarray(0, 63), false],
    ['without its first byte', MADE.subarray(1), false],
    ['with a byte after it', Buffer.concat([MADE, ZEROS.subarray(0, 1)]), false],
    ['with a byte before it', Buffer.concat([ZEROS.subarray(0, 1), MADE]), false],
    ['with the key between its halves', Buffer.concat([R, PUBLIC, S]), false],
  ])('%s: counts %o', (_title, bytes, expected) => {
    const text = Buffer.from(bytes).toString('base64');
    expect(verifierOf(KEY.text)(TEXT, text)).toBe(expected);
    // One of another length has no form, so that it is dropped where it is read.
    expect(isSignature(text)).toBe(bytes.length === 64);
  });

  it('whose R is a point of small order counts for no text', () => {
    const verify = verifierOf(KEY.text);
    const found = SMALL.flatMap((point) =>
      [0n, 1n, s, L - 1n].filter((one) =>
        verify(TEXT, Buffer.concat([point, little(one)]).toString('base64')),
      ),
    );
    expect(found).toEqual([]);
  });

  it('of a key that is a point of small order counts for no text, although its equation holds', () => {
    const digest = createHash('sha512').update(SECRET).digest().subarray(0, 32);
    digest[0] = Number(digest[0]) & 248;
    digest[31] = (Number(digest[31]) & 63) | 64;
    // S B = R + h A, where A is the neutral point, whatever h is, and the text.
    const forged = Buffer.concat([PUBLIC, little(numberIn(digest.toReversed()) % L)]);
    const signatures = [forged, ...SMALL.map((point) => Buffer.concat([point, ZEROS]))];
    const found = SMALL.filter((point) => {
      const verify = verifierOf(`ed25519:${point.toString('base64')}`);
      return signatures.some((one) => verify(TEXT, one.toString('base64')));
    });
    expect(found).toEqual([]);
  });
});

/** A value of DER, with its length in as few bytes as it needs. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x81, body.length];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

/** A number as DER has it: with its sign. */
function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Number(bytes[0]) < 128 ? bytes : Buffer.concat([Buffer.from([0]), bytes]);
}

function int(value: bigint): Buffer {
  return der(0x02, bytesOf(value));
}

function pair(one: bigint, other: bigint): Buffer {
  return der(0x30, int(one), int(other));
}

function octets(...all: readonly number[]): Buffer {
  return Buffer.from(all);
}

describe('[T596] a signature of npm', () => {
  const KEY = npmKey('one');
  const LIDAR = moduleId('acme:lidar');
  const DIGEST = 'ab'.repeat(32);
  const TEXT = `@acme/lidar@1.2.0:sha256-${Buffer.from(DIGEST, 'hex').toString('base64')}`;
  /** The order of P-256 (FIPS 186-4, D.1.2.3). */
  const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const raw = sign('sha256', Buffer.from(TEXT), { key: KEY.privateKey, dsaEncoding: 'ieee-p1363' });
  const [r, s] = [numberIn(raw.subarray(0, 32)), numberIn(raw.subarray(32))];

  const MADE = pair(r, s);
  const inner = Buffer.concat([int(r), int(s)]);
  const EMPTY = Buffer.alloc(0);

  function verdict(sig: Uint8Array): object | undefined {
    const signatures = [{ keyid: KEY.listed.keyid, sig: Buffer.from(sig).toString('base64') }];
    const artifacts = [{ platform: 'any', digest: `sha256:${DIGEST}`, signatures }];
    const records = [{ version: '1.2.0', artifacts }];
    const release = indexReleases(records).find(version('1.2.0'));
    if (!release) throw new Error('not in the list');
    return npmChecks([KEY.listed])(LIDAR, records).check(release);
  }

  it.each<[string, Uint8Array]>([
    ['as it was made', MADE],
    // Both are over the text: whoever has one can make the other, and gains nothing.
    ['whose s is its negative', pair(r, N - s)],
  ])('%s counts', (_title, sig) => {
    expect(verdict(sig)).toBeUndefined();
  });

  it.each<[string, Uint8Array]>([
    ['as r and s, 64 bytes', raw],
    ['that is empty', EMPTY],
    ['that is an empty sequence', der(0x30)],
    ['with r alone', der(0x30, int(r))],
    ['with three numbers', der(0x30, inner, int(s))],
    ['cut by a byte', MADE.subarray(0, -1)],
    ['with a byte after it', Buffer.concat([MADE, octets(0)])],
    ['with a null after it', Buffer.concat([MADE, octets(5, 0)])],
    ['with a byte in its sequence', der(0x30, inner, octets(0))],
    ['with a byte before it', Buffer.concat([octets(0), MADE])],
    ['as a sequence in a sequence', der(0x30, MADE)],
    ['as a set', der(0x31, inner)],
    [
      'whose sequence has a length in a long form',
      Buffer.concat([octets(0x30, 0x81, inner.length), inner]),
    ],
    [
      'whose length begins with a zero',
      Buffer.concat([octets(0x30, 0x82, 0, inner.length), inner]),
    ],
    ['whose length has no end', Buffer.concat([octets(0x30, 0x80), inner, octets(0, 0)])],
    [
      'whose length is 2^32 higher',
      Buffer.concat([octets(0x30, 0x85, 1, 0, 0, 0, inner.length), inner]),
    ],
    ['whose length is too large', Buffer.concat([octets(0x30, inner.length + 1), inner])],
    ['whose length is too small', Buffer.concat([octets(0x30, inner.length - 1), inner])],
    [
      'whose r has a length in a long form',
      der(0x30, octets(2, 0x81, bytesOf(r).length), bytesOf(r), int(s)),
    ],
    ['whose r has a zero before it', der(0x30, der(0x02, octets(0), bytesOf(r)), int(s))],
    ['whose s has a zero before it', der(0x30, int(r), der(0x02, octets(0), bytesOf(s)))],
    ['whose r is of another type', der(0x30, der(0x04, bytesOf(r)), int(s))],
    ['whose r has no bytes', der(0x30, der(0x02), int(s))],
    [
      'whose r is negative',
      der(0x30, der(0x02, Buffer.from((2n ** 264n - r).toString(16), 'hex')), int(s)),
    ],
    ['whose r and s are 0', pair(0n, 0n)],
    ['whose r and s are 1', pair(1n, 1n)],
    ['whose r is 0', pair(0n, s)],
    ['whose s is 0', pair(r, 0n)],
    ['whose r is n', pair(N, s)],
    ['whose s is n', pair(r, N)],
    ['whose r is n higher', pair(r + N, s)],
    ['whose s is n higher', pair(r, s + N)],
    ['whose s is 2^256 higher', pair(r, s + 2n ** 256n)],
    ['whose r and s are exchanged', pair(s, r)],
    ['of Ed25519', Buffer.from(keyOf(big(1n)).sign(TEXT), 'base64')],
  ])('%s does not', (_title, sig) => {
    expect(verdict(sig)).toEqual({ reason: 'bad-signature', found: 'wrong', keyId: 'SHA256:one' });
  });
});
