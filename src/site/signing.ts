import type { KeyObject } from 'node:crypto';
import type { ModuleId, Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import { releaseText } from '../core/trust/release-text.ts';
import { privateKeyIn } from '../server/tls/private-key.ts';
import { releasesIn, timesIn, type PublishTimes } from '../registry/publish-times.ts';
import type { RegistryWriter } from '../registry/registry-writer.ts';
import { keyIdOf, publicKeyOf, signatureOf } from '../registry/trust/ed25519.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { secretIn } from '../host/secret-file.ts';
import { passphraseOf, type PassphraseOptions } from './passphrase.ts';
import { signedBy, signerWith, type Signer } from '../host/signing-program.ts';
import type { Catalogue, PublishedRelease } from '../server/index.ts';

/** The options that name the keys of an author. */
export interface SigningOptions extends PassphraseOptions {
  /** Paths of private keys. */
  readonly key?: readonly string[];
  /** A program that signs with a key which modreg does not see. */
  readonly signWith?: string;
}

/** The variable with a private key, for programs that have no files with secrets. */
const VARIABLE = 'MODREG_SIGNING_KEY';

/** The keys that the options and the environment name; none if they name none. */
export function signersOf(
  options: SigningOptions,
  world: World,
): Result<readonly Signer[], Problem> {
  const passphrase = passphraseOf(options, world);
  if (!passphrase.ok) return passphrase;
  const named = signersBy(options, passphrase.value, world);
  const { [VARIABLE]: text = '' } = world.environment;
  if (!named.ok || named.value.length > 0 || text === '') return named;
  const signer = signerIn(Buffer.from(text), VARIABLE, passphrase.value);
  return signer.ok ? { ok: true, value: [signer.value] } : signer;
}

/** The keys that the options alone name. */
export function namedSigners(
  options: SigningOptions,
  world: World,
): Result<readonly Signer[], Problem> {
  const passphrase = passphraseOf(options, world);
  return passphrase.ok ? signersBy(options, passphrase.value, world) : passphrase;
}

function signersBy(
  { key: paths = [], signWith }: SigningOptions,
  passphrase: string | undefined,
  world: World,
): Result<readonly Signer[], Problem> {
  const signers: Signer[] = [];
  for (const path of paths) {
    const file = secretIn(path);
    if (!file.ok) return file;
    const signer = signerIn(file.value, `the file ${quote(path)}`, passphrase);
    if (!signer.ok) return signer;
    signers.push(signer.value);
  }
  if (signWith !== undefined) signers.push(signerWith(signWith, world));
  return { ok: true, value: signers };
}

function signerIn(
  pem: Buffer,
  where: string,
  passphrase: string | undefined,
): Result<Signer, Problem> {
  let key: KeyObject;
  try {
    key = privateKeyIn(pem, passphrase);
  } catch {
    // The error of OpenSSL says less, and what was found may be a secret.
    return {
      ok: false,
      error: pem.includes('ENCRYPTED') ? isLocked(where, passphrase) : notAKey(where),
    };
  }
  if (key.asymmetricKeyType !== 'ed25519') return { ok: false, error: notAKey(where) };
  const keyId = keyIdOf(publicKeyOf(key));
  return { ok: true, value: (text) => ({ ok: true, value: [keyId, signatureOf(key, text)] }) };
}

function isLocked(where: string, passphrase: string | undefined): Problem {
  const found = passphrase === undefined ? 'needs its passphrase' : 'has another passphrase';
  return usage(`the key of ${where} ${found}`, '--passphrase-file, or MODREG_KEY_PASSPHRASE');
}

function notAKey(where: string): Problem {
  const message = `${where} has no private Ed25519 key in PEM`;
  return { ...usage(message), hint: 'modreg keys new makes such a key' };
}

/** What is published, and the keys that sign it. */
export interface Unsigned {
  readonly releases: readonly PublishedRelease[];
  readonly signers: readonly Signer[];
}

type Signed = Result<readonly PublishedRelease[], Problem>;

/** The releases with their signatures, at the time of the registry that publishes them. */
export async function signedOver(
  writer: RegistryWriter,
  moduleId: ModuleId,
  unsigned: Unsigned,
): Promise<Signed> {
  if (unsigned.signers.length === 0) return { ok: true, value: unsigned.releases };
  return signedReleases(moduleId, unsigned, await writer.times(moduleId));
}

/** The same for a registry's file. */
export function signedInFile(
  catalogue: Catalogue,
  moduleId: ModuleId,
  unsigned: Unsigned,
  now: number,
): Signed {
  if (unsigned.signers.length === 0) return { ok: true, value: unsigned.releases };
  const releases = releasesIn(catalogue.document(moduleId)?.bytes);
  return signedReleases(moduleId, unsigned, timesIn(releases, now));
}

/** The releases with the signatures of `signers`, which are over the time of publication as well (D132). */
export function signedReleases(
  moduleId: ModuleId,
  { releases, signers }: Unsigned,
  times: Pick<PublishTimes, 'now' | 'of'>,
): Signed {
  const signed: PublishedRelease[] = [];
  for (const release of releases) {
    const { version, signatures } = release;
    const publishedAt = release.publishedAt ?? times.of(version) ?? times.now;
    const text = releaseText(moduleId, { ...release, publishedAt });
    if (text === undefined) {
      const message = `${moduleId} ${version} cannot be signed: each of its files needs a size`;
      return { ok: false, error: usage(message, 'name it with --size, or the file with --upload') };
    }
    const own = signedBy(signers, text);
    if (!own.ok) return own;
    signed.push({
      ...release,
      publishedAt,
      signatures: { ...signatures, ...Object.fromEntries(own.value) },
    });
  }
  return { ok: true, value: signed };
}
