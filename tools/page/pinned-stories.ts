import { match } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { APPROVER } from '../../test/support/signed.ts';
import { openTab, placeOf, type Place } from './browser.ts';
import { MACHINE, withFollowedSite, type FollowedSite } from './followed-site.ts';
import { textOf } from './stories.ts';

const MACHINE_PATH = `machines/${MACHINE}`;
const COMMANDS_PATH = `${MACHINE_PATH}/commands`;

type Story = (browser: Browser, place: Place, site: FollowedSite) => Promise<void>;

/** Loads a page again until its text matches. */
async function until(page: Page, url: string, pattern: RegExp): Promise<void> {
  do await page.goto(url);
  while (!pattern.test(await textOf(page)));
}

/** What only moves a constraint upwards needs no signature: the machine upgrades to what an author signed. */
const upgrade: Story = async (browser, place) => {
  const { page, close } = await openTab(browser, place);
  await page.goto(`${place.url}${MACHINE_PATH}/modules/acme_lidar/version`);
  await page.getByRole('radio', { name: 'major' }).check();
  await page.getByLabel('reason').fill('the new filter');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(place.url + MACHINE_PATH);
  await until(page, place.url + MACHINE_PATH, /deployed\s+1\.3\.0/);
  match(await textOf(page), /It runs revision 2/);
  await close();
};

/** Restoring the first revision, which is of a version below the deployed one. */
const below: Story = async (browser, place) => {
  const { page, close } = await openTab(browser, place);
  await page.goto(`${place.url}${MACHINE_PATH}/documents/1`);
  await page.getByLabel('reason').fill('back');
  await page.getByRole('button', { name: 'Restore revision 1' }).click();
  await page.waitForURL(place.url + MACHINE_PATH);
  await until(page, place.url + MACHINE_PATH, /It refuses revision 3/);
  match(await textOf(page), /It runs revision 2/);
  match(await textOf(page), /below-deployed: .* may select less than the deployed 1\.3\.0/);
  await close();
};

const unsigned: Story = async (browser, place) => {
  const { page, close } = await openTab(browser, place, { mayFail: /409/ });
  await page.goto(`${place.url}${COMMANDS_PATH}/restart`);
  await page.getByLabel('what').selectOption('acme_lidar');
  await page.getByLabel('reason').fill('no points');
  await page.getByRole('button', { name: 'Restart' }).click();
  match(await textOf(page), /its policy names a trust document, so that operators sign/);
  await close();
};

/** An operator signs a command elsewhere: the page shows its keys and its outcome. */
const signed: Story = async (browser, place, { fleet }) => {
  const { page, close } = await openTab(browser, place);
  await page.goto(place.url + COMMANDS_PATH);
  const about = ['--machine', MACHINE, '--reason', 'no points'];
  await fleet(/waits until/, 'restart', 'acme:lidar', ...about);
  await page.locator('li', { hasText: 'done' }).waitFor();
  match(await textOf(page), new RegExp(`signed by ${APPROVER.id}: no points done`));
  await close();
};

const STORIES: Readonly<Record<string, Story>> = {
  'followed site with a pin: a moved constraint upgrades': upgrade,
  'followed site with a pin: a version below the deployed one is refused': below,
  'followed site with a pin: an unsigned command is refused': unsigned,
  'followed site with a pin: a signed command is done': signed,
};

/** Runs the stories on one site, whose machine has a pin: the later ones find what the earlier ones changed. */
export async function checkPinnedSite(
  browser: Browser,
  check: (name: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await withFollowedSite('with a pin', async (site) => {
    const place = await placeOf(site.page);
    for (const [name, story] of Object.entries(STORIES)) {
      await check(name, async () => await story(browser, place, site));
    }
  });
}
