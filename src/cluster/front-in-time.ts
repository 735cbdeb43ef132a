import type { Catalogue } from '../server/catalogue/catalogue.ts';
import type { Replica } from '../server/registry-options.ts';
import { ChangeUnavailable } from '../server/catalogue/write-change.ts';
import type { FollowerOptions } from './follower.ts';
import { openFront, type Front, type FrontOptions } from './front.ts';
import type { ClusterPlace } from './nats/connection.ts';

const AGAIN_AFTER_MS = 1000;

/**
 * Makes a catalogue follow the stream of a cluster. A catalogue with events is served meanwhile, however long no node can be reached;
 * for a new one, it rejects as openFront does.
 */
export async function openFrontInTime(
  catalogue: Catalogue,
  place: ClusterPlace,
  options: FrontOptions,
): Promise<Front> {
  if (!catalogue.log.isOfFront()) return await openFront(catalogue, place, options);
  const closing = new AbortController();
  let front: Front | undefined;
  let reported: Parameters<Replica['shareReports']> | undefined;
  let stopSharing: (() => Promise<void>) | undefined;
  const share = (): void => {
    if (front && reported) stopSharing = front.replica.shareReports(...reported);
  };
  const keepOpen = async (): Promise<void> => {
    const open = openFront.bind(undefined, catalogue, place, options);
    front = await untilOpen(open, options, closing.signal);
    if (!closing.signal.aborted) share();
  };
  const opened = keepOpen();
  return {
    replica: {
      write: async (change) => await (front?.replica.write(change) ?? unreachable()),
      shareReports(fleet, onEvent) {
        reported = [fleet, onEvent];
        // A report that only this front has would be missing on the others.
        fleet.sendToAll = unreachable;
        share();
        return async () => await stopSharing?.();
      },
      isController: () => front?.replica.isController() ?? false,
      trouble: () => front?.replica.trouble(),
      withheld: () => front?.replica.withheld(),
      isConfirmed: () => front?.replica.isConfirmed() ?? false,
    },
    async close() {
      closing.abort();
      await opened;
      await front?.close();
    },
  };
}

/** The front, once it can be opened; undefined if `signal` aborts before. */
async function untilOpen(
  open: () => Promise<Front>,
  { clock, onEvent }: Pick<FollowerOptions, 'clock' | 'onEvent'>,
  signal: AbortSignal,
): Promise<Front | undefined> {
  for (let time = 0; !signal.aborted; time++) {
    try {
      return await open();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (time === 0) onEvent({ kind: 'unreachable', message });
      await clock.sleep(AGAIN_AFTER_MS, signal).catch(() => undefined);
    }
  }
  return undefined;
}

async function unreachable(): Promise<never> {
  return await Promise.reject(new ChangeUnavailable('no node of the cluster can be reached'));
}
