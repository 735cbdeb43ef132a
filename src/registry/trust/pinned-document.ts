import type { Result } from '../../core/index.ts';
import { firstFew } from '../../core/text/few.ts';
import { excerpt } from '../../core/text/quote.ts';
import {
  readTrustDocument,
  trustText,
  type TrustDocument,
} from '../../core/trust/trust-document.ts';
import type { Role } from '../../core/trust/role.ts';
import { RegistryError } from '../registry-error.ts';
import { keyIdOf, pinOf, verifierOf } from './ed25519.ts';

const NAMED = 3;

/**
 * The trust document among `texts`, which `where` has, whose digest is `pin`. Throws a RegistryError `registry-untrusted` if there
 * is none, or if its root keys did not sign it (D130, D134).
 */
export function pinnedDocument(
  texts: readonly string[],
  pin: string,
  where: string,
): TrustDocument {
  const text = texts.find((one) => pinOf(bodyOf(one)) === pin);
  if (text === undefined)
    throw untrusted(`${where} has ${offered(texts)}, and the policy names ${pin}`);
  const read = signedDocument(text);
  if (read.ok) return read.value;
  throw untrusted(`the trust document of ${where} ${read.error}`);
}

/** The trust document in `text` if its digest is `pin` and its root keys signed it; undefined if not, or without a text. */
export function whole(text: string | undefined, pin: string): TrustDocument | undefined {
  if (text === undefined || pinOf(bodyOf(text)) !== pin) return undefined;
  const read = signedDocument(text);
  return read.ok ? read.value : undefined;
}

/** The trust document in `text`. The error, without a subject: it cannot be read, or its root keys did not sign it. */
export function signedDocument(text: string): Result<TrustDocument, string> {
  const document = readTrustDocument(text);
  if (!document.ok) return { ok: false, error: `cannot be read: ${document.error}` };
  const { root, body, signatures } = document.value;
  const signed = signersOf(root, body, signatures);
  if (signed >= root.threshold) return document;
  return { ok: false, error: `has ${signed} of ${root.threshold} signatures of its root keys` };
}

/** The text of a document, as it was read. */
export function textOf({ body, signatures }: TrustDocument): string {
  return trustText(body, signatures);
}

/** What the digest in a policy is of: all before the empty line. */
function bodyOf(text: string): string {
  return text.slice(0, text.indexOf('\n\n') + 1);
}

function offered(texts: readonly string[]): string {
  if (texts.length === 0) return 'no trust document';
  const pins = firstFew(
    texts.map((text) => pinOf(bodyOf(text))),
    NAMED,
  );
  return `the trust document ${excerpt(pins.join(', '))}`;
}

/** How many keys of `role` signed `text`. */
function signersOf({ keys }: Role, text: string, signatures: TrustDocument['signatures']): number {
  const byId = new Map(signatures.map(({ keyId, signature }) => [keyId, signature]));
  return keys.filter((key) => {
    const signature = byId.get(keyIdOf(key));
    return signature !== undefined && verifierOf(key)(text, signature);
  }).length;
}

function untrusted(message: string): RegistryError {
  const hint =
    'compare the digest in the policy with what modreg keys show prints for the file of the registry';
  return new RegistryError('registry-untrusted', message, { hint });
}
