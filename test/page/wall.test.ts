import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import { fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { textOf } from './support/machine-page.ts';
import { rollingOut } from './support/rolling-site.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

const HOUR = 3_600_000;
const FAILING = { version: '1.3.0', blame: 'release', reason: 'motor stalled', next_at: null };
const MODULES: Readonly<Record<string, Partial<ReportedModule>>> = {
  well: {},
  behind: { target: '1.3.0', decision: 'hold' },
  stuck: { decision: 'stuck', reason: 'no release satisfies 3.*' },
  failing: { target: '1.3.0', decision: 'upgrade', failing: FAILING },
};

/** Machines that were heard so long ago, each with one module in a state. */
async function siteOf(
  machines: Readonly<Record<string, readonly [module: string, age?: number]>>,
): Promise<TestSite> {
  const site = testSite();
  for (const [id, [module, age = 0]] of Object.entries(machines)) {
    site.now = NOW - age;
    site.every = 60_000;
    await site.report(id, [MODULES[module] ?? {}]);
  }
  site.now = NOW;
  return site;
}

/** The state and the text of each tile. */
async function tilesOf({ app }: TestSite): Promise<string[]> {
  const html = await (await app.request('/wall')).text();
  const [, list = ''] = /<ul class="tiles"[^>]*>(.*?)<\/ul>/s.exec(html) ?? [];
  return Array.from(
    list.matchAll(/<li data-state="(\w+)"[^>]*>(.*?)<\/li>/gs),
    ([, state, text]) =>
      `${state}: ${text
        ?.replaceAll(/<p/g, ' <p')
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim()}`,
  );
}

describe('[D215] the wall of a site', () => {
  it('has a tile for each machine, the most urgent first, each with its first state', async () => {
    const site = await siteOf({
      'rover-10': ['well'],
      'rover-9': ['well'],
      'rover-1': ['behind'],
      'rover-2': ['failing', 25 * HOUR],
      'rover-3': ['stuck', HOUR],
      'rover-4': ['failing'],
      'rover-5': ['behind', HOUR],
    });
    expect(await tilesOf(site)).toEqual([
      'silent: rover-2 ? silent heard 1 d 1 h ago',
      'failing: rover-4 ✕ failing acme:lidar 1.3.0: motor stalled',
      'stuck: rover-3 ! stuck acme:lidar: no release satisfies 3.*',
      'quiet: rover-5 ~ quiet heard 1 h ago',
      'behind: rover-1 ↑ behind',
      'well: rover-9 ✓ well',
      'well: rover-10 ✓ well',
    ]);
    expect((await textOf(site.app, '/wall')).slice(0, 6)).toEqual([
      '4 of 7 online',
      '1 silent',
      '2 failing',
      '1 stuck',
      '2 quiet',
      '4 behind',
    ]);
  });

  it('says that all is well only if it is', async () => {
    const site = await siteOf({ 'rover-1': ['well'], 'rover-2': ['well'] });
    expect((await textOf(site.app, '/wall')).slice(0, 2)).toEqual(['2 of 2 online', 'all well']);
    const other = await siteOf({ 'rover-1': ['well'], 'rover-2': ['behind'] });
    expect((await textOf(other.app, '/wall')).slice(0, 2)).toEqual(['2 of 2 online', '0 silent']);
  });

  it('is for machines that are in use', async () => {
    const site = await siteOf({ 'rover-1': ['well'], 'rover-2': ['failing'] });
    await site.retire('rover-2', 'alice');
    expect(await tilesOf(site)).toEqual(['well: rover-1 ✓ well']);
  });

  it('lists what is wrong once for all machines that have the same', async () => {
    const many = Array.from({ length: 12 }, (_, place) => [`w-${place}`, ['well']] as const);
    const failing = [1, 2, 3, 4].map((place) => [`f-${place}`, ['failing']] as const);
    const site = await siteOf({
      ...Object.fromEntries([...many, ...failing]),
      's-1': ['well', 25 * HOUR],
      's-2': ['stuck'],
    });
    expect((await textOf(site.app, '/wall')).slice(6, 13)).toEqual([
      '? s-1 silent',
      'heard 1 d 1 h ago',
      '✕ 4 failing',
      'f-1, f-2, f-3 and 1 more',
      'acme:lidar 1.3.0: motor stalled',
      '! s-2 stuck',
      'acme:lidar: no release satisfies 3.*',
    ]);
  });

  it('shows rollouts as bars of the machines of their step', async () => {
    const site = await rollingOut();
    const html = await (await site.app.request('/wall')).text();
    expect(html).toMatch(
      /<rect x="0" y="0" width="500" height="1" data-state="well"><\/rect><rect x="500" y="0" width="250" height="1" data-state="failing"><\/rect><rect x="750" y="0" width="250" height="1">/,
    );
    expect((await textOf(site.app, '/wall')).slice(-2)).toEqual([
      'acme:lidar 1.3.0 running',
      '5 %, 4 machines: 2 healthy, 1 failed, 1 waiting',
    ]);
  });

  it('of a registry to which no machine reports says how one joins', async () => {
    expect(await textOf(testSite().app, '/wall')).toEqual([
      'No machine reports yet. modreg registry invite lets one join.',
    ]);
  });

  it('leads to no other page, changes nothing, and is loaded again without scripts', async () => {
    const site = await rollingOut();
    const html = await (await site.app.request('/wall')).text();
    expect(html).not.toMatch(/<(a|form|button|input)\b/);
    expect(html).toContain('<noscript><meta http-equiv="refresh" content="30"/></noscript>');
    expect(html).toContain('<p id="clock">12:00 UTC</p>');
    expect(html).toContain('<main id="content" data-renew="true">');
    expect((await site.app.request('/wall', { method: 'POST' })).status).toBe(405);
  });

  it('[T621] says what cannot be read, with no other page, and asks again', async () => {
    const site = testSite();
    writeFileSync(fleetPath(site.path), 'no database');
    const answer = await site.app.request('/wall');
    const html = await answer.text();
    expect([answer.status, /<(a|form|nav)\b/.test(html)]).toEqual([500, false]);
    expect(html).toContain('<main id="content" data-renew="true">');
    expect(await textOf(site.app, '/wall')).toEqual([
      'STATE_UNREADABLE the registry cannot be read now; the other pages of its site say more',
    ]);
  });
});

describe('[D215] the wall of more than 500 machines', () => {
  it('has a tile for each group, the most urgent first', async () => {
    const site = testSite();
    for (let place = 0; place < 501; place++) {
      const id = `m-${place}`;
      if (place % 3 > 0) site.groups.set(id, place % 3 === 1 ? 'hall-2' : 'hall-10');
      const module = place === 4 ? 'failing' : place === 5 ? 'behind' : 'well';
      await site.report(id, [MODULES[module] ?? {}]);
    }
    expect(await tilesOf(site)).toEqual([
      'failing: hall-2 167 machines ✕ 1 failing',
      'behind: hall-10 167 machines ↑ 1 behind',
      'well: no group 167 machines ✓ well',
    ]);
    expect((await textOf(site.app, '/wall')).slice(0, 3)).toEqual([
      '501 of 501 online',
      '0 silent',
      '1 failing',
    ]);
  });

  it('counts the groups after the first 500', async () => {
    const site = testSite();
    for (let place = 0; place < 503; place++) {
      site.groups.set(`m-${place}`, `g-${place}`);
      await site.report(`m-${place}`, [{}]);
    }
    expect((await tilesOf(site)).slice(-1)).toEqual(['well: g-499 1 machine ✓ well']);
    expect((await textOf(site.app, '/wall')).slice(-1)).toEqual(['and 3 more groups']);
  });
});

it.each([
  ['/', false],
  ['/machines/rover-1', true],
  ['/rollouts', true],
  ['/modules', false],
  ['/wall', true],
])('[D215] %s of a site is renewed while it is shown: %s', async (path, isRenewed) => {
  const site = await siteOf({ 'rover-1': ['well'] });
  const [main = ''] = /<main[^>]*>/.exec(await (await site.app.request(path)).text()) ?? [];
  expect(main).toBe(`<main id="content"${isRenewed ? ' data-renew="true"' : ''}>`);
});
