import { deepStrictEqual } from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';

/**
 * The parts of a page that do not fit: those that reach over the side of the screen, and those whose text is cut. What is a pixel large is for
 * those who hear the page, and what can be scrolled is not cut.
 */
const UNFIT = `(() => {
  const width = document.documentElement.clientWidth;
  const isScrolled = (element) => /auto|scroll/.test(getComputedStyle(element).overflowX);
  const found = [];
  for (const element of document.body.querySelectorAll('*')) {
    const box = element.getBoundingClientRect();
    const { overflowX, overflowY, visibility } = getComputedStyle(element);
    if (box.width <= 1 || box.height <= 1 || box.right <= 0 || visibility === 'hidden') continue;
    const name = element.cloneNode(false).outerHTML.slice(0, 80) + element.textContent.trim().slice(0, 40);
    let scroller = element.parentElement;
    while (scroller && !isScrolled(scroller)) scroller = scroller.parentElement;
    if (!scroller && box.right > width + 1) found.push(Math.round(box.right - width) + ' px over the side: ' + name);
    const isCutX = /hidden|clip/.test(overflowX) && element.scrollWidth > element.clientWidth + 1;
    const isCutY = /hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 1;
    if (isCutX || isCutY) found.push('cut: ' + name);
  }
  return found;
})()`;

/** What does not fit: the page itself never scrolls sideways. */
export async function unfitIn(page: Page): Promise<string[]> {
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  const parts = await page.evaluate<string[]>(UNFIT);
  return [...(wide > 0 ? [`${wide} px wider than the screen`] : []), ...parts];
}

const EXAMPLES = `<main>
  <p id="fits">fits</p>
  <p id="wide" style="width: 400px">is too wide</p>
  <p id="cut" style="width: 50px; overflow: hidden; white-space: nowrap">is cut somewhere here</p>
  <div style="overflow: auto"><p id="scrolled" style="width: 400px">can be scrolled</p></div>
</main>`;

/** Finds what does not fit in a page with an example of each kind. */
export async function checkFinding(browser: Browser): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 320, height: 400 } });
  await page.setContent(EXAMPLES);
  const found = (await unfitIn(page)).map((one) => one.replace(/<p id="(\w+)".*/, '$1'));
  deepStrictEqual(found, ['88 px wider than the screen', '88 px over the side: wide', 'cut: cut']);
  await page.close();
}
