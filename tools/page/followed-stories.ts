import { match, ok } from 'node:assert/strict';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openTab, placeOf, type Place } from './browser.ts';
import { checkForEverybody } from './everybody.ts';
import { keyboardEdit, plainEdits } from './edit-stories.ts';
import { clock1970, cutOff, expiredCommand, logAfterOutage, month } from './outage-stories.ts';
import { keyboardVersion, liveCard, liveLog, refusedRevision } from './live-stories.ts';
import { MACHINE, withFollowedSite, type FollowedSite } from './followed-site.ts';
import { textOf } from './stories.ts';

const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true };
const MACHINE_PATH = `machines/${MACHINE}`;
const VERSION_PATH = `${MACHINE_PATH}/modules/acme_lidar/version`;
const PATHS = [
  MACHINE_PATH,
  `${MACHINE_PATH}/logs`,
  'logs',
  `${MACHINE_PATH}/commands`,
  `${MACHINE_PATH}/commands/hold`,
  VERSION_PATH,
  `${MACHINE_PATH}/documents`,
  `${MACHINE_PATH}/documents/1`,
  `${MACHINE_PATH}/edit`,
  `${MACHINE_PATH}/edit/age?age=7d`,
  'changes',
];

type Story = (browser: Browser, place: Place, site: FollowedSite) => Promise<void>;

/** Loads the page of the machine again until its module has this version. */
async function untilDeployed(page: Page, url: string, version: string): Promise<void> {
  const cell = page.locator('.versions dd');
  do await page.goto(url);
  while ((await cell.allInnerTexts())[0]?.includes(version) !== true);
}

/** A person changes a version type, and the machine upgrades. */
function changeVersion(
  context: BrowserContextOptions,
  { choice, version }: { readonly choice: string; readonly version: string },
): Story {
  return async (browser, place, { applied }) => {
    const { page, close } = await openTab(browser, place, context);
    await page.goto(place.url + MACHINE_PATH);
    await page.getByRole('link', { name: 'Change… acme_lidar' }).click();
    await page.getByRole('radio', { name: choice }).check();
    await page.getByLabel('reason').fill('the new filter');
    const before = applied() ?? 0;
    const began = performance.now();
    await page.getByRole('button', { name: 'Save' }).click();
    while (applied() !== before + 1) await new Promise((resolve) => setTimeout(resolve, 5));
    const ms = Math.round(performance.now() - began);
    console.log(
      `      saved on the page, and the machine says that it runs it: ${ms} ms (at most 1000)`,
    );
    ok(ms < 1000);
    await page.waitForURL(place.url + MACHINE_PATH);
    await untilDeployed(page, place.url + MACHINE_PATH, version);
    match(await textOf(page), /newest revision of its documents is \d\. It runs revision \d/);
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('link', { name: `revision ${before + 1}` }).click();
    match(await textOf(page), /the new filter[^]*What it changed[^]*-.*"version"[^]*\+.*"version"/);
    await close();
  };
}

/** Two people have the page of a version open: the second one is refused, and sees what the first changed. */
function twoEditors(
  context: BrowserContextOptions,
  { first, second }: { readonly first: string; readonly second: string },
): Story {
  return async (browser, place) => {
    const one = await openTab(browser, place, context);
    const other = await openTab(browser, place, { ...context, mayFail: /409/ });
    for (const { page } of [one, other]) await page.goto(place.url + VERSION_PATH);
    for (const [{ page }, choice] of [[one, first] as const, [other, second] as const]) {
      await page.getByRole('radio', { name: choice }).check();
      await page.getByLabel('reason').fill(`to ${choice}`);
      await page.getByRole('button', { name: 'Save' }).click();
      if (choice === first) await page.waitForURL(place.url + MACHINE_PATH);
      else await page.getByText('STALE_CONFIG').waitFor();
    }
    match(await textOf(other.page), /STALE_CONFIG[^]*What changed since[^]*"version"/);
    await Promise.all([one.close(), other.close()]);
  };
}

/** A command is given without scripts and with the keyboard, and its answer is seen in another tab. */
const restart: Story = async (browser, place) => {
  const watching = await openTab(browser, {
    ...place,
    url: `${place.url}${MACHINE_PATH}/commands`,
  });
  const { page, close } = await openTab(browser, place, { javaScriptEnabled: false });
  await page.goto(`${place.url}${MACHINE_PATH}/commands`);
  await page.getByRole('link', { name: 'Restart…' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('what').selectOption('acme_lidar');
  await page.getByLabel('reason').fill('it shows no points');
  await Promise.all([page.waitForURL(/commands$/), page.keyboard.press('Enter')]);
  match(await textOf(page), /1 restart acme_lidar, by page \(session [0-9a-f]{8}\)/);
  await watching.page.locator('li', { hasText: 'done' }).waitFor();
  await page.goto(`${place.url}changes`);
  match(await textOf(page), /rover-7: restart acme_lidar[^]*it shows no points/);
  await Promise.all([watching.close(), close()]);
};

/** The log of the machine grows by itself at the top. */
const logs: Story = async (browser, place) => {
  // A download ends a request.
  const { page, close } = await openTab(browser, place, { ...PHONE, mayFail: /logs\.txt/ });
  await page.goto(`${place.url}${MACHINE_PATH}/logs`);
  await page.locator('#lines li', { hasText: 'is started' }).first().waitFor();
  await page.getByLabel('text').fill('1.2.9 is started');
  await page.getByRole('button', { name: 'Show' }).click();
  match(await textOf(page), /1\.2\.9 is started/);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as text' }).click(),
  ]);
  ok(download.suggestedFilename() === `${MACHINE}-log.txt`);
  await close();
};

const everybody: Story = async (browser, place) => {
  await checkForEverybody(browser, place, { of: 'followed', paths: PATHS });
};

const LARGEST = 30_000;

const small: Story = async (browser, place) => {
  const { page, close } = await openTab(browser, place);
  for (const path of PATHS) {
    const answer = await page.goto(place.url + path);
    const { responseBodySize = Infinity } = (await answer?.request().sizes()) ?? {};
    console.log(`      /${path}: ${responseBodySize} bytes`);
    ok(responseBodySize < LARGEST, `/${path} has ${responseBodySize} bytes`);
  }
  await close();
};

type Stories = Readonly<Record<string, Story>>;

const FIRST: Stories = {
  'followed site: change a version type, and the machine upgrades': changeVersion(
    {},
    { choice: 'major', version: '1.3.0' },
  ),
  'followed site: the same on a phone, without scripts': changeVersion(
    { ...PHONE, javaScriptEnabled: false },
    { choice: 'latest latest', version: '2.0.0' },
  ),
};

/** They wait most of the time. Each but the first has a machine of its own. */
const AT_ONCE: Stories = {
  'followed site: the card of a tab that is open changes': liveCard,
  'followed site: a revision that cuts the machine off': cutOff,
  'followed site: a command that expires': expiredCommand,
  'followed site: a clock in 1970': clock1970,
  'followed site: a month offline': month,
  'followed site: the log after an outage': logAfterOutage,
};

const LATER: Stories = {
  'followed site: two editors': twoEditors({}, { first: 'major', second: 'minor' }),
  'followed site: two editors on phones, without scripts': twoEditors(
    { ...PHONE, javaScriptEnabled: false },
    { first: 'minor', second: 'major' },
  ),
  'followed site: a command with the keyboard, without scripts': restart,
  'followed site: the log': logs,
  'followed site: the log grows in a tab that is open': liveLog,
  'followed site: a version type with the keyboard': keyboardVersion,
  'followed site: a revision that the machine refuses': refusedRevision,
  'followed site: a window with the keyboard': keyboardEdit,
  'followed site: edits on a phone, without scripts': plainEdits,
  'followed site: pages are small': small,
  'followed site: axe finds nothing, and everything fits': everybody,
};

/** Runs the stories on one site: the later ones find what the earlier ones changed. */
export async function checkFollowedSite(
  browser: Browser,
  check: (name: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await withFollowedSite('without a pin', async (site) => {
    const place = await placeOf(site.page);
    const checked = async ([name, story]: readonly [string, Story]): Promise<void> =>
      await check(name, async () => await story(browser, place, site));
    for (const one of Object.entries(FIRST)) await checked(one);
    await Promise.all(Object.entries(AT_ONCE).map(checked));
    for (const one of Object.entries(LATER)) await checked(one);
  });
}
