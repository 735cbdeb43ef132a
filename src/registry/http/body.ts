import { createHash } from 'node:crypto';
import { excerpt } from '../../core/text/quote.ts';
import { jsonMeter } from '../formats/json-meter.ts';
import { RegistryError } from '../registry-error.ts';
import type { Deadline } from './deadline.ts';
import { brokenOff } from './network-failure.ts';

/** Limits on a response body. */
export interface BodyBounds {
  /** The registry, for a person, escaped. */
  readonly where: string;
  /** The most bytes, after decompression. */
  readonly largest: number;
  /** The most commas and opening brackets in its JSON. */
  readonly mostTokens: number;
  /** Whether JSON may have any content type: a registry does not know what its blobs are. */
  readonly anyType?: boolean | undefined;
}

/** The body of a response. */
export interface Body {
  readonly text: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256, in hexadecimal. */
  readonly digest: string;
}

export const NO_BODY: Body = { text: '', size: 0, digest: '' };

/** Other encodings need more memory to decompress; nested ones need memory without limit. */
const ENCODINGS = new Set(['gzip', 'x-gzip', 'identity', 'none', '']);
/** Some servers send the type twice, which joins both with a comma. */
const JSON_TYPE = /^(?:application\/(?:[\w.-]+\+)?|text\/)json *(?:[;,]|$)/i;

/**
 * Reads the JSON body of a response. Each chunk is measured and decoded before the next is read. Throws a
 * RegistryError if the body is too large, breaks off, or has another content type than JSON.
 */
export async function readBody(
  { body, headers }: Response,
  { where, largest, mostTokens, anyType }: BodyBounds,
  deadline: Deadline,
): Promise<Body> {
  const reader = (body ?? new Blob([]).stream()).getReader();
  deadline.signal.addEventListener('abort', () => cancel(reader), { once: true });
  const hash = createHash('sha256');
  const meter = jsonMeter(mostTokens);
  const decode = textDecoder(where);
  let text = '';
  let size = 0;
  try {
    if (anyType !== true) checkType(headers, where);
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
    cancel(reader);
    if (!(error instanceof RegistryError) || error.kind !== 'list-too-large') throw error;
    throw new RegistryError(
      error.kind,
      `the response from ${where} is too large: ${error.message}`,
    );
  }
}

/** Closes the connection without reading the rest. */
function cancel(reader: ReadableStreamDefaultReader): void {
  reader.cancel().catch(() => undefined);
}

/** Decodes UTF-8 chunk by chunk. A call without a chunk ends the text. */
function textDecoder(where: string): (chunk?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      const message = `${where} does not respond like a registry: it is not UTF-8 text`;
      throw new RegistryError('not-a-registry', message);
    }
  };
}

/** Whether only the end of the connection marks the end of the body, as in HTTP/1.0. */
function isOpenEnded(headers: Headers): boolean {
  return !headers.has('content-length') && !headers.has('transfer-encoding');
}

/** Whether a content type is that of JSON, such as `application/problem+json`. */
export function isJson(contentType: string | null): boolean {
  return JSON_TYPE.test(contentType ?? '');
}

function checkType(headers: Headers, where: string): void {
  const type = headers.get('content-type') ?? 'no content-type';
  if (isJson(type)) return;
  const message = `${where} does not respond like a registry: got ${excerpt(type)}`;
  throw new RegistryError('not-a-registry', message);
}

function checkHeaders(headers: Headers, where: string, largest: number): void {
  const length = Number(headers.get('content-length'));
  if (length > largest) {
    throw tooLarge(`its content-length is ${length} bytes (limit ${largest})`);
  }
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (!ENCODINGS.has(encoding.toLowerCase())) {
    const message = `${where} responds with content-encoding ${excerpt(encoding)}, expected gzip or none`;
    throw new RegistryError('not-a-registry', message);
  }
}

function tooLarge(message: string): RegistryError {
  return new RegistryError('list-too-large', message);
}
