import { deepStrictEqual, match, ok } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { openTab, placeOf, type Place } from './browser.ts';
import { checkForEverybody } from './everybody.ts';
import { pageOfSite, withSite } from './site.ts';
import { textOf } from './stories.ts';

/** What a check of the page of a site gets. */
type SiteStory = (browser: Browser, place: Place) => Promise<void>;

const ROLLOUT = 'rollouts/acme%3Alidar/1.3.0';
const PATHS = [
  '',
  '?condition=stuck',
  '?id=nothing',
  'machines/rover-07',
  'machines/rover-53',
  'rollouts',
  ROLLOUT,
  `${ROLLOUT}/halt`,
  `${ROLLOUT}/raise`,
  `${ROLLOUT}/retract`,
  'modules',
  'modules/acme%3Aarm',
  'modules/acme%3Alidar/what-if?version=1.4.0',
];

const everybody: SiteStory = async (browser, place) => {
  await checkForEverybody(browser, place, { of: 'site', paths: PATHS });
};

function stuck(javaScriptEnabled: boolean): SiteStory {
  return async (browser, place) => {
    const { page, close } = await openTab(browser, place, { javaScriptEnabled });
    match(await page.locator('#summary').innerText(), /100 in total[^]*2 stuck[^]*10 behind/);
    await page.getByRole('link', { name: 'stuck' }).click();
    match(await textOf(page), /2 machines match[^]*rover-03[^]*rover-53/);
    await page.getByLabel('id contains').fill('03');
    await page.getByRole('button', { name: 'Search' }).click();
    match(await textOf(page), /1 machine matches/);
    await page.getByRole('link', { name: 'rover-03' }).click();
    match(await textOf(page), /acme:gripper[^]*needs attention[^]*no release satisfies 3\.1\.\*/);
    await close();
  };
}

/** The texts of machines and releases are texts. */
const hostile: SiteStory = async (browser, place) => {
  const { page, close } = await openTab(browser, place);
  for (const path of ['machines/rover-53', 'modules/acme%3Acamera', '?condition=stuck']) {
    await page.goto(place.url + path);
    ok(!(await page.evaluate('"hasRun" in window')), `/${path} ran a text`);
    match(await textOf(page), /<img src=x onerror="window\.hasRun = 1"><\/td>/);
  }
  await close();
};

const raise: SiteStory = async (browser, place) => {
  const { page, close } = await openTab(browser, place, { javaScriptEnabled: false });
  await page.getByRole('link', { name: 'Rollouts' }).click();
  match(await textOf(page), /5 %, \d+ machines[^]*motor stalled/);
  await page.getByRole('link', { name: 'Raise now… acme:lidar 1.3.0' }).click();
  match(await textOf(page), /From 5 % to 50 %/);
  await page.getByLabel('another step').selectOption('100');
  await page.getByRole('button', { name: 'Show what that does' }).click();
  match(await textOf(page), /From 5 % to 100 %: \d+ machines more[^]*cannot be taken back/);
  await page.getByLabel('another step').selectOption('50');
  await page.getByRole('button', { name: 'Show what that does' }).click();
  await page.getByLabel('how many machines failed').fill('1');
  await page.getByRole('button', { name: 'Raise to 50 %' }).click();
  match(await textOf(page), /running[^]*50 %, \d+ machines/);
  await close();
};

/** One operator halts while another one reads what raising does. */
const twoOperators: SiteStory = async (browser, place) => {
  const one = await openTab(browser, place);
  const other = await openTab(browser, place, { mayFail: /409/ });
  await one.page.goto(place.url + ROLLOUT);
  await other.page.goto(`${place.url}${ROLLOUT}/raise`);
  await one.page.getByRole('link', { name: /^Halt/ }).click();
  await one.page.getByLabel('reason').fill('the motor is loud');
  await one.page.getByRole('button', { name: 'Halt now' }).click();
  match(await textOf(one.page), /halted[^]*the motor is loud[^]*until a person resumes/);
  await other.page.getByLabel('how many machines failed').fill('1');
  await other.page.getByRole('button', { name: /^Raise to/ }).click();
  match(await textOf(other.page), /ROLLOUT_CONFLICT[^]*as it is now[^]*halted/);
  await Promise.all([one.close(), other.close()]);
};

/** The rollout is resumed in one tab, which another one shows by itself. */
const resume: SiteStory = async (browser, place) => {
  const watching = await openTab(browser, { ...place, url: `${place.url}rollouts` });
  const { page, close } = await openTab(browser, place, {
    javaScriptEnabled: false,
    mayFail: /409/,
  });
  await page.goto(`${place.url}${ROLLOUT}/resume`);
  await resumeWith(page, '17');
  match(await textOf(page), /ROLLOUT_CONFLICT "17" was typed, but the number[^]* is 1/);
  await page.goto(`${place.url}${ROLLOUT}/resume`);
  await resumeWith(page, '1');
  match(await textOf(page), /running[^]*50 %/);
  await watching.page.locator('article', { hasText: 'running' }).waitFor();
  deepStrictEqual(await watching.page.locator('#live').innerText(), 'connected');
  await Promise.all([watching.close(), close()]);
};

async function resumeWith(page: Page, failures: string): Promise<void> {
  await page.getByLabel('how many machines').fill(failures);
  await page.getByRole('button', { name: 'Resume' }).click();
}

const keyboard: SiteStory = async (browser, place) => {
  const { page, close } = await openTab(browser, place);
  const seen: string[] = [];
  for (let count = 0; count < 16; count += 1) {
    await page.keyboard.press('Tab');
    seen.push((await page.evaluate<string>(FOCUSED)).trim());
  }
  deepStrictEqual(seen, [
    'Skip to the content',
    'Machines',
    'Rollouts',
    'Modules',
    'Logs',
    'Changes',
    'Sign out',
    'stuck',
    'behind',
    'rover-03',
    'rover-53',
    'id',
    'module',
    'version',
    'condition',
    'Search',
  ]);
  await close();
};

/** The name or the text of the focused element, which has a visible ring. */
const FOCUSED = `getComputedStyle(document.activeElement).outlineStyle === 'none'
  ? 'no ring' : document.activeElement.name || document.activeElement.textContent`;

const SITE_STORIES: Readonly<Record<string, SiteStory>> = {
  'site: axe finds nothing, and everything fits': everybody,
  'site: find a stuck machine': stuck(true),
  'site: find a stuck machine, without scripts': stuck(false),
  'site: hostile texts stay texts': hostile,
  'site: use the keyboard only': keyboard,
  'site: raise a rollout, without scripts': raise,
  'site: two operators at once, and a halt': twoOperators,
  'site: resume, and see it in another tab': resume,
};

/** Runs the stories on one site: the later ones find what the earlier ones changed. */
export async function checkSite(
  browser: Browser,
  check: (name: string, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await withSite(100, async (site) => {
    const place = await placeOf(await pageOfSite(site));
    for (const [name, story] of Object.entries(SITE_STORIES)) {
      await check(name, async () => await story(browser, place));
    }
  });
}
