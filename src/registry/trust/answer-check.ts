import { randomBytes } from 'node:crypto';
import { formatTime } from '../../core/text/rfc3339.ts';
import { answerText, type SignedAnswer } from '../../core/trust/answer-text.ts';
import type { TrustDocument } from '../../core/trust/trust-document.ts';
import { RegistryError } from '../registry-error.ts';
import { keyIdOf, verifierOf } from './ed25519.ts';

const SIGNATURE = /^([1-9]\d{0,6}) ([\da-f]{16}) ([\w+/]{86}==)$/;

const NONCE_BYTES = 16;

/** What a machine sends with one question. */
export function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('base64url');
}

/** The signature of an answer, with the version of the trust document by which it was made; undefined if `header` is none. */
function signatureIn(
  header: string | null,
): { readonly version: number; readonly keyId: string; readonly signature: string } | undefined {
  const [, version, keyId, signature] = SIGNATURE.exec(header ?? '') ?? [];
  if (version === undefined || keyId === undefined || signature === undefined) return undefined;
  return { version: Number(version), keyId, signature };
}

/** The version by which an answer was signed; 0 without a signature. */
export function versionIn(header: string | null): number {
  return signatureIn(header)?.version ?? 0;
}

/** Throws a RegistryError `trust-expired` if the newest trust document of a registry is no longer valid (D151). */
export function expectValid({ expires }: TrustDocument, now: number, from: string): void {
  if (now < expires) return;
  const message = `the trust document of the registry ${from} expired at ${formatTime(expires)}`;
  const hint =
    'check the clock of this machine; else store a later version on the host of the registry: modreg keys update';
  throw new RegistryError('trust-expired', message, { hint });
}

/** Throws a RegistryError `registry-untrusted` unless a key of the registry that `document` names signed the answer (D148). */
export function checkAnswer(
  document: TrustDocument,
  answer: SignedAnswer,
  header: string | null,
  where: string,
): void {
  const found = faultIn(document, answer, header);
  if (found === undefined) return;
  const hint =
    'the registry signs with the key beside its file; a proxy must pass the header Modreg-Signature, and keep no answers';
  throw new RegistryError('registry-untrusted', `${where} ${found}`, { hint });
}

function faultIn(
  document: TrustDocument,
  answer: SignedAnswer,
  header: string | null,
): string | undefined {
  const { threshold, keys } = document.registry ?? { threshold: 1, keys: [] };
  const signed = signatureIn(header);
  if (!signed) return 'did not sign its answer';
  if (threshold > 1) return `signed its answer with 1 of ${threshold} keys`;
  const { version, keyId, signature } = signed;
  const key = keys.find((one) => keyIdOf(one) === keyId);
  if (key === undefined) {
    return `signed its answer with key ${keyId}, which its trust document does not name`;
  }
  if (version !== document.version) {
    return `signed its answer by version ${version} of its trust document, expected ${document.version}`;
  }
  const isOwn = verifierOf(key)(answerText(document, answer), signature);
  return isOwn ? undefined : 'signed another answer, or the answer to another question';
}

/** The ids of the keys that sign answers, as one text. */
export function answerKeys({ registry }: TrustDocument): string {
  return (registry?.keys ?? []).map(keyIdOf).join();
}
