import { deepStrictEqual, match } from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { storedPassword } from '../../src/server/accounts/password.ts';
import { Catalogue } from '../../src/server/index.ts';
import { openTab, type Place } from './browser.ts';
import { checkForEverybody } from './everybody.ts';
import { pageOfSite, withSite } from './site.ts';
import { textOf } from './stories.ts';

const NAME = 'a.long.name.of.a.viewer@registry.example';
const PASSWORD = 'correct horse battery';
const ROLLOUT = 'rollouts/acme%3Alidar/1.3.0';

/** A viewer signs in with the keyboard only, and is offered no change; the result is the session. */
async function viewer(browser: Browser, { url }: Place): Promise<Place> {
  const place = { url: `${url}sign-in?to=%2Frollouts` };
  const options = { javaScriptEnabled: false, mayFail: /401|403/ } as const;
  const { page, close } = await openTab(browser, place, options);
  await page.keyboard.type(NAME);
  await page.keyboard.press('Tab');
  await page.keyboard.type('wrong');
  await page.keyboard.press('Enter');
  match(await textOf(page), /the name or the password is wrong/);
  await page.getByLabel('Name').fill(NAME);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/rollouts$/);
  match(await page.locator('header').innerText(), /viewer@registry\.example \(viewer\)/);
  match(await textOf(page), /acme:lidar 1\.3\.0/);
  deepStrictEqual(await page.getByRole('link', { name: /Halt|Raise|Retract/ }).count(), 0);
  await page.goto(`${url}${ROLLOUT}/halt`);
  match(await textOf(page), /NEEDS_ROLE[^]*needs the role admin, and [^]* has the role viewer/);
  const session = await page.context().storageState();
  await close();
  return { url, session };
}

/** Runs the stories of people with accounts. */
export async function checkAccounts(
  browser: Browser,
  check: (name: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await withSite(100, async (site) => {
    const catalogue = new Catalogue(site.path);
    const password = await storedPassword(PASSWORD);
    catalogue.accounts.set({ name: NAME, role: 'viewer', password }, Date.now());
    catalogue.close();
    const { url } = await pageOfSite(site);
    await check('accounts: a viewer looks, and axe finds nothing', async () => {
      const place = await viewer(browser, { url });
      await checkForEverybody(browser, { url }, { of: 'accounts', paths: ['sign-in'] });
      const paths = ['', 'rollouts', ROLLOUT];
      await checkForEverybody(browser, place, { of: 'viewer', paths });
    });
  });
}
