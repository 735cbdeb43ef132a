import { gzipSync } from 'node:zlib';
import type { Secret } from '../core/text/secret.ts';
import { excerpt } from '../core/text/quote.ts';
import { secret } from '../core/text/secret.ts';
import type { Clock } from '../registry/clock.ts';
import { startDeadline, type Deadline } from '../registry/http/deadline.ts';
import { withoutToken } from '../registry/http/echoed-token.ts';
import { sendRequest } from '../registry/http/http-client.ts';
import { DEFAULT_LIMITS } from '../registry/http/limits.ts';
import { deadlineFailure } from '../registry/http/network-failure.ts';
import { readRetryAfter } from '../registry/http/retry-after.ts';
import { unlessAborted } from '../registry/unless-aborted.ts';

/** Where logs are sent. */
export interface Collector {
  /** An http: or https: address without a query. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, Secret>>;
}

/** What a collector answered, and why. */
export type Answer =
  /** It has the records, except for so many: a whole number or Infinity, 0 if the answer has no such number. */
  | { readonly kind: 'accepted'; readonly rejected: number; readonly why: string }
  /** The request is larger than it allows. */
  | { readonly kind: 'too-large'; readonly why: string }
  /** It cannot use one of the records. */
  | { readonly kind: 'refused'; readonly why: string }
  /** It takes no records from this machine, or not at this address. */
  | { readonly kind: 'closed'; readonly why: string }
  /** It cannot be reached, or asks to wait. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly retryMs: number | undefined };

const LARGEST_ANSWER = 64 * 1024;
const REFUSED = new Set([400, 422]);
const TEMPORARY = new Set([408, 425, 429]);
/** What separates the parts of a header's value. */
const PUNCTUATION = /[\s"'=:;,]+/;
const WEB_PAGE = /^text\/html\b/i;

/** How a request is sent. */
export interface Sending {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Sends one request, whose body is the JSON `body`. Throws the reason of `signal` if it aborts. */
export async function sendTo(
  { endpoint, headers }: Collector,
  body: string,
  { clock, signal, fetch }: Sending,
): Promise<Answer> {
  const where = excerpt(endpoint);
  const deadline = startDeadline(where, DEFAULT_LIMITS, signal);
  const secrets = Object.entries(headers).map(([name, value]) => [name, value.reveal()] as const);
  const words = wordsOf(secrets.map(([, value]) => value));
  const post = async (): Promise<Answer> => {
    const sent = {
      method: 'POST',
      body: gzipSync(body),
      headers: {
        ...Object.fromEntries(secrets),
        accept: 'application/json',
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      signal: deadline.signal,
    };
    const response = await sendRequest(new URL(endpoint), sent, fetch);
    deadline.begin();
    const text = await textOf(response, deadline);
    return answerOf(response, text, { where, words, now: clock.now() });
  };
  try {
    // After a garbage collection, Node can ignore the signal of a fetch.
    return await unlessAborted(deadline.signal, post());
  } catch (error) {
    signal.throwIfAborted();
    const request = { where, fetch, url: new URL(endpoint) };
    const { message: why } = deadlineFailure(error, deadline.signal, request, clock.now());
    return { kind: 'unavailable', why, retryMs: undefined };
  } finally {
    deadline.stop();
  }
}

/** The body of a response, without what is too long. */
async function textOf(response: Response, deadline: Deadline): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > LARGEST_ANSWER) break;
    deadline.receive(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

interface AnswerContext {
  readonly where: string;
  /** What of the request's headers is not shown. */
  readonly words: readonly Secret[];
  readonly now: number;
}

/** What a response means. OTLP lists the statuses that are retried; 5xx others are too, because a repair ends them. */
function answerOf(
  { status, headers, ok }: Response,
  text: string,
  { where, words, now }: AnswerContext,
): Answer {
  // OTLP has a message, and modreg's own registry a problem document (RFC 9457).
  const { detail, message = detail, partialSuccess } = fieldsIn(text);
  if (ok && WEB_PAGE.test(headers.get('content-type') ?? '')) {
    // Whatever answered has not kept the records: a portal, which ends when someone signs in or the network changes.
    const why = `${where} answered ${status} with a web page, as a network that requires a sign-in does`;
    return { kind: 'unavailable', why, retryMs: undefined };
  }
  if (ok) {
    const { rejectedLogRecords, errorMessage } = fieldsOf(partialSuccess);
    const rejected = countIn(rejectedLogRecords);
    return { kind: 'accepted', rejected, why: inBrackets(errorMessage, words) };
  }
  const why = `${where} answered ${status}${inBrackets(message, words)}`;
  if (status === 413) return { kind: 'too-large', why };
  if (REFUSED.has(status)) return { kind: 'refused', why };
  if (status >= 500 || TEMPORARY.has(status)) {
    return { kind: 'unavailable', why, retryMs: readRetryAfter(headers.get('retry-after'), now) };
  }
  const redirects = status < 400 ? ', a redirect, which is not followed' : '';
  return { kind: 'closed', why: why + redirects };
}

/** A count in the JSON of OTLP: a number, or a string of digits. */
function countIn(value: unknown): number {
  const count = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0;
  return count > 0 ? Math.trunc(count) : 0;
}

/** `message` without `words`, which are looked for after decoding and before anything is cut off or escaped. */
function inBrackets(message: unknown, words: readonly Secret[]): string {
  if (typeof message !== 'string' || message === '') return '';
  return ` (${excerpt(words.reduce((rest, word) => withoutToken(rest, word), message))})`;
}

/** The values of headers, and their parts, longest first: a collector can repeat the token of `Bearer …` or `key=…` alone. */
function wordsOf(values: readonly string[]): Secret[] {
  const parts = values.flatMap((value) => [
    value,
    ...value.split(/\s+/),
    ...value.split(PUNCTUATION),
  ]);
  const longestFirst = [...new Set(parts)].toSorted((a, b) => b.length - a.length);
  return longestFirst.map((part) => secret(part));
}

function fieldsIn(json: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(json));
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
