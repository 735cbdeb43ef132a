import { copyFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { changeFeed } from '../../src/server/catalogue/change-feed.ts';
import { Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { testRegistry, type TestRegistry } from './support/registry.ts';

async function publish(registry: TestRegistry, id: string, version: string): Promise<void> {
  const address = `/v1/modules/${id.replace(':', '/')}/releases`;
  await registry.ask('POST', address, { body: { version } });
}

/** The response without the history. */
async function changes(registry: TestRegistry, query: string): Promise<object> {
  const { history: _, ...rest } = await asked(registry, query);
  return rest;
}

async function asked(registry: TestRegistry, query: string): Promise<{ readonly history: string }> {
  const { json } = await registry.ask('GET', `/v1/changes${query}`);
  return json as { history: string };
}

/** Publishes through a separate connection, as another process would. */
function publishElsewhere(registry: TestRegistry, id: string, version: string): void {
  const other = new Catalogue(registry.path);
  const release = readRelease({ version });
  if (release.ok) other.publish(moduleId(id), release.value, 0);
  other.close();
}

describe('the change feed', () => {
  it('lists each module once, in the order of its last change', async () => {
    const registry = testRegistry({ spreadMs: 250 });
    expect(await changes(registry, '')).toEqual({ sequence: 0, modules: [], spread_ms: 250 });
    await publish(registry, 'acme:lidar', '1.0.0');
    await publish(registry, 'acme:arm', '1.0.0');
    await publish(registry, 'acme:lidar', '1.0.1');
    const modules = ['acme:arm', 'acme:lidar'];
    expect(await changes(registry, '')).toEqual({ sequence: 3, modules, spread_ms: 250 });
    expect(await changes(registry, '?after=1')).toMatchObject({ modules });
    expect(await changes(registry, '?after=2')).toMatchObject({ modules: ['acme:lidar'] });
    expect(await changes(registry, '?after=3')).toMatchObject({ sequence: 3, modules: [] });
  });

  it('[D40] keeps its history, which a copy of the file does not have', async () => {
    const registry = testRegistry();
    const { history } = await asked(registry, '');
    await publish(registry, 'acme:lidar', '1.0.0');
    const copy = `${temporaryFolder()}/registry.db`;
    copyFileSync(registry.path, copy);
    const [again, restored] = [registry.path, copy].map((path) => {
      const catalogue = new Catalogue(path);
      onTestFinished(() => catalogue.close());
      return catalogue.changes(0).history;
    });
    expect([again === history, restored === history]).toEqual([true, false]);
  });

  it('[D43] names its history in each list, also in a 304', async () => {
    const registry = testRegistry();
    await publish(registry, 'acme:lidar', '1.0.0');
    const { history } = await asked(registry, '');
    const list = await registry.ask('GET', '/v1/modules/acme/lidar');
    const headers = { 'if-none-match': list.headers.get('etag') ?? '' };
    const again = await registry.ask('GET', '/v1/modules/acme/lidar', { headers });
    const named = [list, again].map((answer) => [
      answer.status,
      answer.headers.get('modreg-history'),
    ]);
    expect(named).toEqual([
      [200, history],
      [304, history],
    ]);
  });

  it('[D43] has another history when another id is stored in the same file', async () => {
    const registry = testRegistry();
    const { history } = await asked(registry, '');
    const database = new DatabaseSync(registry.path);
    database.exec("UPDATE catalogue SET history = 'restored'");
    database.close();
    expect((await asked(registry, '')).history).not.toBe(history);
  });

  it('has no change for requests that changed nothing', async () => {
    const registry = testRegistry();
    await publish(registry, 'acme:lidar', '1.0.0');
    await publish(registry, 'acme:lidar', '1.0.0');
    await registry.ask('DELETE', '/v1/modules/acme/lidar/releases/1.0.0/yank');
    expect(await changes(registry, '?after=0')).toMatchObject({ sequence: 1 });
  });

  it('wakes every waiting client with the changes', async () => {
    const registry = testRegistry();
    const waiting = Array.from({ length: 100 }, async () => await changes(registry, '?wait=60'));
    await publish(registry, 'acme:lidar', '1.0.0');
    const woken = { sequence: 1, modules: ['acme:lidar'], spread_ms: 0 };
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => woken));
  });

  it('finds changes by another process', async () => {
    const registry = testRegistry();
    const waiting = changes(registry, '?wait=60');
    publishElsewhere(registry, 'acme:lidar', '1.0.0');
    expect(await waiting).toMatchObject({ modules: ['acme:lidar'] });
  });

  it('notices a write of another process before its next check', async () => {
    // The clock of the checks stands still.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const registry = testRegistry();
    const catalogue = new Catalogue(registry.path);
    const feed = changeFeed(catalogue);
    const waiting = feed.wait(0, 1_000_000, new AbortController().signal);
    publishElsewhere(registry, 'acme:lidar', '1.0.0');
    expect(await waiting).toMatchObject({ sequence: 1, modules: ['acme:lidar'] });
    feed.close();
    catalogue.close();
  });

  it('wakes earlier callers when a later one already knows the change', async () => {
    const registry = testRegistry();
    const catalogue = new Catalogue(registry.path);
    const feed = changeFeed(catalogue);
    const { signal } = new AbortController();
    // Both calls are waiting when they return.
    const first = feed.wait(0, 10_000, signal);
    publishElsewhere(registry, 'acme:lidar', '1.0.0');
    const second = feed.wait(1, 300, signal);
    expect(await first).toMatchObject({ sequence: 1, modules: ['acme:lidar'] });
    expect(await Promise.race([second, Promise.resolve('still waits')])).toBe('still waits');
    expect(await second).toMatchObject({ sequence: 1, modules: [] });
    feed.close();
    catalogue.close();
  });

  it('responds at once to a sequence above its own, which is from another catalogue', async () => {
    const registry = testRegistry();
    await publish(registry, 'acme:lidar', '1.0.0');
    expect(await changes(registry, '?after=7&wait=60')).toMatchObject({ sequence: 1, modules: [] });
  });

  it('responds after the requested time', async () => {
    const registry = testRegistry();
    expect(await changes(registry, '?wait=0.05')).toMatchObject({ sequence: 0, modules: [] });
  });

  it('responds after a minute to a client that would wait for longer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const registry = testRegistry();
    let isAnswered = false;
    const waiting = registry.ask('GET', '/v1/changes?wait=3600').then(({ status }) => {
      isAnswered = true;
      return status;
    });
    await vi.advanceTimersByTimeAsync(59_999);
    expect(isAnswered).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toBe(200);
  });

  it('ends all waits when it is closed, begins none afterwards, and leaves the catalogue', async () => {
    const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
    const feed = changeFeed(catalogue);
    const { signal } = new AbortController();
    const waiting = [feed.wait(0, 1_000_000, signal), feed.wait(0, 1_000_000, signal)];
    feed.close();
    const late = feed.wait(0, 1_000_000, signal);
    // Its owner need not wait for them.
    catalogue.close();
    expect(await Promise.all([...waiting, late])).toMatchObject([
      { sequence: 0 },
      { sequence: 0 },
      { sequence: 0 },
    ]);
    expect(catalogue.watchers.size).toBe(0);
  });

  it('finds changes by another process with its next check if it cannot watch the log', async () => {
    const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    // Without its log, only the checks find a change.
    rmSync(`${catalogue.path}-wal`);
    const feed = changeFeed(catalogue);
    const waiting = feed.wait(0, 1_000_000, new AbortController().signal);
    const release = readRelease({ version: '1.0.0' });
    catalogue.watchers.clear();
    if (release.ok) catalogue.publish(moduleId('acme:lidar'), release.value, 0);
    vi.advanceTimersByTime(200);
    expect(await waiting).toMatchObject({ sequence: 1, modules: ['acme:lidar'] });
    feed.close();
    catalogue.close();
  });

  it('stops waiting for a client that hung up', async () => {
    const registry = testRegistry();
    const hangUp = new AbortController();
    const waiting = registry.ask('GET', '/v1/changes?wait=60', { signal: hangUp.signal });
    hangUp.abort();
    expect((await waiting).json).toMatchObject({ sequence: 0 });
    // And does not start to wait for a client that hung up before.
    const late = registry.ask('GET', '/v1/changes?wait=60', { signal: hangUp.signal });
    expect((await late).json).toMatchObject({ sequence: 0 });
  });

  it.each([
    ['?after=-1', 'after must be the sequence of an earlier response, a whole number'],
    ['?after=1.5', 'after must be the sequence of an earlier response, a whole number'],
    ['?after=1e30', 'after must be the sequence of an earlier response, a whole number'],
    [
      '?after=9007199254740992',
      'after must be the sequence of an earlier response, a whole number',
    ],
    ['?after=', 'after must be the sequence of an earlier response, a whole number'],
    ['?wait=', 'wait must be a number of seconds'],
    ['?wait=1e3', 'wait must be a number of seconds'],
    ['?after=x', 'after must be the sequence of an earlier response, a whole number'],
    ['?wait=-1', 'wait must be a number of seconds'],
    ['?wait=soon', 'wait must be a number of seconds'],
    ['?wait=NaN', 'wait must be a number of seconds'],
  ])('refuses %s', async (query, detail) => {
    const { status, json } = await testRegistry().ask('GET', `/v1/changes${query}`);
    expect([status, Object(json).detail]).toEqual([400, detail]);
  });
});
