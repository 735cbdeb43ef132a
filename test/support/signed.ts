import { createHash, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { privateKeyIn } from '../../src/server/tls/private-key.ts';

/*
 * Keys, releases and trust documents as an author makes them, written without the code that signs or checks.
 */

export interface TestKey {
  readonly privateKey: KeyObject;
  /** `ed25519:…` */
  readonly text: string;
  readonly id: string;
  readonly sign: (text: string) => string;
}

/** The key whose secret bytes are the digest of `name`. */
export function key(name: string): TestKey {
  return keyOf(createHash('sha256').update(name).digest());
}

/** The key with these 32 secret bytes. */
export function keyOf(secret: Uint8Array): TestKey {
  // RFC 8410: the same bytes stand before each secret.
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), secret]);
  const privateKey = privateKeyIn(
    `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`,
  );
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const bytes = Buffer.from(x, 'base64url');
  return {
    privateKey,
    text: `ed25519:${bytes.toString('base64')}`,
    id: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
}

export const ROOT_ONE: TestKey = key('root one');
export const ROOT_TWO: TestKey = key('root two');
export const AUTHOR: TestKey = key('author');
export const APPROVER: TestKey = key('approver');
export const VENDOR: TestKey = key('vendor');
export const STRANGER: TestKey = key('stranger');

/** The lines of a role. */
export function role(of: string, threshold: number, ...keys: readonly TestKey[]): string {
  return [of, threshold, ...keys.map(({ text }) => text)].join(' ');
}

/** A trust document and its digest. */
export interface TestTrust {
  readonly text: string;
  readonly pin: string;
}

/** The document with these lines after its first ones, signed by `signers`. */
export function trustOf(
  roles: readonly string[] = [
    role('namespace acme', 2, AUTHOR, APPROVER),
    role('namespace *', 1, AUTHOR),
    role('namespace platform', 1, VENDOR),
  ],
  signers: readonly TestKey[] = [ROOT_ONE],
  {
    name = 'acme-plant',
    version = 1,
    expires = '2027-11-27T00:00:00Z',
    root = role('root', 1, ROOT_ONE, ROOT_TWO),
  }: {
    readonly name?: string;
    readonly version?: number;
    readonly expires?: string;
    readonly root?: string;
  } = {},
): TestTrust {
  const lines = [
    'modreg/trust@1',
    `name ${name}`,
    `version ${version}`,
    `expires ${expires}`,
    root,
    ...roles,
  ];
  const body = `${lines.join('\n')}\n`;
  const signatures = signers.map((one) => `signature ${one.id} ${one.sign(body)}\n`);
  return {
    text: `${body}\n${signatures.join('')}`,
    pin: `sha256:${createHash('sha256').update(body).digest('hex')}`,
  };
}

/** A release as it is published. */
export interface TestRelease {
  readonly version: string;
  readonly published_at: string;
  readonly artifacts?: readonly {
    readonly platform: string;
    readonly url?: string | undefined;
    readonly digest: string;
    readonly size: number;
  }[];
}

/** The text of a release. Its artifacts are given in the order of their platforms. */
export function textOf(
  moduleId: string,
  { version, published_at, artifacts }: TestRelease,
): string {
  const files = artifacts?.map(({ platform, digest, size }) => `${platform} ${digest} ${size}`);
  const lines = ['modreg/release@1', moduleId, version, published_at, ...(files ?? ['no files'])];
  return lines.map((line) => `${line}\n`).join('');
}

/** A release as JSON, with the signatures of `keys`. */
export function signed<T extends TestRelease>(
  moduleId: string,
  release: T,
  ...keys: readonly TestKey[]
): T & { readonly signatures: Readonly<Record<string, string>> } {
  const text = textOf(moduleId, release);
  return {
    ...release,
    signatures: Object.fromEntries(keys.map((one) => [one.id, one.sign(text)])),
  };
}

/** A digest of a file. */
export function digestOf(content: string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
