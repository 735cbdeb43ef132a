import type { Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { DEFAULT_TERMS } from '../../src/core/machine/update-policy.ts';
import { LiveFeed } from '../../src/page/live-feed.ts';
import { NOW } from '../support/decides.ts';
import { feedOf, openFeeds, planWith } from './support/open-feeds.ts';
import type { PagedPlan } from '../support/paged-plan.ts';
import { entry, known, plan } from '../support/planned.ts';

const SECOND = 1000;

async function versionOn(app: Hono): Promise<string> {
  const html = await (await app.request('/')).text();
  return /data-version="([^"]*)"/.exec(html)?.[1] ?? '';
}

const ROWS = ['module-acme_lidar', 'module-acme_arm'];
const PARTS = ['freshness', 'summary', 'problems'];

describe('the feed of a page', () => {
  it('sends the rows that differ from those of the page', async () => {
    const { app, machine } = openFeeds();
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
    const { app, machine } = openFeeds();
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

  it('[T357] is not kept back by a proxy, nor compressed', async () => {
    const { app } = openFeeds();
    const answer = await app.request('/v1/live', { headers: { 'accept-encoding': 'gzip, br' } });
    const names = ['content-type', 'x-accel-buffering', 'content-encoding'];
    expect(names.map((name) => answer.headers.get(name))).toEqual([
      'text/event-stream',
      'no',
      null,
    ]);
    await answer.body?.cancel();
  });

  it('is not begun for HEAD', async () => {
    const { app, machine } = openFeeds();
    const answer = await app.request('/v1/live', { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect([machine.views, vi.getTimerCount()]).toEqual([0, 0]);
  });

  it('[T357] says every 15 s that it is alive', async () => {
    const { app } = openFeeds();
    const feed = await feedOf(app, '');
    await feed.next();
    await vi.advanceTimersByTimeAsync(15 * SECOND);
    expect(await feed.next()).toEqual(['alive']);
    feed.end();
  });

  it('goes on with what it knows, and why that is old, while the documents cannot be read', async () => {
    const { app, machine } = openFeeds();
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

describe('the watcher of the feeds', () => {
  it('reports an error once, and looks again until the machine can be read', async () => {
    const { app, machine, errors } = openFeeds();
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
    const { app, machine } = openFeeds();
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
    const { app, machine } = openFeeds();
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

  it('goes on for a feed although another one ends twice', async () => {
    const { machine } = openFeeds();
    const watcher = new LiveFeed(machine, () => undefined);
    const [end, endOther] = [watcher.follow(), watcher.follow()];
    await vi.advanceTimersByTimeAsync(0);
    for (let time = 0; time < 2; time++) end();
    machine.files = { documents: 'changed', log: '' };
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(machine.views).toBe(2);
    endOther();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('looks when the plan changes with time', async () => {
    const { app, machine } = openFeeds();
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
    const { app, machine } = openFeeds();
    await Promise.all([app.request('/'), app.request('/logs')]);
    await happens(app, machine);
    await app.request('/');
    expect(machine.views).toBe(plans);
  });

  it('is made again after one that could not be made', async () => {
    const { app, machine } = openFeeds();
    const view = vi.spyOn(machine, 'view').mockResolvedValue({ ok: false, error: [] });
    await app.request('/');
    view.mockRestore();
    expect((await app.request('/')).status).toBe(200);
  });
});
