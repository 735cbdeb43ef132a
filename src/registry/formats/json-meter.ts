import { RegistryError } from '../registry-error.ts';

/** Deeper than any document that is read here. */
const DEEPEST = 256;

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Measures JSON while its bytes arrive, so that a document that would exhaust the memory is never parsed. */
export interface JsonMeter {
  /** Throws a `list-too-large` RegistryError if a limit is exceeded. */
  feed(chunk: Uint8Array): void;
  /** Whether the bytes so far end inside a string, an array or an object. */
  isCutShort(): boolean;
  /** The number of commas and opening brackets outside strings so far. */
  tokens(): number;
}

/** A meter that allows `most` commas and opening brackets outside strings, because each takes memory when parsed. */
export function jsonMeter(most: number): JsonMeter {
  let tokens = 0;
  let depth = 0;
  let isInString = false;
  /** The number of backslashes at the end of the last chunk. */
  let backslashes = 0;

  /** The offset after the string that continues at `from`; the length of the chunk if it does not end there. */
  const skipString = (chunk: Uint8Array, from: number): number => {
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
      isInString = false;
      return at;
    }
  };
  return {
    isCutShort: () => depth > 0 || isInString,
    tokens: () => tokens,
    feed(chunk) {
      let at = isInString ? skipString(chunk, 0) : 0;
      while (at < chunk.length) {
        const byte = chunk[at++];
        if (byte === QUOTE) {
          isInString = true;
          at = skipString(chunk, at);
        } else if (byte === COMMA) tokens++;
        else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
          tokens++;
          if (++depth > DEEPEST) throw tooLarge(`it is nested more than ${DEEPEST} levels deep`);
        } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--;
      }
      if (tokens > most) throw tooLarge(`it has more than ${most} commas and brackets`);
    },
  };
}

/** The number of consecutive backslashes before `end`, back to `from`. */
function backslashesBefore(chunk: Uint8Array, from: number, end: number): number {
  let at = end;
  while (at > from && chunk[at - 1] === BACKSLASH) at--;
  return end - at;
}

function tooLarge(message: string): RegistryError {
  return new RegistryError('list-too-large', message);
}
