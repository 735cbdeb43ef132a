import { createHash } from 'node:crypto';
import { excerpt } from '../../core/text/quote.ts';
import { jsonMeter } from '../formats/json-meter.ts';
import { RegistryError } from '../registry-error.ts';
import type { Deadline } from './deadline.ts';

/** How much of an answer is read, and of whose. */
export interface BodyBounds {
  /** Who is asked, for a person, escaped. */
  readonly where: string;
  /** In bytes, after decompression. */
  readonly largest: number;
  /** Commas and opening brackets of its JSON. */
  readonly mostTokens: number;
}

/** What an answer says. */
export interface Body {
  readonly text: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256, in hexadecimal. */
  readonly digest: string;
}

export const NO_BODY: Body = { text: '', size: 0, digest: '' };

/** Others take more memory to undo, and several at once without end. */
const ENCODINGS = new Set(['gzip', 'x-gzip', 'identity']);
const JSON_TYPE = /^application\/([\w.-]+\+)?json *(;|$)/i;

/**
 * The body of JSON of an answer, as it comes: each part is measured, and turned into text, before the next
 * is asked for. Throws a RegistryError where it is too large, or is no JSON by its header.
 */
export async function readBody(
  { body, headers }: Response,
  { where, largest, mostTokens }: BodyBounds,
  deadline: Deadline,
): Promise<Body> {
  const reader = (body ?? new Blob([]).stream()).getReader();
  deadline.signal.addEventListener('abort', () => giveUp(reader), { once: true });
  const hash = createHash('sha256');
  const meter = jsonMeter(mostTokens);
  const decode = textDecoder(where);
  let text = '';
  let size = 0;
  try {
    checkHeaders(headers, where, largest);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      deadline.receive(value.length);
      size += value.length;
      if (size > largest) throw tooLarge(`it has more than ${largest} bytes`);
      meter.feed(value);
      hash.update(value);
      text += decode(value);
    }
    if (isOpenEnded(headers) && meter.isCutShort()) throw brokenOff(where);
    return { text: text + decode(), size, digest: hash.digest('hex') };
  } catch (error) {
    giveUp(reader);
    if (!(error instanceof RegistryError) || error.kind !== 'list-too-large') throw error;
    throw new RegistryError(error.kind, `the answer of ${where} is too large: ${error.message}`);
  }
}

/** Closes the connection, whatever else it may hold. */
function giveUp(reader: ReadableStreamDefaultReader): void {
  reader.cancel().catch(() => undefined);
}

/** Turns UTF-8 into text, part by part; asked for nothing, it ends. */
function textDecoder(where: string): (part?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (part) => {
    try {
      return decoder.decode(part, { stream: part !== undefined });
    } catch {
      const message = `${where} does not answer as a registry: it is not UTF-8 text`;
      throw new RegistryError('not-a-registry', message);
    }
  };
}

/** Whether only the end of the connection tells that of the body, as in HTTP/1.0. */
function isOpenEnded(headers: Headers): boolean {
  return !headers.has('content-length') && !headers.has('transfer-encoding');
}

function brokenOff(where: string): RegistryError {
  return new RegistryError('registry-unreachable', `${where} broke its answer off`);
}

function checkHeaders(headers: Headers, where: string, largest: number): void {
  const type = headers.get('content-type') ?? 'no content-type';
  if (!JSON_TYPE.test(type)) {
    const message = `${where} does not answer as a registry: got ${excerpt(type)}`;
    throw new RegistryError('not-a-registry', message);
  }
  const length = Number(headers.get('content-length'));
  if (length > largest) {
    throw tooLarge(`it says it has ${length} bytes, and at most ${largest} are read`);
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (!ENCODINGS.has(encoding.toLowerCase())) {
    const message = `${where} answers with the encoding ${excerpt(encoding)}, which nobody asked for`;
    throw new RegistryError('not-a-registry', message);
  }
}

function tooLarge(message: string): RegistryError {
  return new RegistryError('list-too-large', message);
}
