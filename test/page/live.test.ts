import type { Hono } from 'hono';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEFAULT_TERMS } from '../../src/core/machine/update-policy.ts';
import { MACHINE_PAGE, type AccessOptions } from '../../src/page/access/access-options.ts';
import { openPageFile } from '../../src/page/access/page-file.ts';
import { pageApp } from '../../src/page/app.ts';
import { NOW } from '../support/decides.ts';
import { temporaryFolder } from '../support/folder.ts';
import { pagedPlan, type PagedPlan } from '../support/paged-plan.ts';
import { entry, known, plan } from '../support/planned.ts';

const SECOND = 1000;

/** A machine whose lidar is deployed, and whose arm has the constraint. */
function planWith(arm: string, lidar = '1.2.9'): ReturnType<typeof plan> {
  return plan(
    { modules: [entry('acme:lidar', '1.*'), entry('acme:arm', arm)] },
    { acme_lidar: known(lidar, ['1.2.3', '1.2.9']), acme_arm: known('2.0.0', ['2.0.0']) },
  );
}

interface Feed {
  /** The events until the next that says that the feed is alive: their names, and the ids of their elements. */
  next(): Promise<string[]>;
  end(): void;
}

async function feedOf(
  app: Hono,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Feed> {
  const aborting = new AbortController();
  const answer = await app.request(`/v1/live${query}`, {
    signal: aborting.signal,
    headers: { 'accept-encoding': 'br', ...headers },
  });
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  expect(answer.headers.get('content-encoding')).toBeNull();
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error('the answer has no body');
  return {
    async next() {
      let text = '';
      while (!text.includes('event: alive')) {
        const { value = '', done } = await reader.read();
        text += done ? 'event: closed\ndata: \n\n' : value;
        if (done) break;
      }
      return text.split('\n\n').flatMap((event) => wordFor(event) ?? []);
    },
    end: () => void reader.cancel(),
  };
}

function wordFor(event: string): string | undefined {
  const [, name = 'message'] = /^event: (.*)$/m.exec(event) ?? [];
  const [, id] = /<\w+ id="([^"]*)"/.exec(event) ?? [];
  const [, data] = /^data: (.*)$/m.exec(event) ?? [];
  if (event === '') return undefined;
  return id ?? (data === '' ? name : `${name} ${data}`);
}

function open(access?: AccessOptions): { app: Hono; machine: PagedPlan; errors: string[] } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW });
  onTestFinished(() => void vi.useRealTimers());
  const machine = pagedPlan(planWith('2.*'));
  const errors: string[] = [];
  const app = pageApp(machine, {
    assets: { style: '', script: '' },
    access,
    onError: (error) => errors.push(String(error)),
  });
  return { machine, app, errors };
}

async function versionOn(app: Hono): Promise<string> {
  const html = await (await app.request('/')).text();
  return /data-version="([^"]*)"/.exec(html)?.[1] ?? '';
}

const ROWS = ['module-acme_lidar', 'module-acme_arm'];
const PARTS = ['freshness', 'summary', 'problems'];

describe('the feed of a page', () => {
  it('sends the rows that differ from those of the page', async () => {
    const { app, machine } = open();
    const seen = await versionOn(app);
    const feed = await feedOf(app, `?seen=${seen}`);
    expect(await feed.next()).toEqual([...PARTS, 'alive']);
    const other = await feedOf(app, '?seen=other');
    expect(await other.next()).toEqual([
      ...PARTS,
      ...ROWS,
      'order ["module-acme_lidar","module-acme_arm"]',
      'alive',
    ]);
    machine.plan = planWith('3.*');
    machine.files = { documents: 'changed', log: '' };
    await vi.advanceTimersByTimeAsync(SECOND);
    const changes = [
      'summary',
      'module-acme_arm',
      'order ["module-acme_arm","module-acme_lidar"]',
      'plan',
      'alive',
    ];
    expect([await feed.next(), await other.next()]).toEqual([changes, changes]);
    feed.end();
    other.end();
  });

  it('tells a page without rows only what kind of thing changed', async () => {
    const { app, machine } = open();
    const feed = await feedOf(app, '');
    expect(await feed.next()).toEqual(['alive']);
    machine.files = { documents: '', log: 'changed' };
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await feed.next()).toEqual(['log', 'alive']);
    machine.files = { documents: 'changed', log: 'changed' };
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await feed.next()).toEqual(['plan', 'alive']);
    feed.end();
  });

  it('is not begun for HEAD', async () => {
    const { app, machine } = open();
    const answer = await app.request('/v1/live', { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect([machine.views, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('says every 15 s that it is alive', async () => {
    const { app } = open();
    const feed = await feedOf(app, '');
    await feed.next();
    await vi.advanceTimersByTimeAsync(15 * SECOND);
    expect(await feed.next()).toEqual(['alive']);
    feed.end();
  });

  it('goes on with what it knows, and why that is old, while the documents cannot be read', async () => {
    const { app, machine } = open();
    const feed = await feedOf(app, `?seen=${await versionOn(app)}`);
    await feed.next();
    const problem = { code: 'MALFORMED', message: 'machine.json:3 is no JSON' };
    machine.view = async () => await Promise.resolve({ ok: false, error: [problem] });
    machine.files = { documents: 'broken', log: '' };
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await feed.next()).toEqual(['problems', 'plan', 'alive']);
    feed.end();
  });
});

describe('the feed of a session (T217)', () => {
  const HOUR = 3600 * SECOND;
  const closed = ['signed-out', 'closed'];

  async function signedIn(): Promise<{
    readonly feed: Feed;
    readonly machine: PagedPlan;
    readonly signOut: () => void;
  }> {
    const file = openPageFile(`${temporaryFolder()}/page.db`, 50);
    onTestFinished(() => file.close());
    const names = (): boolean => true;
    const now = (): number => Date.now();
    const { app, machine } = open({ naming: MACHINE_PAGE, file, names, isTls: false, now });
    const token = file.signIn(file.newCode(now()), now()) ?? '';
    const headers = { host: 'rover.localhost', cookie: `__Host-modreg-page=${token}` };
    const feed = await feedOf(app, '?seen=', headers);
    expect(await feed.next()).toContain('alive');
    return { feed, machine, signOut: () => file.signOut(token) };
  }

  it('ends within 15 s when somebody signs out, and watches no more', async () => {
    const { feed, signOut } = await signedIn();
    signOut();
    await vi.advanceTimersByTimeAsync(15 * SECOND);
    expect([await feed.next(), vi.getTimerCount()]).toEqual([closed, 0]);
  });

  it('shows no change to who has signed out', async () => {
    const { feed, machine, signOut } = await signedIn();
    signOut();
    machine.plan = planWith('3.*');
    machine.files = { documents: 'changed', log: '' };
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await feed.next()).toEqual(closed);
  });

  it('ends when the session was not used for twelve hours: an open page is no use', async () => {
    const { feed } = await signedIn();
    vi.setSystemTime(NOW + 12 * HOUR + SECOND);
    await vi.advanceTimersByTimeAsync(15 * SECOND);
    expect(await feed.next()).toEqual(closed);
  });
});

describe('the watcher of the feeds', () => {
  it('reports an error once, and looks again until the machine can be read', async () => {
    const { app, machine, errors } = open();
    const view = machine.view.bind(machine);
    const feed = await feedOf(app, '');
    expect(await feed.next()).toEqual(['alive']);
    machine.view = async () => await Promise.reject(new Error('out of memory'));
    machine.files = { documents: 'changed', log: '' };
    await vi.advanceTimersByTimeAsync(3 * SECOND);
    expect(errors).toEqual(['Error: out of memory']);
    machine.view = view;
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await feed.next()).toEqual(['plan', 'alive']);
    machine.view = async () => await Promise.reject(new Error('out of memory'));
    machine.files = { documents: 'changed again', log: '' };
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(errors).toEqual(['Error: out of memory', 'Error: out of memory']);
    feed.end();
  });

  it('looks no more once the last feed has ended, and at once for the next one', async () => {
    const { app, machine } = open();
    const feed = await feedOf(app, '');
    await feed.next();
    let looks = 0;
    Object.defineProperty(machine, 'files', {
      get: () => {
        looks += 1;
        return { documents: '', log: '' };
      },
    });
    feed.end();
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    expect(looks).toBe(0);
    machine.plan = planWith('3.*');
    const other = await feedOf(app, '?seen=other');
    expect(await other.next()).toContain('module-acme_arm');
    expect(machine.views).toBe(2);
    other.end();
  });

  it('is one for all, looks when something changes or after a minute, and ends with the last feed', async () => {
    const { app, machine } = open();
    const feeds = await Promise.all(['', '', '?seen='].map(async (query) => feedOf(app, query)));
    for (const feed of feeds) await feed.next();
    await vi.advanceTimersByTimeAsync(58 * SECOND);
    const before = machine.views;
    await vi.advanceTimersByTimeAsync(3 * SECOND);
    const after = machine.views;
    for (const feed of feeds) feed.end();
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    expect([before, after, machine.views, vi.getTimerCount()]).toEqual([1, 2, 2, 0]);
  });

  it('looks when the plan changes with time', async () => {
    const { app, machine } = open();
    const minimumAge = { ms: 3_600_000, unknown: 'allow' } as const;
    const young = { version: '1.2.9', publishedAt: NOW - 3_600_000 + 5 * SECOND };
    machine.plan = plan(
      { modules: [entry('acme:lidar', '1.*')] },
      { acme_lidar: known('1.2.3', [young]) },
      { policy: { terms: { ...DEFAULT_TERMS, minimumAge }, modules: new Map() } },
    );
    const feed = await feedOf(app, '');
    await feed.next();
    await vi.advanceTimersByTimeAsync(4 * SECOND);
    const before = machine.views;
    machine.plan = planWith('2.*');
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    expect([before, machine.views]).toEqual([1, 2]);
    feed.end();
  });
});

describe('the plan of a page', () => {
  it.each([
    [
      'is made once for requests within five seconds',
      async () => void (await vi.advanceTimersByTimeAsync(4999)),
      1,
    ],
    [
      'is made again after five seconds',
      async () => void (await vi.advanceTimersByTimeAsync(5000)),
      2,
    ],
    [
      'is made again when a file changed',
      async (_: Hono, machine: PagedPlan) => {
        machine.files = { documents: 'changed', log: '' };
        await Promise.resolve();
      },
      2,
    ],
    [
      'is made again after the lists were fetched',
      async (app: Hono) => void (await app.request('/look', { method: 'POST' })),
      2,
    ],
  ])('%s', async (_, happens, plans) => {
    const { app, machine } = open();
    await Promise.all([app.request('/'), app.request('/logs')]);
    await happens(app, machine);
    await app.request('/');
    expect(machine.views).toBe(plans);
  });

  it('is made again after one that could not be made', async () => {
    const { app, machine } = open();
    const view = vi.spyOn(machine, 'view').mockResolvedValue({ ok: false, error: [] });
    await app.request('/');
    view.mockRestore();
    expect((await app.request('/')).status).toBe(200);
  });
});
