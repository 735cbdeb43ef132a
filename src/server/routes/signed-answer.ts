import { readFileSync } from 'node:fs';
import { answerText, type SignedAnswer } from '../../core/trust/answer-text.ts';
import { isRandomId } from '../../core/text/random-id.ts';
import { readTrustDocument, type TrustDocument } from '../../core/trust/trust-document.ts';
import { keyIdOf, publicKeyOf, signatureOf } from '../../registry/trust/ed25519.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { privateKeyIn } from '../tls/private-key.ts';

/** The header with the version of the trust document, the id of a key and a signature. */
const SIGNATURE = 'modreg-signature';

/** The headers that an answer to a question with a nonce has; none without a nonce or a key. */
export type SignAnswer = (
  answer: Omit<SignedAnswer, 'nonce'> & { readonly nonce: string | undefined },
) => Readonly<Record<string, string>>;

interface Signer {
  /** That of the newest trust document, by which it signs. */
  readonly text: string;
  readonly document: TrustDocument;
  readonly keyId: string;
  readonly sign: (text: string) => string;
}

/** Signs answers with the key beside the file of a registry, which may be made while the registry is served (D148). */
export function answerSigner({ path, trust }: Catalogue): SignAnswer {
  let signer: Signer | undefined;
  return ({ nonce, ...answer }) => {
    // Nothing else gets into the text that is signed.
    if (nonce === undefined || !isRandomId(nonce)) return {};
    const text = trust.newest();
    if (text === undefined) return {};
    if (signer?.text !== text) signer = signerOf(path, text);
    if (!signer) return {};
    const { document, keyId, sign } = signer;
    const signature = sign(answerText(document, { ...answer, nonce }));
    return { [SIGNATURE]: `${document.version} ${keyId} ${signature}` };
  };
}

/** Undefined without a key that can be read: machines then say that answers are not signed. */
function signerOf(path: string, text: string): Signer | undefined {
  const document = readTrustDocument(text);
  if (!document.ok) return undefined;
  try {
    const key = privateKeyIn(readFileSync(`${path}-key`));
    const keyId = keyIdOf(publicKeyOf(key));
    return { text, document: document.value, keyId, sign: (one) => signatureOf(key, one) };
  } catch {
    return undefined;
  }
}
