import { escapeUnprintableInJson } from '../../core/text/quote.ts';

/** `document` as one line, with escapes in place of control characters. */
export function jsonLine(document: object): string {
  return escapeUnprintableInJson(JSON.stringify(document));
}
