import ky, { isNetworkError } from 'ky';
import type { Secret } from '../../core/text/secret.ts';
import type { Clock } from '../clock.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { RegistryError } from '../registry-error.ts';
import { NO_BODY, readBody, type Body, type BodyBounds } from './body.ts';
import { startDeadline, type Deadline } from './deadline.ts';
import type { Limits } from './limits.ts';
import { codeOf, networkFailure } from './network-failure.ts';
import { badRedirect, redirectTarget } from './redirect.ts';

/** One question to a registry. */
export interface Inquiry extends BodyBounds {
  readonly url: URL;
  readonly accept: string;
  /** The entity tag of what is known. */
  readonly etag?: string | undefined;
  readonly token?: Secret | undefined;
  /** The global one unless given. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How long the registry is asked to think it over, in milliseconds: its answer may take that much longer. */
  readonly waitMs?: number | undefined;
}

/** The answer, with its body where it is one of status 200. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface ExchangeContext {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Asks once, and reads the answer within its limits. Throws a RegistryError where there is none, and
 * the reason of `signal` when that is aborted.
 */
export async function exchange(inquiry: Inquiry, context: ExchangeContext): Promise<Reply> {
  const { limits, clock, signal } = context;
  const { where, waitMs = 0 } = inquiry;
  const patient = {
    ...limits,
    answerMs: limits.answerMs + waitMs,
    totalMs: limits.totalMs + waitMs,
  };
  const deadline = startDeadline(where, patient, signal);
  try {
    // When its memory is tidied up, Node forgets the signal of a fetch, and a body may go on for ever.
    return await unlessAborted(deadline.signal, receive(inquiry, deadline));
  } catch (error) {
    deadline.signal.throwIfAborted();
    if (error instanceof RegistryError) throw error;
    // A mistake of our own is not blamed on the network; a `fetch` that was given may throw anything.
    const isOurs = !isNetworkError(error) && !isTerminated(error) && codeOf(error) === undefined;
    if (isOurs && inquiry.fetch === undefined) throw error;
    throw networkFailure(error, where, clock.now());
  } finally {
    deadline.stop();
  }
}

/** What reading a body ends with when its connection breaks. */
function isTerminated(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}

async function receive(inquiry: Inquiry, deadline: Deadline): Promise<Reply> {
  const response = await follow(inquiry, deadline.signal);
  const { status, headers } = response;
  if (status === 200) {
    deadline.begin();
    return { status, headers, body: await readBody(response, inquiry, deadline) };
  }
  await response.body?.cancel();
  return { status, headers, body: NO_BODY };
}

/** The first answer that is no redirect. */
async function follow(inquiry: Inquiry, signal: AbortSignal): Promise<Response> {
  const { where, fetch } = inquiry;
  let { url } = inquiry;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await ky(url, {
      headers: headersOf(inquiry),
      ...(fetch ? { fetch } : {}),
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
