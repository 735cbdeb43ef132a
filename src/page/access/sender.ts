import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';

/** Where a request comes from: a page of this origin, another site, or a program, whose requests do not say. */
export type Sender = 'own' | 'foreign' | 'unknown';

/** Who sent a request, by the headers that browsers set and no script can. */
export function senderOf(c: Context, { isTls }: { readonly isTls: boolean }): Sender {
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign';
  // Browsers before 2023 set no Sec-Fetch-Site, but the origin of each POST.
  const origin = c.req.header('origin');
  if (origin === undefined) return 'unknown';
  return origin === `${isTls ? 'https' : 'http'}://${c.req.header('host')}` ? 'own' : 'foreign';
}

/** The host name of a request in lower case, without its port; undefined if it has none. */
export function hostNameOf(c: Context): string | undefined {
  const [, name] =
    /^(\[[\d:a-f]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(c.req.header('host') ?? '') ?? [];
  return name?.toLowerCase();
}

/** The address of the client, or of the proxy or tunnel in front of the page; undefined without a connection. */
export function addressOf(c: Context): string | undefined {
  // The server passes the bindings of Node; without a server there are none.
  const { incoming } = Object(c.env) as { readonly incoming?: IncomingMessage };
  return incoming?.socket.remoteAddress;
}

/** The token of a request; undefined if it has none. A browser sends this header only for a script that has the token. */
export function bearerOf(c: Context): string | undefined {
  return /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
}
