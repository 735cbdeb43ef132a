import type { TrustDocument } from './trust-document.ts';

/** An answer of a registry: to which question, and the SHA-256 of its body, in hexadecimal. */
export interface SignedAnswer {
  /** `list acme:lidar`, or `changes 51233`: those after this sequence. */
  readonly question: string;
  /** What the machine sent with its question: random, so that an answer to it is not older. */
  readonly nonce: string;
  readonly sha256: string;
}

/** The text that the key of a registry signs for an answer, by its newest trust document (D148). */
export function answerText(
  { name, version }: Pick<TrustDocument, 'name' | 'version'>,
  { question, nonce, sha256 }: SignedAnswer,
): string {
  return `modreg/answer@1\n${name}\n${version}\n${nonce}\n${question}\n${sha256}\n`;
}
