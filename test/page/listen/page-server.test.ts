import { get, type IncomingMessage } from 'node:http';
import { EventEmitter, once } from 'node:events';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { idleWatch } from '../../../src/page/listen/idle-watch.ts';
import {
  listenForPage,
  PAGE_LIMITS,
  type PageServerOptions,
  type RunningPage,
} from '../../../src/page/listen/page-server.ts';
import type { RegistryEvent } from '../../../src/server/registry-options.ts';

const PLACE = { host: '127.0.0.1', port: 0 };

function pageWith(feedPauseMs: number): Hono {
  const app = new Hono();
  app.get('/', (c) => c.text('page'));
  app.get('/live', (c) =>
    streamSSE(c, async (stream) => {
      while (!stream.aborted) {
        await stream.write(':\n\n');
        await stream.sleep(feedPauseMs);
      }
    }),
  );
  return app;
}

async function listening(
  options: Partial<PageServerOptions> = {},
  pauseMs = 5,
): Promise<RunningPage> {
  const page = await listenForPage(pageWith(pauseMs), PLACE, {
    tls: undefined,
    idleMs: undefined,
    ...options,
  });
  onTestFinished(() => page.close());
  return page;
}

/** The response to a request whose connection is not kept. */
async function ask({ port }: RunningPage, path: string): Promise<IncomingMessage> {
  const [response] = (await once(get({ port, path, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  return response;
}

/** The next parts of a feed. */
async function parts(feed: IncomingMessage, count: number): Promise<number> {
  let seen = 0;
  for await (const _ of feed.iterator({ destroyOnReturn: false })) {
    seen++;
    if (seen === count) break;
  }
  return seen;
}

describe('a feed', () => {
  it('outlives the time in which a client must read, because it sends comments', async () => {
    const limits = { ...PAGE_LIMITS, unread: 300, idle: 300 };
    const feed = await ask(await listening({ limits }), '/live');
    expect(await parts(feed, 80)).toBe(80);
    feed.destroy();
  });

  it('that sends nothing for that time is ended', async () => {
    const limits = { ...PAGE_LIMITS, unread: 50 };
    const feed = await ask(await listening({ limits }, 5000), '/live');
    const [error] = (await once(feed.resume(), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
  });

  it('is ended at once when the page ends', async () => {
    const page = await listening({}, 5000);
    const feed = await ask(page, '/live');
    const ended = once(feed.resume(), 'error');
    const start = performance.now();
    await page.close();
    await ended;
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('a page that ends when it is idle', () => {
  it('does so without any request', async () => {
    const page = await listening({ idleMs: 20 });
    expect(await page.idle).toBe(undefined);
  });

  it('does so after the last request, and not while a feed is open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const page = await listening({ idleMs: 50 });
    let isIdle = false;
    void page.idle.then(() => (isIdle = true));
    const feed = await ask(page, '/live');
    await vi.advanceTimersByTimeAsync(1000);
    expect(isIdle).toBe(false);
    const last = await ask(page, '/');
    last.resume();
    feed.destroy();
    // The server notices the end of both when the system says so; then the time passes.
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(50);
      expect(isIdle).toBe(true);
    });
  });

  it('counts from the end of the last request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { idle, watched } = idleWatch(50);
    let isIdle = false;
    void idle.then(() => (isIdle = true));
    const [first, second] = [new EventEmitter(), new EventEmitter()];
    const admit = watched(() => undefined);
    for (const response of [first, second]) admit({} as never, response as never);
    first.emit('close');
    await vi.advanceTimersByTimeAsync(1000);
    second.emit('close');
    await vi.advanceTimersByTimeAsync(49);
    expect(isIdle).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isIdle).toBe(true);
  });
});

it('a page refuses more requests of a connection than a registry does', async () => {
  const events: RegistryEvent[] = [];
  const page = await listening({ log: (event) => events.push(event) });
  const socket = connect(page.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  await once(socket, 'close');
  expect(text).toContain('429 Too Many Requests');
  expect(events).toMatchObject([{ kind: 'overload', limit: 'requests-per-socket' }]);
});

it('a page that cannot listen rejects with the error of Node', async () => {
  const { port } = await listening();
  const place = { host: '127.0.0.1', port };
  const options = { tls: undefined, idleMs: 60_000 };
  await expect(listenForPage(pageWith(5), place, options)).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});
