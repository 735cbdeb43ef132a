import type { Clock } from '../registry/clock.ts';
import type { Catalogue } from '../server/catalogue/catalogue.ts';
import { ChangeUnavailable } from '../server/catalogue/write-change.ts';
import type { FollowerOptions } from './follower.ts';
import { openFront, type Front } from './front.ts';
import type { ClusterPlace } from './nats/connection.ts';

const AGAIN_AFTER_MS = 1000;

/**
 * Makes a catalogue follow the stream of a cluster. A catalogue with events is served meanwhile, however long no node can be reached;
 * for a new one, it rejects as openFront does.
 */
export async function openFrontInTime(
  catalogue: Catalogue,
  place: ClusterPlace,
  options: { readonly clock: Clock; readonly onEvent: FollowerOptions['onEvent'] },
): Promise<Front> {
  if (catalogue.log.last() === 0) return await openFront(catalogue, place, options);
  const { clock, onEvent } = options;
  const closing = new AbortController();
  let front: Front | undefined;
  const open = async (): Promise<void> => {
    let isKnown = false;
    while (!front && !closing.signal.aborted) {
      try {
        front = await openFront(catalogue, place, options);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (!isKnown) onEvent({ kind: 'unreachable', message });
        isKnown = true;
        await clock.sleep(AGAIN_AFTER_MS, closing.signal).catch(() => undefined);
      }
    }
  };
  const opened = open();
  return {
    replica: {
      async write(change) {
        if (front) return await front.replica.write(change);
        throw new ChangeUnavailable('no node of the cluster can be reached');
      },
      isController: () => front?.replica.isController() ?? false,
      trouble: () => front?.replica.trouble(),
    },
    async close() {
      closing.abort();
      await opened;
      await front?.close();
    },
  };
}
