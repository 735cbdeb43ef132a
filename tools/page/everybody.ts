import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { openTab, type Place } from './browser.ts';
import { unfitIn } from './fit.ts';
import { screenshot } from './screenshots.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The pages of the rover. */
const PATHS = [
  '',
  'modules/acme_lidar',
  'modules/acme_slam',
  'history',
  'logs',
  'config',
  'quarantine',
  'modules/acme_lidar/change',
  'modules/acme_lidar/restart',
  'modules/acme_lidar/restart?now=yes',
  'edit',
  'edit/window?at=02%3A00&days=*&duration=2h&time_zone=UTC',
];
const WIDTHS = [320, 1280];
const THEMES = ['light', 'dark'] as const;

interface AxeReport {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** Fails with the findings of axe and the parts that do not fit, of all pages: those of the rover without others. Each is written as a picture. */
export async function checkForEverybody(
  browser: Browser,
  place: Place,
  { of, paths = PATHS }: { readonly of: string; readonly paths?: readonly string[] },
): Promise<void> {
  const found: string[] = [];
  for (const colorScheme of THEMES) {
    for (const width of WIDTHS) {
      const options = { colorScheme, viewport: { width, height: 800 }, ...WITH_AXE };
      const { page, close } = await openTab(browser, place, options);
      for (const path of paths) {
        await page.goto(place.url + path);
        const findings = [...(await axeFindings(page)), ...(await unfitIn(page))];
        found.push(...findings.map((one) => `/${path} ${colorScheme} ${width} px: ${one}`));
        await screenshot(page, `${of}-${path}`, { colorScheme, width });
      }
      await close();
    }
  }
  deepStrictEqual(found, []);
}

/** axe is a script of this test, which the policy of the page forbids. */
export const WITH_AXE = { bypassCSP: true } as const;

/** The same for the page that a tab with axe shows, such as the answer to a form. */
export async function checkShown(page: Page): Promise<void> {
  const found: string[] = [];
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const findings = [...(await axeFindings(page)), ...(await unfitIn(page))];
      found.push(...findings.map((one) => `${page.url()} ${colorScheme} ${width} px: ${one}`));
      await screenshot(page, `answer-${new URL(page.url()).pathname}`, { colorScheme, width });
    }
  }
  deepStrictEqual(found, []);
}

async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeReport>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 150)} ${failureSummary}`),
  );
}
