import { deepStrictEqual, match, ok } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { openTab, placeOf, type Place } from './browser.ts';
import { checkForEverybody } from './everybody.ts';
import { unfitIn } from './fit.ts';
import { screenshot } from './screenshots.ts';
import { pageOfSite, type Site } from './site.ts';
import type { PageServer } from './rover.ts';
import { WALL_FLEETS, withWall } from './wall-sites.ts';

/** As often as the wall is renewed. */
const RENEW_MS = 10_000;

/** The clock of the browser goes when it is told to. */
async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
}

/** Runs a command of the registry, and resolves with its first line. */
async function lineOf({ start, path }: Site, ...args: readonly string[]): Promise<string> {
  return (await start(/./, 'registry', ...args, '--db', path)).line;
}

/** The text of the wall. */
async function wallText(page: Page): Promise<string> {
  return await page.locator('main').innerText();
}

/** A screen without a session is given the link: it shows the wall, and nothing of the link. */
async function openLink(browser: Browser, link: string): Promise<Page> {
  const { page } = await openTab(browser, { url: link }, { mayFail: /401/, prepare: stopClock });
  await page.waitForURL(/\/wall$/);
  match(await wallText(page), /online/);
  return page;
}

async function checkLink(browser: Browser, site: Site, server: PageServer): Promise<void> {
  const link = await lineOf(site, 'page', 'wall', '--name', 'lobby');
  const page = await openLink(browser, link);
  ok(!(await page.content()).includes('modreg_'), 'the wall has its token');
  deepStrictEqual(await page.evaluate('document.cookie'), '');
  for (const path of ['', 'rollouts', 'machines/rover-1']) {
    await page.goto(server.url + path);
    match(page.url(), /\/sign-in/);
  }
  await page.goto(`${server.url}wall`);
  await page.clock.fastForward(RENEW_MS);
  await page.locator('#live[data-state=connected]').waitFor();
  // The screen shows what it knew, and that it is old, whatever happens to the link and the registry.
  await lineOf(site, 'token', 'revoke', 'lobby');
  await page.clock.fastForward(RENEW_MS);
  await page.locator('#live[data-state=ended]').waitFor();
  match(await page.locator('#live').innerText(), /^signed out; this data is from/);
  match(await wallText(page), /online/);
  await screenshot(page, 'revoked-wall', { colorScheme: 'light', width: 1280 });
  await page.context().close();
}

async function checkWithoutScripts(browser: Browser, site: Site, place: Place): Promise<void> {
  await checkForEverybody(browser, { url: place.url }, { of: 'guest', paths: ['wall/open'] });
  const link = await lineOf(site, 'page', 'wall', '--name', 'hall');
  const { page, close } = await openTab(browser, { url: link }, { javaScriptEnabled: false });
  await page.getByLabel('Token').fill(new URL(link).hash.replace('#token=', ''));
  await page.getByRole('button', { name: 'Open' }).click();
  await page.waitForURL(`${place.url}wall`);
  match(await wallText(page), /online/);
  await close();
}

async function checkOffline(browser: Browser, place: Place, server: PageServer): Promise<void> {
  const wall = { ...place, url: `${place.url}wall` };
  const { page, close } = await openTab(browser, wall, {
    mayFail: /ERR_|failed/,
    prepare: stopClock,
  });
  await page.clock.fastForward(RENEW_MS);
  await page.locator('#live[data-state=connected]').waitFor();
  await server.end();
  await page.clock.fastForward(RENEW_MS);
  await page.locator('#live[data-state=lost]').waitFor();
  match(await page.locator('#live').innerText(), /^disconnected since \d\d:\d\d; this data/);
  match(await wallText(page), /online/);
  await screenshot(page, 'away-wall', { colorScheme: 'light', width: 1280 });
  await close();
}

const TELEVISION = { width: 1920, height: 1080 };

/** All is on one screen, which nobody scrolls. */
async function checkTelevision(browser: Browser, place: Place, name: string): Promise<void> {
  const wall = { ...place, url: `${place.url}wall` };
  for (const colorScheme of ['light', 'dark'] as const) {
    const options = { colorScheme, viewport: TELEVISION };
    const { page, close } = await openTab(browser, wall, options);
    deepStrictEqual(await unfitIn(page), []);
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    deepStrictEqual(height, TELEVISION.height);
    await screenshot(page, `${name}-wall`, { colorScheme, width: TELEVISION.width });
    await close();
  }
}

/** What people see on a screen on a wall. */
export async function checkWall(
  browser: Browser,
  check: (name: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  for (const [name, fleet] of Object.entries(WALL_FLEETS)) {
    await check(`wall: axe finds nothing, and everything fits: ${name}`, async () => {
      await withWall(fleet, async (site) => {
        const place = await placeOf(await pageOfSite(site));
        await checkForEverybody(browser, place, { of: name, paths: ['wall'] });
        await checkTelevision(browser, place, name);
      });
    });
  }
  await withWall(WALL_FLEETS['few'] ?? { states: {} }, async (site) => {
    const server = await pageOfSite(site);
    const place = await placeOf(server);
    await check('wall: a link opens it and nothing else, until it is revoked', async () =>
      checkLink(browser, site, server),
    );
    await check('wall: a link without scripts', async () =>
      checkWithoutScripts(browser, site, place),
    );
    await check('wall: says that the registry is away', async () =>
      checkOffline(browser, place, server),
    );
  });
}
