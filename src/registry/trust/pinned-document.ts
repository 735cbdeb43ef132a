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

/** The versions of a trust document, from the one that a policy names to the newest that follows from it. */
export interface Chain {
  readonly document: TrustDocument;
  readonly texts: readonly string[];
}

/** The chain in `texts` that begins with the document `first`: each version has the signatures that it and the one before need (D150). */
export function chainFrom(first: TrustDocument, texts: readonly string[]): Chain {
  const found = [first];
  const later = texts.flatMap((text) => {
    const read = signedDocument(text);
    return read.ok ? read.value : [];
  });
  for (;;) {
    const last = found.at(-1) ?? first;
    const next = later.find((one) => successorFault(last, one) === undefined);
    if (!next) return { document: last, texts: found.map(textOf) };
    found.push(next);
  }
}

/** Why `next`, which its own root keys signed, is not the version after `last`; undefined if it is (D150, D152). */
export function successorFault(last: TrustDocument, next: TrustDocument): string | undefined {
  const { root, name, version } = last;
  if (next.name !== name) return `has the name ${next.name}, expected ${name}`;
  if (next.version !== version + 1) return `has version ${next.version}, expected ${version + 1}`;
  const signed = signersOf(root, next.body, next.signatures);
  if (signed >= root.threshold) return undefined;
  return `has ${signed} of ${root.threshold} signatures of the root keys of version ${version}`;
}

/** The documents in a text that has several, one after the other. */
export function documentsIn(text: string): readonly string[] {
  return text.split(/^(?=modreg\/trust@)/m);
}

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

/** The chain in a saved `text` if it begins with the document with the digest `pin`, which is whole; undefined if not. */
export function savedChain(text: string | undefined, pin: string): Chain | undefined {
  const [first = '', ...later] = documentsIn(text ?? '');
  const read = pinOf(bodyOf(first)) === pin ? signedDocument(first) : undefined;
  return read?.ok ? chainFrom(read.value, later) : undefined;
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
function textOf({ body, signatures }: TrustDocument): string {
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
