import { SERVER_LIMITS, type ServerLimits } from '../server-limits.ts';
import { problem } from '../problem.ts';
import type { ExceededLimit } from '../registry-options.ts';

/** The requests that wait for a change, by peer. */
export interface LongPolls {
  /** Counts a long poll until the result is called; undefined if the peer has as many as it may have. */
  readonly begin: (peer: string | undefined) => (() => void) | undefined;
}

export function longPolls({
  limits = SERVER_LIMITS,
  refused,
}: {
  readonly limits?: ServerLimits | undefined;
  readonly refused: (limit: ExceededLimit, peer: string | undefined) => void;
}): LongPolls {
  const open = new Map<string | undefined, number>();
  return {
    begin(peer) {
      const count = open.get(peer) ?? 0;
      if (count >= limits.longPollsPerPeer) {
        refused('long-polls-per-peer', peer);
        return undefined;
      }
      open.set(peer, count + 1);
      return () => {
        const others = (open.get(peer) ?? 1) - 1;
        if (others === 0) open.delete(peer);
        else open.set(peer, others);
      };
    },
  };
}

/** The response to a long poll that is one too many. */
export function refusedPoll(): Response {
  const headers = { 'retry-after': `${SERVER_LIMITS.retryAfter / 1000}` };
  return problem('too-many-requests', 'the peer has too many long polls', { headers });
}
