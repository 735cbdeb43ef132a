import { deepStrictEqual } from 'node:assert/strict';
import { request } from 'node:http';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A tab that notes what must not happen: errors of scripts and of the policy, failed requests, other origins. */
export interface Tab {
  readonly page: Page;
  /** The number of requests so far. */
  readonly requests: () => number;
  /** Closes it, and fails if something happened that must not. */
  readonly close: () => Promise<void>;
}

/** Signs in with the code of an address, and resolves with the cookie of the session. */
export async function signIn(withCode: string): Promise<Session> {
  const { host, hostname, port, origin, hash } = new URL(withCode);
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  // The name of the page is one that only browsers resolve.
  const posted = request({
    host: '127.0.0.1',
    port,
    path: '/sign-in',
    method: 'POST',
    headers: { host, origin, 'content-type': 'application/x-www-form-urlencoded' },
  });
  posted.on('response', ({ headers }) => resolve(headers['set-cookie']?.[0]));
  posted.on('error', reject);
  posted.end(hash.slice(1));
  const [, name, value] = /^([^=]+)=([^;]+)/.exec((await promise) ?? '') ?? [];
  if (name === undefined || value === undefined) throw new Error(`cannot sign in at ${withCode}`);
  const cookie = { name, value, domain: hostname, path: '/', expires: -1 };
  const attributes = { httpOnly: true, secure: true, sameSite: 'Strict' } as const;
  return { cookies: [{ ...cookie, ...attributes }], origins: [] };
}

type Session = Exclude<BrowserContextOptions['storageState'], string | undefined>;

/** Where a tab is opened: an address, and the session of somebody who has signed in. */
export interface Place {
  readonly url: string;
  readonly session?: Session;
}

/** The place of a page for somebody who signs in with the code that it printed. */
export async function placeOf(server: {
  readonly url: string;
  readonly withCode: string;
}): Promise<Place> {
  return { url: server.url, session: await signIn(server.withCode) };
}

export async function openTab(
  browser: Browser,
  { url, session }: Place,
  options: BrowserContextOptions & {
    readonly mayFail?: RegExp;
    readonly prepare?: (page: Page) => Promise<void>;
  } = {},
): Promise<Tab> {
  const { mayFail, prepare, ...context } = options;
  const viewport = { width: 1280, height: 800 };
  const storageState = session ?? { cookies: [], origins: [] };
  const opened = await browser.newContext({ viewport, storageState, ...context });
  const page = await opened.newPage();
  const { wrong, requests } = watch(page, url, mayFail);
  await prepare?.(page);
  await page.goto(url);
  return {
    page,
    requests,
    async close() {
      await opened.close();
      deepStrictEqual(wrong, []);
    },
  };
}

function watch(
  page: Page,
  url: string,
  mayFail: RegExp | undefined,
): { readonly wrong: readonly string[]; readonly requests: () => number } {
  const wrong: string[] = [];
  let count = 0;
  const note = (text: string): void => {
    if (!mayFail?.test(text)) wrong.push(text);
  };
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') note(message.text());
  });
  page.on('pageerror', (error) => note(String(error)));
  page.on('requestfailed', (failed) => {
    // A page that is left closes its feed, and ends what it renews.
    const isLeft = failed.failure()?.errorText === 'net::ERR_ABORTED';
    if (!failed.url().includes('/v1/live') && !(isLeft && failed.resourceType() === 'fetch'))
      note(`${failed.url()} failed`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) note(`${response.url()} answered ${response.status()}`);
  });
  page.on('request', (asked) => {
    count += 1;
    const { origin, protocol } = new URL(asked.url());
    if (protocol !== 'data:' && origin !== new URL(url).origin) note(`asked ${origin}`);
  });
  return { wrong, requests: () => count };
}
