import { get, type ClientRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { MACHINE_PAGE } from '../../src/page/access/access-options.ts';
import { openPageFile } from '../../src/page/access/page-file.ts';
import { pageApp } from '../../src/page/app.ts';
import { listenForPage, PAGE_LIMITS } from '../../src/page/listen/page-server.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pagedPlan } from '../support/paged-plan.ts';
import { planWith } from './support/open-feeds.ts';

const now = (): number => Date.now();
const QUARTER = PAGE_LIMITS.connections / 4;

/** A page over HTTP: the result signs a person in, and then asks for a feed of that session. */
async function served(): Promise<() => () => ClientRequest> {
  const file = openPageFile(`${temporaryFolder()}/page.db`, 50);
  const access = { naming: MACHINE_PAGE, file, names: () => true, isTls: false, now };
  const app = pageApp(pagedPlan(planWith('2.*')), { assets: { style: '', script: '' }, access });
  const page = await listenForPage(
    app,
    { host: '127.0.0.1', port: 0 },
    { tls: undefined, idleMs: undefined },
  );
  onTestFinished(async () => {
    await page.close();
    file.close();
  });
  return () => {
    const token = file.signIn(file.newCode(now()), now()) ?? '';
    const headers = { host: 'rover.localhost', authorization: `Bearer ${token}` };
    return () => get({ port: page.port, path: '/v1/live', headers, agent: false });
  };
}

/** Opens a feed; its answer, once it has begun. */
async function opened(feed: () => ClientRequest): Promise<IncomingMessage> {
  const request = feed();
  onTestFinished(() => void request.destroy());
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer.on('error', () => undefined).resume();
}

/** Hangs up before the answer to the request for a feed. */
async function hungUp(feed: () => ClientRequest): Promise<void> {
  const request = feed().on('error', () => undefined);
  await once(request, 'finish');
  request.destroy();
}

async function statusOf(feed: () => ClientRequest): Promise<number | undefined> {
  const answer = await opened(feed);
  answer.destroy();
  return answer.statusCode;
}

async function quarterOf(feed: () => ClientRequest): Promise<IncomingMessage[]> {
  return await Promise.all(Array.from({ length: QUARTER }, async () => await opened(feed)));
}

it('a session has at most a quarter of the connections of a page for its feeds (T288)', async () => {
  const session = await served();
  const [own, other] = [session(), session()];
  const feeds = await quarterOf(own);
  expect(new Set(feeds.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  const refused = await opened(own);
  const text = once(refused, 'data');
  const { statusCode, headers } = refused;
  expect([statusCode, headers['content-type'], headers['retry-after']]).toEqual([
    429,
    'application/problem+json',
    '3',
  ]);
  expect(JSON.parse(String(await text))).toEqual({
    type: 'urn:modreg:too-many-feeds',
    title: 'Too many feeds',
    status: 429,
    detail: 'the session has 64 feeds open, and may have 64: close some pages of it',
  });
  expect(await statusOf(other)).toBe(200);
  feeds[0]?.destroy();
  await expect.poll(async () => await statusOf(own)).toBe(200);
});

it('[T288] a session has all of its feeds again after its clients hung up', async () => {
  const own = (await served())();
  for (const feed of await quarterOf(own)) feed.destroy();
  await Promise.all(Array.from({ length: QUARTER }, async () => await hungUp(own)));
  const refused = async (): Promise<number> => {
    const feeds = await quarterOf(own);
    for (const feed of feeds) feed.destroy();
    return feeds.filter(({ statusCode }) => statusCode !== 200).length;
  };
  // Those before may still be ending.
  await expect.poll(refused).toBe(0);
});
