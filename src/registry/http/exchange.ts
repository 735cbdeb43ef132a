import type { Secret } from '../../core/text/secret.ts';
import type { Clock } from '../clock.ts';
import type { RequestContext } from '../remote-registry.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { isJson, NO_BODY, readBody, type Body, type BodyBounds } from './body.ts';
import { withoutToken } from './echoed-token.ts';
import { startDeadline, type Deadline } from './deadline.ts';
import type { Limits } from './limits.ts';
import { abortReason, requestFailure } from './network-failure.ts';
import { follow } from './follow.ts';

/** One request to a registry. */
export interface RegistryRequest extends BodyBounds {
  readonly url: URL;
  readonly accept: string;
  /** The entity tag of the known list. */
  readonly etag?: string | undefined;
  readonly token?: Secret | undefined;
  /** How the token is sent: `Bearer` by default. */
  readonly scheme?: 'Basic' | 'Bearer' | undefined;
  /** What the body must not repeat besides the token. */
  readonly secrets?: readonly Secret[] | undefined;
  /** Statuses that say something besides those that a registry always uses. */
  readonly answered?: ReadonlySet<number> | undefined;
  /** Whether a redirect may lead to another server, because the response is compared with a digest. */
  readonly mayLeave?: boolean | undefined;
  /** A change that the response must include. */
  readonly atLeast?: RequestContext['atLeast'];
  /** The global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How long the registry may wait for a change, in milliseconds. The time limits are extended by it. */
  readonly waitMs?: number | undefined;
  /** Whether the body of a response that denies access, has nothing, or has a status in `answered` is read, which says why to a person. */
  readonly readsDenial?: true;
  /** If present, the request changes something. It is then not redirected, and the body of a problem is read as well. */
  readonly change?: Change | undefined;
}

/** Refused, or there is no such thing. */
const DENIALS: ReadonlySet<number> = new Set([401, 403, 404, 409]);

/** A request that changes something. */
export interface Change {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** The body: JSON, or a file; undefined to send none. */
  readonly body: string | SentFile | undefined;
}

/** A file that is sent piece by piece. */
export interface SentFile {
  readonly size: number;
  /** Opens it, again for each attempt. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** The response. Its body is read only if the status is 200, if it answers a change, or if it denies access and the request reads that. */
export interface Reply {
  /** The address that was requested. */
  readonly url?: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface ExchangeContext {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

const UPLOAD_IDLE_MS = 120_000;
const LEAST_BYTES_PER_MS = 32;

/**
 * Sends one request and reads the response within its limits. Throws a RegistryError if there is no usable response,
 * and the reason of `signal` if it aborts.
 */
export async function exchange(request: RegistryRequest, context: ExchangeContext): Promise<Reply> {
  const { limits, clock, signal } = context;
  const { where, waitMs = 0, change } = request;
  const extended = {
    ...limits,
    answerMs: limits.answerMs + waitMs,
    totalMs: limits.totalMs + waitMs,
    ...(typeof change?.body === 'object' ? uploadTimes(change.body) : {}),
  };
  const deadline = startDeadline(where, extended, signal);
  const sent = sentBody(change?.body, deadline);
  try {
    // After a garbage collection, Node can ignore the signal of a fetch, and a body could then continue for ever.
    return await unlessAborted(deadline.signal, receive(request, sent, deadline));
  } catch (error) {
    if (deadline.signal.aborted) throw abortReason(deadline.signal.reason, request);
    throw requestFailure(error, request, clock.now());
  } finally {
    deadline.stop();
    sent.close();
  }
}

async function receive(
  request: RegistryRequest,
  { init }: SentBody,
  deadline: Deadline,
): Promise<Reply> {
  const { url, where, fetch, change, mayLeave } = request;
  const changing = change && { method: change.method, ...init };
  const headersSent = headersOf(request);
  const following = { url, where, fetch, mayLeave, headers: headersSent, change: changing };
  const response = await follow(following, deadline.signal);
  const { status, headers } = response;
  const hasJson = isJson(headers.get('content-type'));
  const answersChange = request.change !== undefined && (status === 201 || hasJson);
  const denies = DENIALS.has(status) || request.answered?.has(status) === true;
  if (status === 200 || answersChange || (request.readsDenial && denies && hasJson)) {
    deadline.begin();
    const body = await readBody(response, request, deadline);
    const secrets = [...(request.secrets ?? []), request.token];
    return { status, headers, body: { ...body, text: secrets.reduce(withoutToken, body.text) } };
  }
  await response.body?.cancel();
  return { status, headers, body: NO_BODY };
}

/** The body of a request as `fetch` sends it. */
interface SentBody {
  readonly init: RequestInit;
  /** Closes its file: `fetch` leaves it open if the request fails. Call it in every case. */
  readonly close: () => void;
}

function sentBody(body: Change['body'], deadline: Deadline): SentBody {
  if (typeof body !== 'object') return { init: { body: body ?? null }, close: () => undefined };
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= body.open()[Symbol.asyncIterator]();
        const next = await chunks.next();
        deadline.progress();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
    },
    { highWaterMark: 0 },
  );
  return {
    init: { body: stream, duplex: 'half' },
    close: () => void chunks?.return?.().catch(() => undefined),
  };
}

/** The headers of a body. The length keeps `fetch` from sending it in chunks. */
function bodyHeaders(body: Change['body']): Record<string, string> {
  if (body === undefined) return {};
  if (typeof body === 'string') return { 'content-type': 'application/json' };
  return { 'content-type': 'application/octet-stream', 'content-length': `${body.size}` };
}

/** The time limits of a request that sends a file: as slow as a registry allows, which then writes it to its disk. */
function uploadTimes({ size }: SentFile): Pick<Limits, 'answerMs' | 'totalMs'> {
  return { answerMs: UPLOAD_IDLE_MS, totalMs: UPLOAD_IDLE_MS + size / LEAST_BYTES_PER_MS };
}

function headersOf({
  accept,
  etag,
  token,
  scheme = 'Bearer',
  atLeast,
  change,
}: RegistryRequest): Record<string, string> {
  return {
    accept,
    'accept-encoding': 'gzip',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(atLeast
      ? { 'modreg-at-least': `${atLeast.sequence}`, 'modreg-history': atLeast.history }
      : {}),
    ...bodyHeaders(change?.body),
    ...(token ? { authorization: `${scheme} ${token.reveal()}` } : {}),
  };
}
