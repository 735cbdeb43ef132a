import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openTab, signIn, type Place } from './browser.ts';
import { pageOf, type Rover } from './rover.ts';

/** What a check gets: a browser, and a rover whose arm is being upgraded. */
export type Story = (browser: Browser, rover: Rover, place: Place) => Promise<void>;

export async function textOf(page: Page): Promise<string> {
  return await page.locator('main').innerText();
}

function why(javaScriptEnabled: boolean): Story {
  return async (browser, _rover, place) => {
    const { page, close } = await openTab(browser, place, { javaScriptEnabled });
    match(
      await page.locator('#summary').innerText(),
      /1 needs attention[^]*1 waiting[^]*1 in quarantine/,
    );
    await page.getByRole('link', { name: 'acme:lidar' }).click();
    const text = await textOf(page);
    match(
      text,
      /waiting[^]*upgrade to 1\.2\.9 waits: the window opens in [^]*the maintenance window is closed until (?:\d{4}-\d\d-\d\d )?\d\d:00 Europe\/Berlin/,
    );
    match(text, /stops base \(needs front-lidar\)/);
    match(text, /1\.2\.9\s+selected\s+\d{4}-\d\d-\d\d\s+newest patch of 1\.2/);
    await page.getByRole('link', { name: 'History' }).click();
    match(await textOf(page), /acme:slam decided to roll back/);
    await close();
  };
}

const checkNow: Story = async (browser, rover, place) => {
  const { page, close } = await openTab(browser, place, { javaScriptEnabled: false });
  rover.release('acme:gripper', { '3.1.4': 20 });
  await page.getByRole('button', { name: 'Check now' }).click();
  match(await page.locator('#module-acme_gripper').innerText(), /3\.1\.4/);
  // The stories that follow find it as it was, without a release.
  rover.release('acme:gripper', {});
  await page.getByRole('button', { name: 'Check now' }).click();
  match(await page.locator('#module-acme_gripper').innerText(), /needs attention/);
  await close();
};

const ARM = '#module-acme_arm';

/** The arm's upgrade ends while the page is open. */
const live: Story = async (browser, rover, place) => {
  const { page, close } = await openTab(browser, place);
  await page.locator('#live[data-state=connected]').waitFor();
  await page.locator(`${ARM} [data-state="in progress"]`).waitFor();
  const link = page.getByRole('link', { name: 'acme:arm', exact: true });
  await link.focus();
  await page.evaluate('isSame = true');
  rmSync(join(rover.folder, 'home/hold'));
  await page.locator(`${ARM} [data-state="up to date"]`).waitFor();
  const kept = await page.evaluate('[document.activeElement.textContent, isSame]');
  deepStrictEqual(kept, ['acme:arm', true]);
  match(await page.locator(`${ARM} dl`).innerText(), /deployed\s+2\.5\.0/);
  await close();
};

/** The constraint changes while no feed is open: because the tab is hidden, and because the server is away. */
const interrupted: Story = async (browser, rover) => {
  let server = await pageOf(rover);
  const session = await signIn(server.withCode);
  const { page, close } = await openTab(browser, { url: server.url, session }, { mayFail: /ERR_/ });
  const gripper = page.locator('#module-acme_gripper');
  await page.locator('#live[data-state=connected]').waitFor();
  await hide(page, true);
  rover.constrain('acme_gripper', '3.0.1');
  await page.waitForTimeout(2500);
  match(await gripper.innerText(), /needs attention/);
  await hide(page, false);
  await gripper.locator('[data-state="up to date"]').waitFor();
  await server.end('SIGKILL');
  await page.locator('#live[data-state=lost]').waitFor();
  const lost = await page.locator('#live').innerText();
  match(lost, /^disconnected since \d\d:\d\d; this data is from then$/);
  rover.constrain('acme_gripper', '3.1.*');
  server = await pageOf(rover, new URL(server.url).port);
  await page.locator('#live[data-state=connected]').waitFor();
  await gripper.locator('[data-state="needs attention"]').waitFor();
  await close();
  await server.end();
};

/** Somebody signs out in another tab of the browser. */
const signedOut: Story = async (browser, rover) => {
  const server = await pageOf(rover);
  const place = { url: server.url, session: await signIn(server.withCode) };
  const { page, close } = await openTab(browser, place, { mayFail: /401/ });
  await page.locator('#live[data-state=connected]').waitFor();
  const other = await page.context().newPage();
  await other.goto(`${server.url}logs`);
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByLabel('Code').waitFor();
  await page.locator('#live[data-state=ended]').waitFor();
  match(await page.locator('#live').innerText(), /^signed out; .* reload the page to sign in$/);
  await close();
  await server.end();
};

async function hide(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

/** The text of the focused element, which has a visible ring. */
const FOCUSED = `getComputedStyle(document.activeElement).outlineStyle === 'none'
  ? 'no ring' : document.activeElement.textContent`;

const keyboard: Story = async (browser, _rover, place) => {
  const { page, close } = await openTab(browser, place);
  const focused = async (): Promise<string> => await page.evaluate(FOCUSED);
  const seen: string[] = [];
  for (let count = 0; count < 8; count += 1) {
    await page.keyboard.press('Tab');
    seen.push((await focused()).trim());
  }
  const tabs = ['Modules', 'History', 'Logs', 'Config', 'Sign out', 'Check now'];
  deepStrictEqual(seen, ['Skip to the content', ...tabs, 'acme:gripper']);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/modules/acme_gripper');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  ok(await page.evaluate("document.activeElement.closest('header') === null"), 'the link skips');
  await close();
};

/** At the address of a module, with the code in it, and without scripts by typing it. */
function signingIn(javaScriptEnabled: boolean): Story {
  return async (browser, rover) => {
    const server = await pageOf(rover);
    const place = { url: server.withCode.replace('/#', '/modules/acme_lidar?from=link#') };
    const { page, close } = await openTab(browser, place, {
      javaScriptEnabled,
      mayFail: /403|401/,
    });
    if (!javaScriptEnabled) {
      await page.getByLabel('Code').fill(new URL(server.withCode).hash.slice('#code='.length));
      await page.getByRole('button', { name: 'Sign in' }).click();
    }
    await page.getByRole('heading', { name: 'acme:lidar' }).waitFor();
    match(page.url(), /\/modules\/acme_lidar\?from=link$/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Code').waitFor();
    await close();
    await server.end();
  };
}

export const STORIES: Readonly<Record<string, Story>> = {
  'sign in with the printed address': signingIn(true),
  'sign in without scripts': signingIn(false),
  'find out why a module did not update': why(true),
  'find out why a module did not update, without scripts': why(false),
  'check now, without scripts': checkNow,
  'use the keyboard only': keyboard,
  'lose the feed, and get it again': interrupted,
  'sign out in another tab': signedOut,
  'see an upgrade end': live,
};
