import { unlessAborted } from '../unless-aborted.ts';
import type { ExchangeContext } from './exchange.ts';
import { startDeadline } from './deadline.ts';
import { follow, type FollowedRequest } from './follow.ts';
import { abortReason, requestFailure } from './network-failure.ts';

/** A response whose body has not been read. */
export interface StreamedReply {
  readonly status: number;
  readonly headers: Headers;
  /** The body, part by part. Throws like `openReply`. */
  readonly parts: () => AsyncGenerator<Uint8Array, void>;
  /** Closes the connection, whether or not the body was read. Call it in every case. */
  readonly close: () => void;
}

/**
 * Sends a GET, and returns its response once the header has arrived. Its limits continue until it is closed. Throws a
 * RegistryError if there is no response, and the reason of `signal` if it aborts.
 */
export async function openReply(
  request: Omit<FollowedRequest, 'change'>,
  { limits, clock, signal }: ExchangeContext,
): Promise<StreamedReply> {
  const deadline = startDeadline(request.where, limits, signal);
  const failure = (error: unknown): unknown => {
    if (deadline.signal.aborted) return abortReason(deadline.signal.reason, request);
    return requestFailure(error, request, clock.now());
  };
  let response: Response;
  try {
    // After a garbage collection, Node can ignore the signal of a fetch.
    response = await unlessAborted(deadline.signal, follow(request, deadline.signal));
  } catch (error) {
    deadline.stop();
    throw failure(error);
  }
  deadline.begin();
  const reader = (response.body ?? new Blob([]).stream()).getReader();
  return {
    status: response.status,
    headers: response.headers,
    async *parts() {
      for (;;) {
        const next = await unlessAborted(deadline.signal, reader.read()).catch((error: unknown) => {
          throw failure(error);
        });
        if (next.done) return;
        deadline.receive(next.value.length);
        yield next.value;
      }
    },
    close() {
      deadline.stop();
      reader.cancel().catch(() => undefined);
    },
  };
}
