import { excerpt } from '../../core/text/quote.ts';
import { systemRandom } from '../../registry/clock.ts';
import { repeated } from '../repeated.ts';
import { noticeBody, receiverName, type Receivers } from '../notice.ts';
import { noticeSender } from './notice-sender.ts';
import { addWaiting, countWaiting, keepReceivers, settleHeld } from './notice-table.ts';
import { noticeWatch, type Watched } from './notice-watch.ts';

/** What is told to receivers (D211). */
export interface Notices {
  /** Looks for what to tell, now. Never rejects. */
  readonly look: () => Promise<void>;
  /** Sends what waits, now, unless a back-off has not passed. Never rejects. */
  readonly send: () => Promise<void>;
  /** How many wait. Throws a DatabaseError. */
  readonly waiting: () => number;
  /** Does both again and again until the returned function is called. */
  readonly run: () => () => Promise<void>;
}

const LOOK = { everyMs: 30_000, factor: 20 };
const SEND = { everyMs: 2000, factor: 0 };
/** For so long, a front keeps what another one has to send. */
const HELD_MS = 300_000;

/** `isTurn` returns whether this server, of the fronts of a cluster, tells it now (D214). */
export function noticesOf(watched: Watched, receivers: Receivers, isTurn: () => boolean): Notices {
  const { fleet, clock } = watched;
  const { addresses, onEvent } = receivers;
  const ending = new AbortController();
  const watch = noticeWatch(watched, (sql, notices, at) => {
    keepReceivers(sql, addresses.map(receiverName));
    settleHeld(sql, at - HELD_MS, isTurn());
    for (const notice of notices) {
      const { event } = notice;
      const waiting = { event, at, body: noticeBody(notice, at), isHeld: !isTurn() };
      for (const address of addresses) {
        const count = addWaiting(sql, receiverName(address), waiting);
        if (count > 0) onEvent({ kind: 'notice-dropped', count, to: address.origin });
      }
    }
  });
  const parts = { fleet, receivers, clock, random: systemRandom };
  const senders = addresses.map((address) => {
    const send = noticeSender(address, parts);
    return guarded(async () => await send(ending.signal), onEvent);
  });
  const look = guarded(watch, onEvent);
  return {
    look,
    send: async () => void (await Promise.all(senders.map(async (send) => await send()))),
    waiting: () => fleet.read(countWaiting),
    run() {
      const stops = [repeated(look, LOOK), ...senders.map((send) => repeated(send, SEND))];
      return async () => {
        ending.abort();
        await Promise.all(stops.map(async (stop) => await stop()));
      };
    },
  };
}

/**
 * `work` that never rejects: a registry goes on, whatever is wrong with what it tells. A trouble is told once, until all is well again
 * (T614).
 */
function guarded(work: () => Promise<void>, onEvent: Receivers['onEvent']): () => Promise<void> {
  let known: string | undefined;
  return async () => {
    try {
      await work();
      known = undefined;
    } catch (error) {
      const because = excerpt(String(error));
      if (because !== known) onEvent({ kind: 'notices-failed', because });
      known = because;
    }
  };
}
