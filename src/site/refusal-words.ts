import { excerpt } from '../core/text/quote.ts';
import type { RefusedDocuments } from '../registry/config-documents.ts';

/** `needs-signature: /config/agent may change`: why a machine refuses documents of its site, in at most so many characters. */
export function refusalWords(
  { code, detail }: Omit<RefusedDocuments, 'revision'>,
  most?: number,
): string {
  return `${excerpt(code)}: ${excerpt(detail, most)}`;
}
