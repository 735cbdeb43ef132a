import { RegistryError } from '../registry-error.ts';

/** Nothing that is read here is nested deeper. */
const DEEPEST = 256;

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Measures JSON as its bytes come, so that a small text that would fill the memory is never parsed. */
export interface JsonMeter {
  /** Throws a `list-too-large` RegistryError when there is more than is allowed. */
  feed(chunk: Uint8Array): void;
  /** Whether what was fed ends in the middle of something. */
  isCutShort(): boolean;
}

/** A meter that allows `most` commas and opening brackets outside of texts: each takes memory. */
export function jsonMeter(most: number): JsonMeter {
  let tokens = 0;
  let depth = 0;
  let isInText = false;
  /** Backslashes at the end of the last chunk. */
  let backslashes = 0;

  /** Where the text that goes on at `from` ends; the length of the chunk when it does not. */
  const skipText = (chunk: Uint8Array, from: number): number => {
    let at = from;
    for (;;) {
      const quote = chunk.indexOf(QUOTE, at);
      const end = quote === -1 ? chunk.length : quote;
      const before = backslashesBefore(chunk, at, end);
      const run = before === end - at ? before + backslashes : before;
      backslashes = quote === -1 ? run : 0;
      if (quote === -1) return chunk.length;
      at = quote + 1;
      if (run % 2 === 1) continue;
      isInText = false;
      return at;
    }
  };
  return {
    isCutShort: () => depth > 0 || isInText,
    feed(chunk) {
      let at = isInText ? skipText(chunk, 0) : 0;
      while (at < chunk.length) {
        const byte = chunk[at++];
        if (byte === QUOTE) {
          isInText = true;
          at = skipText(chunk, at);
        } else if (byte === COMMA) tokens++;
        else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
          tokens++;
          if (++depth > DEEPEST) throw tooLarge(`it is nested more than ${DEEPEST} deep`);
        } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
      }
      if (tokens > most) throw tooLarge(`it has more than ${most} commas and brackets`);
    },
  };
}

/** How many backslashes stand right before `end`, back to `from`. */
function backslashesBefore(chunk: Uint8Array, from: number, end: number): number {
  let at = end;
  while (at > from && chunk[at - 1] === BACKSLASH) at--;
  return end - at;
}

function tooLarge(message: string): RegistryError {
  return new RegistryError('list-too-large', message);
}
