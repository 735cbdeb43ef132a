import ky, { isNetworkError } from 'ky';
import { excerpt } from '../../core/quote.ts';
import type { Secret } from '../../core/secret.ts';
import type { Clock } from '../clock.ts';
import { jsonMeter } from '../formats/json-meter.ts';
import { RegistryError } from '../registry-error.ts';
import { startDeadline, type Deadline } from './deadline.ts';
import type { Limits } from './limits.ts';
import { codeOf, networkFailure } from './network-failure.ts';
import { badRedirect, redirectTarget } from './redirect.ts';

/** One question to a registry. */
export interface Inquiry {
  readonly url: URL;
  /** Who is asked, for a person, escaped. */
  readonly where: string;
  readonly accept: string;
  /** The entity tag of what is known. */
  readonly etag?: string | undefined;
  readonly token?: Secret | undefined;
  /** The largest body, in bytes after decompression, and its most commas and brackets. */
  readonly largest: number;
  readonly mostTokens: number;
}

/** The answer, with its body where it is one of status 200. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export interface Surroundings {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Others take more memory to undo, and several at once without end. */
const ENCODINGS = new Set(['gzip', 'x-gzip', 'identity']);
const JSON_TYPE = /^application\/([\w.-]+\+)?json *(;|$)/i;
const EMPTY = new Uint8Array();

/**
 * Asks once, and reads the answer within its limits. Throws a RegistryError where there is none, and
 * the reason of `signal` when that is aborted.
 */
export async function exchange(inquiry: Inquiry, surroundings: Surroundings): Promise<Reply> {
  const { limits, clock, signal } = surroundings;
  const deadline = startDeadline(inquiry.where, limits);
  const ended = AbortSignal.any(signal ? [deadline.signal, signal] : [deadline.signal]);
  try {
    return await unlessAborted(ended, receive(inquiry, deadline, ended));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof RegistryError) throw error;
    if (deadline.signal.aborted) throw deadline.signal.reason;
    // A mistake of our own is not blamed on the network.
    if (!isNetworkError(error) && !isTerminated(error) && codeOf(error) === undefined) throw error;
    throw networkFailure(error, inquiry.where, clock.now());
  } finally {
    deadline.stop();
  }
}

/** What reading a body ends with when its connection breaks. */
function isTerminated(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}

async function receive(inquiry: Inquiry, deadline: Deadline, signal: AbortSignal): Promise<Reply> {
  const { status, headers, body } = await follow(inquiry, signal);
  deadline.begin();
  if (status === 200 && body) {
    return { status, headers, body: await readBody(body, headers, { inquiry, deadline, signal }) };
  }
  await body?.cancel();
  return { status, headers, body: EMPTY };
}

/**
 * What `work` comes to, unless `signal` is aborted first. Node forgets the signal of a fetch when its
 * memory is tidied up, so that a body may go on for ever: nothing here waits for it alone.
 */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The first answer that is no redirect. */
async function follow(inquiry: Inquiry, signal: AbortSignal): Promise<Response> {
  const { where } = inquiry;
  let { url } = inquiry;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await ky(url, {
      headers: headersOf(inquiry),
      signal,
      redirect: 'manual',
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
    });
    if (!REDIRECTS.has(response.status)) return response;
    await response.body?.cancel();
    url = redirectTarget(url, response.headers.get('location'), where);
  }
  throw badRedirect(`${where} redirects more than ${MOST_REDIRECTS} times`);
}

function headersOf({ accept, etag, token }: Inquiry): Record<string, string> {
  return {
    accept,
    'accept-encoding': 'gzip',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(token ? { authorization: `Bearer ${token.reveal()}` } : {}),
  };
}

interface Reading {
  readonly inquiry: Inquiry;
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
}

/** Closes the connection, whatever else it may hold. */
function giveUp(reader: ReadableStreamDefaultReader): void {
  reader.cancel().catch(() => undefined);
}

/** The body as it comes, measured before the next part is asked for. */
async function readBody(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  { inquiry, deadline, signal }: Reading,
): Promise<Uint8Array> {
  const { where, largest, mostTokens } = inquiry;
  const reader = body.getReader();
  signal.addEventListener('abort', () => giveUp(reader), { once: true });
  const chunks: Uint8Array[] = [];
  const meter = jsonMeter(mostTokens);
  let size = 0;
  try {
    checkHeaders(headers, where, largest);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        if (isOpenEnded(headers) && meter.isCutShort()) throw brokenOff(where);
        return Buffer.concat(chunks, size);
      }
      deadline.receive(value.length);
      size += value.length;
      if (size > largest) throw tooLarge(`it has more than ${largest} bytes`);
      meter.feed(value);
      chunks.push(value);
    }
  } catch (error) {
    giveUp(reader);
    if (!(error instanceof RegistryError) || error.kind !== 'list-too-large') throw error;
    throw new RegistryError(error.kind, `the answer of ${where} is too large: ${error.message}`);
  }
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
  if (length > largest)
    throw tooLarge(`it says it has ${length} bytes, and at most ${largest} are read`);
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (!ENCODINGS.has(encoding.toLowerCase())) {
    const message = `${where} answers with the encoding ${excerpt(encoding)}, which nobody asked for`;
    throw new RegistryError('not-a-registry', message);
  }
}

function tooLarge(message: string): RegistryError {
  return new RegistryError('list-too-large', message);
}
