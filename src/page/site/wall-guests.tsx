import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { readBody } from '../../server/routes/request-body.ts';
import type { Guests } from '../access/access-options.ts';
import { foreign } from '../access/refusal.ts';
import { senderOf } from '../access/sender.ts';
import type { Frame } from '../frame.tsx';
import { answered, type PagedSite } from './site-answer.ts';
import { WallEntrance } from './views/wall-entrance.tsx';

export const WALL_PATH = '/wall';
const ENTRANCE = '/wall/open';
/** Only requests for the wall have it. Scripts cannot read it. */
const COOKIE = '__Secure-modreg-wall';
/** Browsers keep none for longer. Whether the token is still valid is asked each time. */
const KEPT_S = 400 * 24 * 3600;
/** A token in a form. */
const LARGEST_BODY = 1024;

/** The same for each token that opens nothing: who guesses learns nothing (T619). */
const REFUSED =
  'this opens no wall: the token is wrong, was revoked, has expired, or is for something else. modreg registry page wall prints another link';

/** Those who have the link of the wall (D216). Its token is after the #, which browsers do not send; a form sends it here, once. */
export function wallGuests(site: PagedSite, frame: Frame): Guests {
  return {
    path: WALL_PATH,
    entrance: ENTRANCE,
    isGuest(c) {
      const token = getCookie(c, COOKIE);
      return token !== undefined && site.opensWall(token);
    },
    addEntrance(app, options) {
      const entrance = (c: Context, problem?: string): Response | Promise<Response> =>
        frame.open(c, 'Wall', <WallEntrance action={ENTRANCE} problem={problem} />);
      app.get(ENTRANCE, (c) => entrance(c));
      app.post(ENTRANCE, async (c) => {
        if (senderOf(c, options) !== 'own') return foreign();
        const body = await readBody(c.req.raw, LARGEST_BODY);
        const token = new URLSearchParams(body.ok ? body.text : '').get('token')?.trim() ?? '';
        const opens = await answered(() => ({ ok: true, value: site.opensWall(token) }));
        if (!opens.ok) return await frame.failed(c, opens.error);
        if (!opens.value) {
          c.status(401);
          return await entrance(c, REFUSED);
        }
        options.onEvent?.('wall-opened');
        const headers = { location: WALL_PATH, 'set-cookie': cookieOf(token) };
        return c.body(null, 303, headers);
      });
    },
  };
}

function cookieOf(token: string): string {
  return `${COOKIE}=${token}; Max-Age=${KEPT_S}; Path=${WALL_PATH}; Secure; HttpOnly; SameSite=Strict`;
}
