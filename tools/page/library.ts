import { deepStrictEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { ANSWERS, bundledForBrowsers, PROGRAM } from '../../test/support/browser-bundle.ts';

/** Fails unless `modreg` and `modreg/config`, bundled for browsers, decide in Chromium as in Node. */
export async function checkLibrary(browser: Browser): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-library-'));
  const page = await browser.newPage();
  try {
    const { code, complaints } = await bundledForBrowsers(PROGRAM, folder, writeFileSync);
    deepStrictEqual(complaints, []);
    await page.addScriptTag({ content: code });
    deepStrictEqual(JSON.parse(await page.evaluate('answers')), ANSWERS);
  } finally {
    await page.close();
    rmSync(folder, { recursive: true });
  }
}
