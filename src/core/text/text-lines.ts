import { escapeUnprintable } from './quote.ts';

/** The lines of untrusted text as they are, but for what could move a cursor or forge a line. */
export function textLines(text: string): string[] {
  const lines = text.trimEnd().split(/\r?\n/);
  return lines.map((line) => escapeUnprintable(line.replaceAll('\t', '    ')));
}
