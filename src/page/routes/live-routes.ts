import type { Hono } from 'hono';
import { streamSSE, type SSEMessage } from 'hono/streaming';
import { refusal } from '../access/refusal.ts';
import { feedsPerSession } from '../feeds-per-session.ts';
import { PAGE_LIMITS } from '../listen/page-server.ts';
import { LiveFeed, type Moment } from '../live-feed.ts';
import type { PagedMachine } from '../paged-machine.ts';
import type { Shown } from '../views/modules-view.tsx';

/** A feed without news says so often that it is alive. */
const ALIVE_MS = 15_000;

/** A quarter of the connections is for the feeds of one session: others can still open the page (T288). */
const FEEDS_PER_SESSION = PAGE_LIMITS.connections / 4;
/** A page whose feed was refused tries again after as long. */
const AGAIN_MS = 3000;

const FEED = 'text/event-stream';
/** The last event of a feed whose session has ended (T217). */
const SIGNED_OUT: SSEMessage = { event: 'signed-out', data: '' };

/**
 * The feed of what changes. A page says with `seen` which rows it has, and gets the HTML of those that differ, and
 * `order` with the ids of all if that changed. A page without rows only hears that the `plan` or the `log` changed. `onError` is
 * called once for each error of a look at the machine.
 */
export function addLiveRoutes(
  app: Hono,
  machine: PagedMachine,
  onError: (error: unknown) => void = () => undefined,
): void {
  const feed = new LiveFeed(machine, onError);
  const feeds = feedsPerSession(FEEDS_PER_SESSION);
  app.get('/v1/live', (c) => {
    // nginx and other proxies keep back what is not yet a full buffer (T357).
    c.header('x-accel-buffering', 'no');
    // A feed to a client that wants only the head would never end.
    if (c.req.method === 'HEAD') return c.body(null, { headers: { 'content-type': FEED } });
    const seen = c.req.query('seen');
    const version = seen === undefined ? undefined : (c.req.header('last-event-id') ?? seen);
    const isSignedIn = c.get('isSignedIn') ?? (() => true);
    const release = feeds.begin(c.get('session') ?? '');
    if (!release) return tooManyFeeds();
    return streamSSE(c, async (stream) => {
      const unfollow = feed.follow();
      const end = (): void => {
        unfollow();
        release();
      };
      stream.onAbort(end);
      try {
        let sent: Moment | undefined;
        while (!stream.aborted) {
          const moment = await feed.after(sent, ALIVE_MS);
          if (!isSignedIn()) return await stream.writeSSE(SIGNED_OUT);
          const events = moment ? eventsOf(moment, sent, version) : [];
          for (const event of [...events, aliveWith(moment ?? sent)]) await stream.writeSSE(event);
          sent = moment ?? sent;
        }
      } catch (error) {
        // The browser opens another feed, whose answer says what is wrong.
        onError(error);
      } finally {
        end();
      }
    });
  });
}

function tooManyFeeds(): Response {
  const found = `the session has ${FEEDS_PER_SESSION} feeds open, and may have ${FEEDS_PER_SESSION}`;
  return refusal('too-many-feeds', `${found}: close some pages of it`, AGAIN_MS);
}

/** What a page with rows of `version`, or without rows, is told of a moment if it was `sent` another one before. */
function eventsOf(
  { shown, log }: Moment,
  sent: Moment | undefined,
  version: string | undefined,
): SSEMessage[] {
  const news = [
    ...(sent && sent.shown !== shown ? [{ event: 'plan', data: '' }] : []),
    ...(sent && sent.log !== log ? [{ event: 'log', data: '' }] : []),
  ];
  return version === undefined ? news : [...rowEvents(shown, sent?.shown, version), ...news];
}

function rowEvents(
  { parts, order, version: now }: Shown,
  before: Shown | undefined,
  version: string,
): SSEMessage[] {
  const isSeen = before === undefined && version === now;
  const seen = new Set(isSeen ? order : []);
  const changed = [...parts].filter(
    ([id, html]) => !seen.has(id) && before?.parts.get(id) !== html,
  );
  const isOrdered = isSeen || before?.order.join() === order.join();
  return [
    ...changed.map(([, data]) => ({ data })),
    ...(isOrdered ? [] : [{ event: 'order', data: JSON.stringify(order) }]),
  ];
}

/** Ends what is told of a moment, and shows from time to time that the feed is not lost. */
function aliveWith(moment: Moment | undefined): SSEMessage {
  return { event: 'alive', data: '', id: moment?.shown.version ?? '' };
}
