/*
 * Opens every page of _site in Chromium as a phone and as a desktop, with scripts and without: `npm run test:site`.
 * Prints what is wrong, and the size of the largest page.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../chromium.ts';
import { brokenLinks } from './links.ts';
import { ROOT } from './pages.ts';
import { serve, type Served } from './served.ts';

const SITE = join(ROOT, '_site');
const MOST_BYTES = 100_000;
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' };
const DESKTOP: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
};
/** What only scripts write: the count of the rows, and the results of the search. */
const WRITTEN_BY_SCRIPTS = new Set(['design/rows.html', 'search.html']);

const paths = globSync('**/*.html', { cwd: SITE }).toSorted();
const problems = brokenLinks(SITE, paths);
/** The text of each page on a desktop with scripts. */
const texts = new Map<string, string>();
let largest = { path: '', bytes: 0 };

/** Notes each error of the console and each request to another server or without an answer. */
function watch(page: Page, { origin }: Served): void {
  const note = (what: string): void => void problems.push(`${page.url()}: ${what}`);
  page.on('console', (message) => {
    if (message.type() === 'error') note(`the console has ${message.text()}`);
  });
  page.on('pageerror', (error) => {
    note(`a script threw ${error.message}`);
  });
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(origin) || request.url().startsWith('data:');
    if (!isOwn) note(`it requests ${request.url()}`);
  });
}

function weigh(served: Served, path: string): void {
  const bytes = served.takeBytes();
  if (bytes > largest.bytes) largest = { path, bytes };
  if (bytes > MOST_BYTES) problems.push(`${path}: ${bytes} bytes, expected at most ${MOST_BYTES}`);
}

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** The text of the page with scripts. */
async function checkedText(page: Page, served: Served, path: string): Promise<string> {
  await page.goto(`${served.origin}/${path}`);
  weigh(served, path);
  const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  if (excess > 0)
    problems.push(`${path}: ${excess} pixels wider than ${page.viewportSize()?.width}`);
  await page.evaluate(axe.source);
  const findings = await page.evaluate<Finding[]>(
    'axe.run({ resultTypes: ["violations"] }).then((found) => found.violations)',
  );
  problems.push(
    ...findings.map(({ id, nodes }) => `${path}: axe ${id}: ${nodes[0]?.target.join()}`),
  );
  return await page.locator('main').innerText();
}

async function checkPages(browser: Browser, view: BrowserContextOptions): Promise<void> {
  const served = await serve(SITE);
  const page = await (await browser.newContext(view)).newPage();
  watch(page, served);
  for (const path of paths) {
    const text = await checkedText(page, served, path);
    if (view === DESKTOP) texts.set(path, text);
  }
  served.stop();
}

/** Without scripts each page has the same text: one view is enough, since the scripts know none. */
async function checkTexts(browser: Browser, served: Served): Promise<void> {
  const page = await (await browser.newContext({ ...DESKTOP, javaScriptEnabled: false })).newPage();
  watch(page, served);
  for (const path of paths.filter((one) => !WRITTEN_BY_SCRIPTS.has(one))) {
    await page.goto(`${served.origin}/${path}`);
    if ((await page.locator('main').innerText()) !== texts.get(path)) {
      problems.push(`${path}: without scripts it has another text`);
    }
  }
}

/** Row ids are found by the search, and by the filter of the table of all rows. */
async function checkSearch(browser: Browser, served: Served): Promise<void> {
  const page = await (await browser.newContext()).newPage();
  watch(page, served);
  for (const [id, path] of [
    ['D13', 'design/decision-table.html#D13'],
    ['T57', 'design/faults.html#T57'],
  ] as const) {
    served.takeBytes();
    await page.goto(`${served.origin}/index.html`);
    await page.getByRole('searchbox').fill(id);
    await page.keyboard.press('Enter');
    const first = page.locator('#results li a').first();
    await first.waitFor();
    weigh(served, `search.html?q=${id}`);
    await first.click();
    await page.waitForURL(`${served.origin}/${path}`);

    await page.goto(`${served.origin}/design/rows.html`);
    await page.getByLabel('Filter the rows').fill(id);
    const row = page
      .locator('.rows tbody tr:visible')
      .filter({ has: page.locator(`a[href$="#${id}"]`) });
    if ((await row.count()) === 0)
      problems.push(`rows.html: the filter ${id} does not show its row`);
    if (await page.locator('.rows a[href$="#D1"]').isVisible())
      problems.push(`rows.html: ${id} shows D1`);
  }
}

/** The page that is found first, also with a typing error: a guide or the API before tables of faults (D319). */
async function checkRanking(browser: Browser, served: Served): Promise<void> {
  const page = await (await browser.newContext()).newPage();
  watch(page, served);
  for (const [text, path] of [
    ['quarentine', 'operating.html#roll-back-quarantine-accept'],
    ['maintenence windw', 'policy-and-documents.html#maintenance-windows'],
    ['planMachine', 'api/core.html#planmachine'],
    ['regsitry protocol', 'registry-protocol.html'],
    ['power cut', 'embedding.html#test-your-agent'],
  ] as const) {
    served.takeBytes();
    await page.goto(`${served.origin}/search.html?q=${encodeURIComponent(text)}`);
    const first = page.locator('#results li a').first();
    await first.waitFor();
    weigh(served, `search.html?q=${text}`);
    const found = await first.getAttribute('href');
    if (found !== path) problems.push(`search ${text}: ${found} is first, expected ${path}`);
  }
}

/** Without scripts: the menu opens, and the whole table is there. */
async function checkWithoutScripts(browser: Browser, served: Served): Promise<void> {
  const context = await browser.newContext({ ...PHONE, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${served.origin}/index.html`);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'All rows' }).click();
  const rows = await page.locator('.rows tbody tr:visible').count();
  const all = await page.locator('.rows tbody tr').count();
  if (rows !== all || rows < 150)
    problems.push(`rows.html: ${rows} of ${all} rows without scripts`);
}

const browser = await launchChromium();
const served = await serve(SITE);
try {
  await checkSearch(browser, served);
  await checkRanking(browser, served);
  await checkWithoutScripts(browser, served);
  await Promise.all([PHONE, DESKTOP].map(async (view) => await checkPages(browser, view)));
  await checkTexts(browser, served);
} finally {
  await browser.close();
  served.stop();
}
for (const problem of problems) console.error(problem);
console.log(
  `${paths.length} pages, ${problems.length} problems; the largest is ${largest.path}, ${largest.bytes} bytes`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
