import type { TrustDocument } from '../../core/trust/trust-document.ts';
import { keyIdOf, verifierOf } from './ed25519.ts';

/** The ids of the keys of operators that signed `text`. */
export function operatorsOver(
  { operator }: Pick<TrustDocument, 'operator'>,
  text: string,
  signatures: Readonly<Record<string, string>>,
): readonly string[] {
  return (operator?.keys ?? []).flatMap((key) => {
    const id = keyIdOf(key);
    const signature = signatures[id];
    return signature !== undefined && verifierOf(key)(text, signature) ? id : [];
  });
}
