import { excerpt } from '../core/text/quote.ts';

const PLAIN = /^[\w./:@%+=,-]+$/;

/** `text` as one word of a command line of sh. */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  return `'${excerpt(text, text.length).replaceAll("'", String.raw`'\''`)}'`;
}
