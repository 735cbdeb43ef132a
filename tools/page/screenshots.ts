import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Where people find the pages as they looked: a folder that MODREG_SCREENSHOTS names, or one of temporary files. */
export const SCREENSHOTS: string =
  process.env['MODREG_SCREENSHOTS'] ?? join(tmpdir(), 'modreg-screenshots');

let count = 0;

/** Writes what a page looks like in a theme and at a width to a file, in place of an earlier one. */
export async function screenshot(
  page: Page,
  state: string,
  { colorScheme, width }: { readonly colorScheme: string; readonly width: number },
): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const name = state.replaceAll(/[^\w.-]+/g, '-').replace(/-$/, '');
  const path = join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`);
  await page.screenshot({ path, fullPage: true });
  count += 1;
}

/** How many were written. */
export function screenshotCount(): number {
  return count;
}
