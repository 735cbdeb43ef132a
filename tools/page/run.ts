/*
 * Opens the pages in Chromium: what people do with them, whether each person can use them, and how long they take: run.ts [text of a name].
 * With --measured, only the stories that measure time, for which nothing else may run; with --others, only the others.
 * Without a browser it is skipped; with MODREG_REQUIRE_CHROMIUM=1 that is a failure.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checkFirstView, checkManyModules, checkLargeSite, checkPoller } from './budgets.ts';
import { CHROMIUM, launchChromium } from '../chromium.ts';
import { placeOf } from './browser.ts';
import { checkFinding } from './fit.ts';
import { CHANGE_STORIES, LAST_STORIES } from './change-stories.ts';
import { checkAccounts } from './account-stories.ts';
import { checkForEverybody } from './everybody.ts';
import { checkFollowedSite } from './followed-stories.ts';
import { checkHostileTexts } from './hostile.ts';
import { checkPinnedSite } from './pinned-stories.ts';
import { pageOf, pollOf, withRover } from './rover.ts';
import { SCREENSHOTS, screenshotCount } from './screenshots.ts';
import { checkSite } from './site-stories.ts';
import { STORIES } from './stories.ts';
import { checkWall } from './wall-stories.ts';

if (!existsSync(CHROMIUM)) {
  const missing = `there is no ${CHROMIUM}: install Debian's package chromium, or name a browser in MODREG_CHROMIUM`;
  if (process.env['MODREG_REQUIRE_CHROMIUM'] === '1') throw new Error(missing);
  console.log(`skipped: ${missing}`);
  process.exit(0);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { measured: { type: 'boolean' }, others: { type: 'boolean' } },
});
if (values.measured && values.others) throw new Error('--measured and --others exclude each other');
const [only = ''] = positionals;
let failed = 0;

async function check(name: string, work: () => Promise<void>): Promise<void> {
  if (!name.includes(only)) return;
  const start = performance.now();
  try {
    await work();
    console.log(`ok    ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}`);
    console.log(error);
  }
}

async function checkMachine(): Promise<void> {
  await check('what does not fit is found', async () => await checkFinding(browser));
  await withRover(async (rover) => {
    await pollOf(rover);
    const place = await placeOf(await pageOf(rover));
    await check('axe finds nothing, and everything fits', async () => {
      await checkForEverybody(browser, place, { of: 'machine' });
      // Without a session.
      await checkForEverybody(
        browser,
        { url: place.url },
        { of: 'signed-out', paths: ['sign-in', 'modules/acme_lidar'] },
      );
    });
    const stories = { ...CHANGE_STORIES, ...STORIES, ...LAST_STORIES };
    for (const [name, story] of Object.entries(stories)) {
      await check(name, async () => await story(browser, rover, place));
    }
  });
}

const browser = await launchChromium();
try {
  if (!values.measured) {
    await checkMachine();
    await checkSite(browser, check);
    await checkAccounts(browser, check);
    await checkWall(browser, check);
    await checkPinnedSite(browser, check);
    await check('hostile texts stay texts', async () => await checkHostileTexts(browser));
  }
  if (!values.others) {
    await checkFollowedSite(browser, check);
    await check('site: 100,000 machines are fast', async () => await checkLargeSite(browser));
    await check('the first view is fast', async () => await checkFirstView(browser));
    await check('a thousand modules are fast', async () => await checkManyModules(browser));
    await check('open tabs cost the poller nothing', async () => await checkPoller(browser));
  }
} finally {
  await browser.close();
}
console.log(`${screenshotCount()} pictures of pages are in ${SCREENSHOTS}`);
console.log(failed === 0 ? 'the page works in Chromium' : `${failed} checks of the page failed`);
process.exitCode = failed === 0 ? 0 : 1;
