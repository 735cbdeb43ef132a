import { quote } from '../../core/text/quote.ts';
import { duplicateKey } from './duplicate-key.ts';
import { RegistryError } from '../registry-error.ts';

/** Parses JSON. Throws a `not-a-registry` RegistryError if `text` is not JSON, or an object in it has a key twice: readers differ in which one counts. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new RegistryError('not-a-registry', `it is not JSON${positionOf(cause)}`, { cause });
  }
  const key = duplicateKey(text, value);
  if (key === undefined) return value;
  throw new RegistryError('not-a-registry', `it has the key ${quote(key)} twice in one object`);
}

/** Parses JSON in UTF-8. Throws a `not-a-registry` RegistryError if `bytes` are not that. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  return parseJson(decodeUtf8(bytes));
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new RegistryError('not-a-registry', 'it is not UTF-8 text', { cause });
  }
}

/** The position of a syntax error. V8's message also quotes the text around it, which is left out. */
function positionOf({ message }: SyntaxError): string {
  if (message.startsWith('Unexpected end')) return ': it ends too early';
  if (message.includes('\ufeff')) return ': it begins with a byte order mark';
  const [position] = /line \d+ column \d+/.exec(message) ?? [];
  return position === undefined ? '' : ` at ${position}`;
}
