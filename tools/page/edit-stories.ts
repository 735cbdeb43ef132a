import { match } from 'node:assert/strict';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { openTab, type Place } from './browser.ts';
import { until } from './apart-machine.ts';
import { MACHINE, type FollowedSite } from './followed-site.ts';
import { tabTo } from './live-stories.ts';
import { textOf } from './stories.ts';

type Story = (browser: Browser, place: Place, site: FollowedSite) => Promise<void>;

const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  javaScriptEnabled: false,
};
const MACHINE_PATH = `machines/${MACHINE}`;
const WINDOW = /Remove: .*02:00/;

/** A window is added with the keyboard alone, from the page of the machine on, and the machine runs it. */
export const keyboardEdit: Story = async (browser, place, { applied }) => {
  const { page, close } = await openTab(browser, { ...place, url: place.url + MACHINE_PATH });
  const before = applied() ?? 0;
  await tabTo(page, 'a[href$="/edit"]');
  await Promise.all([page.waitForURL(/\/edit$/), page.keyboard.press('Enter')]);
  await tabTo(page, 'form[action$="/window"] button');
  await Promise.all([page.waitForURL(/\/edit\/window\?/), page.keyboard.press('Enter')]);
  match(await textOf(page), /Nothing is changed yet[^]*\+.*"maintenance"/);
  await tabTo(page, '[name=reason]');
  await page.keyboard.type('quiet nights');
  const saved = page.waitForURL(place.url + MACHINE_PATH);
  await Promise.all([saved, page.keyboard.press('Enter')]);
  await until(() => applied() === before + 1);
  await page.goto(`${place.url}${MACHINE_PATH}/edit`);
  await page.getByRole('button', { name: WINDOW }).waitFor();
  await close();
};

/** On a phone without scripts, the window is removed, and a module added and removed. */
export const plainEdits: Story = async (browser, place, { applied }) => {
  const { page, close } = await openTab(browser, place, PHONE);
  const edit = async (button: string | RegExp, reason: string): Promise<void> => {
    const before = applied() ?? 0;
    await page.getByRole('button', { name: button }).click();
    await page.waitForURL(/\/edit\/[a-z-]+\?/);
    match(await textOf(page), /Nothing is changed yet/);
    await page.getByLabel('reason').fill(reason);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(place.url + MACHINE_PATH);
    await until(() => applied() === before + 1);
    await page.goto(`${place.url}${MACHINE_PATH}/edit`);
  };
  await page.goto(`${place.url}${MACHINE_PATH}/edit`);
  await edit(WINDOW, 'the nights are loud');
  match(await textOf(page), /When modules may restart\s+None is set here/);
  const add = page.locator('form[action$="/add"]');
  await add.getByLabel('module').fill('acme:arm');
  await add.getByLabel('version').fill('1.*');
  await edit('Add…', 'a new arm');
  await page.getByRole('combobox', { name: 'module' }).last().selectOption('acme_arm');
  await edit('Remove…', 'no new arm');
  await page.goto(`${place.url}changes`);
  match(await textOf(page), /no new arm[^]*a new arm[^]*the nights are loud[^]*quiet nights/);
  await close();
};
