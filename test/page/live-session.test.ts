import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MACHINE_PAGE } from '../../src/page/access/access-options.ts';
import { openPageFile } from '../../src/page/access/page-file.ts';
import { NOW } from '../support/decides.ts';
import { temporaryFolder } from '../support/folder.ts';
import { feedOf, openFeeds, planWith, type Feed } from './support/open-feeds.ts';
import type { PagedPlan } from '../support/paged-plan.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const CLOSED = ['signed-out', 'closed'];

const anyName = (): boolean => true;
/** The clock that the test moves, which replaces that of the process. */
const now = (): number => Date.now();

async function signedIn(): Promise<{
  readonly feed: Feed;
  readonly machine: PagedPlan;
  readonly signOut: () => void;
}> {
  const file = openPageFile(`${temporaryFolder()}/page.db`, 50);
  onTestFinished(() => file.close());
  const { app, machine } = openFeeds({
    naming: MACHINE_PAGE,
    file,
    names: anyName,
    isTls: false,
    now,
  });
  const token = file.signIn(file.newCode(now()), now()) ?? '';
  const headers = { host: 'rover.localhost', cookie: `__Host-modreg-page=${token}` };
  const feed = await feedOf(app, '?seen=', headers);
  expect(await feed.next()).toContain('alive');
  return { feed, machine, signOut: () => file.signOut(token) };
}

describe('the feed of a session (T217)', () => {
  it('ends within 15 s when somebody signs out, and watches no more', async () => {
    const { feed, signOut } = await signedIn();
    signOut();
    await vi.advanceTimersByTimeAsync(15 * SECOND);
    expect([await feed.next(), vi.getTimerCount()]).toEqual([CLOSED, 0]);
  });

  it('shows no change to who has signed out', async () => {
    const { feed, machine, signOut } = await signedIn();
    signOut();
    machine.plan = planWith('3.*');
    machine.files = { documents: 'changed', log: '' };
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await feed.next()).toEqual(CLOSED);
  });

  it('ends when the session was not used for twelve hours: an open page is no use', async () => {
    const { feed } = await signedIn();
    vi.setSystemTime(NOW + 12 * HOUR + SECOND);
    await vi.advanceTimersByTimeAsync(15 * SECOND);
    expect(await feed.next()).toEqual(CLOSED);
  });
});
