import { match, ok } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { Catalogue } from '../../src/server/index.ts';
import { openTab, type Place } from './browser.ts';
import { MACHINE, type FollowedSite } from './followed-site.ts';
import { textOf } from './stories.ts';

type Story = (browser: Browser, place: Place, site: FollowedSite) => Promise<void>;

const MACHINE_PATH = `machines/${MACHINE}`;

/** Presses Tab until the element that matches has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press('Tab');
    if (await page.locator(`${selector}:focus`).count()) return;
  }
  throw new Error(`Tab does not reach ${selector}`);
}

/** A person changes a version type with the keyboard alone, from the page of the machine on. */
export const keyboardVersion: Story = async (browser, place, { applied }) => {
  const { page, close } = await openTab(browser, { ...place, url: place.url + MACHINE_PATH });
  const before = applied() ?? 0;
  await tabTo(page, 'a[href$="acme_lidar/version"]');
  await Promise.all([page.waitForURL(/version$/), page.keyboard.press('Enter')]);
  await tabTo(page, 'input[type=radio]');
  await page.keyboard.press('ArrowDown');
  await tabTo(page, '[name=reason]');
  await page.keyboard.type('with the keyboard');
  await Promise.all([page.waitForURL(new RegExp(`${MACHINE}$`)), page.keyboard.press('Enter')]);
  while (applied() !== before + 1) await new Promise((resolve) => setTimeout(resolve, 20));
  await page.goto(`${place.url}changes`);
  match(await textOf(page), /with the keyboard/);
  await close();
};

/** A release is published, and the machine upgrades: its card changes in a tab that is not loaded again. */
export const liveCard: Story = async (browser, place, { publish }) => {
  const { page, close } = await openTab(browser, { ...place, url: place.url + MACHINE_PATH });
  await page.locator('.versions dd', { hasText: '2.0.0' }).first().waitFor();
  await page.evaluate('isSame = true');
  await publish('2.1.0');
  const card = page.locator('#modules', { hasText: /deployed\s*2\.1\.0/ });
  await card.locator('[data-state="up to date"]').waitFor();
  ok(await page.evaluate('isSame'));
  await close();
};

/** The log has what the machine says of a command, in a tab that is not loaded again. */
export const liveLog: Story = async (browser, place, { path }) => {
  const url = `${place.url}${MACHINE_PATH}/logs`;
  const { page, close } = await openTab(browser, { ...place, url });
  await page.locator('#lines li').first().waitFor();
  const catalogue = new Catalogue(path, { mode: 'write' });
  const at = Date.now();
  const about = { machine: MACHINE, key: 'live-log', reason: 'a fair', author: 'token t2 (ops)' };
  const command = {
    kind: 'hold',
    module: 'platform-server',
    term: '1h',
    version: undefined,
  } as const;
  catalogue.configs.commands.give({ ...about, ...command, at, expiresAt: at + 60_000 });
  catalogue.close();
  await page.locator('#lines li', { hasText: 'hold platform-server' }).first().waitFor();
  await close();
};

/** A revision that the machine refuses is named on its page with the reason, and the one before stays in use. */
export const refusedRevision: Story = async (browser, place, { path, applied }) => {
  const catalogue = new Catalogue(path, { mode: 'write' });
  const { configs } = catalogue;
  const newest = configs.newest(MACHINE);
  ok(newest);
  const about = { machine: MACHINE, author: 'token t2 (ops)', reason: 'a mistake', at: Date.now() };
  const basedOn = newest.revision;
  const before = applied();
  configs.save({
    ...about,
    config: newest.config,
    policy: '{"registry":"https://x.example"}',
    basedOn,
  });
  while (configs.answer(MACHINE)?.refused === undefined)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const { page, close } = await openTab(browser, { ...place, url: place.url + MACHINE_PATH });
  match(
    await textOf(page),
    /It refuses revision \d+: local-term: \/policy\/registry is a term of the machine alone/,
  );
  ok(applied() === before);
  const { config, policy } = newest;
  configs.save({ ...about, config, policy, basedOn: basedOn + 1 });
  while (applied() !== basedOn + 2) await new Promise((resolve) => setTimeout(resolve, 20));
  catalogue.close();
  await close();
};
