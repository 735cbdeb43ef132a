import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { answerText } from '../../../src/core/trust/answer-text.ts';
import { releaseText } from '../../../src/core/trust/release-text.ts';
import { readTrustDocument } from '../../../src/core/trust/trust-document.ts';
import { npmText } from '../../../src/registry/trust/npm-text.ts';
import { signatureOf, verifierOf } from '../../../src/registry/trust/ed25519.ts';
import { moduleId } from '../../support/ask.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { integrityOf, npmKey, type TestNpmKey } from '../../support/npm-signed.ts';
import { needs } from '../../support/prerequisite.ts';
import { AUTHOR, digestOf, ROOT_ONE, trustOf } from '../../support/signed.ts';

/** Whether openssl finds that the author signed `text`. */
function isSigned(text: string, signature: string): boolean {
  const folder = temporaryFolder({ text, signature: Buffer.from(signature, 'base64') });
  const pem = createPublicKey(AUTHOR.privateKey).export({ type: 'spki', format: 'pem' });
  writeFileSync(`${folder}/public.pem`, pem);
  const args = '-verify -rawin -pubin -inkey public.pem -in text -sigfile signature'.split(' ');
  return spawnSync('openssl', ['pkeyutl', ...args], { cwd: folder }).status === 0;
}

const FILE = { platform: 'linux/arm64', digest: digestOf('a'), size: 1 };
const RELEASE = { version: '1.2.3+b', publishedAt: 1_764_000_000_123, artifacts: [FILE] };
const ANSWER = {
  question: 'changes 51233',
  nonce: 'q3JmW0c5Tf2yTz8oJ9kH1A',
  sha256: 'ab'.repeat(32),
};
const DOCUMENT = readTrustDocument(trustOf([], [ROOT_ONE]).text);

describe('openssl verifies what modreg signs', () => {
  it.for([
    ['[D132] a release', releaseText(moduleId('acme:lidar'), RELEASE)],
    [
      '[D132] a release without files',
      releaseText(moduleId('acme:lidar'), { ...RELEASE, artifacts: undefined }),
    ],
    ['[D148] an answer', answerText({ name: 'acme-plant', version: 7 }, ANSWER)],
    ['[D130] a trust document', DOCUMENT.ok ? DOCUMENT.value.body : undefined],
  ])('%s', ([, text = ''], context) => {
    needs(context, spawnSync('openssl', ['version']).status === 0, 'openssl is not installed');
    expect(text).not.toBe('');
    const signature = signatureOf(AUTHOR.privateKey, text);
    expect([isSigned(text, signature), isSigned(`${text} `, signature)]).toEqual([true, false]);
    // And the other way round.
    expect(verifierOf(AUTHOR.text)(text, signature)).toBe(true);
  });
});

/** Whether openssl finds that `key` signed `text` as npm registries do. */
function isSignedForNpm(text: string, { publicKey, sign }: TestNpmKey): boolean {
  const signature = Buffer.from(sign(text).sig, 'base64');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const folder = temporaryFolder({ text, signature, 'public.pem': pem });
  const args = 'dgst -sha256 -verify public.pem -signature signature text'.split(' ');
  return spawnSync('openssl', args, { cwd: folder }).status === 0;
}

it.for(['sha512', 'sha256'])(
  '[D200] openssl verifies what npm signs, with %s',
  (algorithm, context) => {
    needs(context, spawnSync('openssl', ['version']).status === 0, 'openssl is not installed');
    const key = npmKey('one');
    const digest = createHash(algorithm).update('lidar').digest('hex');
    const text = npmText(moduleId('acme:lidar'), '1.2.3', `${algorithm}:${digest}`);
    expect(text).toBe(`@acme/lidar@1.2.3:${integrityOf('lidar', algorithm)}`);
    expect([
      isSignedForNpm(text ?? '', key),
      isSignedForNpm(text ?? '', { ...key, publicKey: npmKey('two').publicKey }),
    ]).toEqual([true, false]);
  },
);

/** 32 bytes, the least significant first. */
function bytesOf(value: bigint): Buffer {
  return Buffer.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').toReversed());
}

/** The order of the group, and the prime of the field (RFC 8032, 5.1). */
const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
const P = 2n ** 255n - 19n;

describe('[D132] a signature that nobody made', () => {
  it('has special values as r and s: no combination is one', () => {
    const verify = verifierOf(AUTHOR.text);
    const found = [0n, 1n, L - 1n, L, P - 1n, P].flatMap((r) =>
      [0n, 1n, L - 1n, L, L + 1n, P].filter((s) =>
        verify('?', Buffer.concat([bytesOf(r), bytesOf(s)]).toString('base64')),
      ),
    );
    expect(found).toEqual([]);
  });

  it('is another form of one that was made: s + L, cut, or longer', () => {
    const verify = verifierOf(AUTHOR.text);
    const made = Buffer.from(AUTHOR.sign('text'), 'base64');
    const s = BigInt(`0x${Buffer.from(made.subarray(32).toReversed()).toString('hex')}`);
    const other = Buffer.concat([made.subarray(0, 32), bytesOf(s + L)]);
    const forms = [
      made,
      other,
      made.subarray(0, 63),
      Buffer.concat([made, Buffer.from([0])]),
      Buffer.alloc(0),
    ];
    expect(forms.map((form) => verify('text', form.toString('base64')))).toEqual([
      true,
      ...Array.from({ length: 4 }, () => false),
    ]);
  });
});
