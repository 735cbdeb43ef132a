import type { Clock } from '../../registry/clock.ts';
import { startDeadline } from '../../registry/http/deadline.ts';
import { sendRequest } from '../../registry/http/http-client.ts';
import { DEFAULT_LIMITS } from '../../registry/http/limits.ts';
import { deadlineFailure } from '../../registry/http/network-failure.ts';
import { readRetryAfter } from '../../registry/http/retry-after.ts';
import { unlessAborted } from '../../registry/unless-aborted.ts';
import { signedHeaders, type Receivers } from '../notice.ts';

/** What a receiver did with a notice. `why` is one line. */
export type Answer =
  | { readonly kind: 'accepted' }
  /** It does not take this notice, or none from this registry. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unavailable'; readonly why: string; readonly retryMs: number | undefined };

const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429]);

/** Sends a notice. No redirect is followed, and the body of the answer is not read. Undefined if `signal` aborts. */
export async function postNotice(
  address: URL,
  body: string,
  {
    secret,
    fetch,
    clock,
    signal,
  }: Pick<Receivers, 'secret' | 'fetch'> & {
    readonly clock: Pick<Clock, 'now'>;
    readonly signal: AbortSignal;
  },
): Promise<Answer | undefined> {
  // The path may be secret.
  const where = address.origin;
  const deadline = startDeadline(where, DEFAULT_LIMITS, signal);
  const post = async (): Promise<Answer> => {
    const headers = {
      'content-type': 'application/json',
      ...signedHeaders(body, secret, clock.now()),
    };
    const sent = { method: 'POST', body, headers, signal: deadline.signal };
    const response = await sendRequest(address, sent, fetch);
    // Closes the connection if there is more of it.
    await response.body?.cancel();
    return answerOf(response, where, clock.now());
  };
  try {
    return await unlessAborted(deadline.signal, post());
  } catch (error) {
    if (signal.aborted) return undefined;
    const request = { where, fetch, url: new URL(where) };
    const { message: why } = deadlineFailure(error, deadline.signal, request, clock.now());
    return { kind: 'unavailable', why, retryMs: undefined };
  } finally {
    deadline.stop();
  }
}

function answerOf({ status, headers, ok }: Response, where: string, now: number): Answer {
  if (ok) return { kind: 'accepted' };
  const why = `${where} answered ${status}`;
  if (status >= 500 || TEMPORARY.has(status)) {
    return { kind: 'unavailable', why, retryMs: readRetryAfter(headers.get('retry-after'), now) };
  }
  const redirect = status >= 300 && status < 400 ? ', a redirect, which is not followed' : '';
  return { kind: 'refused', why: why + redirect };
}
