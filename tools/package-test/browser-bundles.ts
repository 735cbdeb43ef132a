import { deepStrictEqual, ok } from 'node:assert';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { ANSWERS, PICKING, PROGRAM } from '../../test/support/browser-bundle.ts';
import { CHROMIUM, launchChromium } from '../chromium.ts';

/** Bundlers at their defaults, how each writes short names, and where its page and its program are. */
const BUNDLERS = [
  {
    name: 'esbuild',
    command: 'npx --no esbuild program.js --bundle --outfile=esbuild/program.js',
    short: '--minify',
    folder: 'esbuild',
  },
  {
    name: 'rolldown',
    command: 'npx --no rolldown program.js --dir rolldown',
    short: '--minify',
    folder: 'rolldown',
  },
  // Names are short by default, and the page is built as well.
  { name: 'vite', command: 'npx --no vite build --logLevel warn', short: '', folder: 'dist' },
] as const;

/** What a program that only picks may take, compressed. */
const MOST_PICKING_BYTES = 10_000;

const PAGE = '<script type="module" src="./program.js"></script>';

type Run = (folder: string, command: string) => string;

/** Bundles with each bundler, in `project`: programs that decide, which then run in Chromium (D347), and one that picks (D348). */
export async function checkBrowserBundles(project: string, run: Run): Promise<void> {
  const deciding = programIn(join(project, 'deciding'), PROGRAM);
  const picking = programIn(join(project, 'picking'), PICKING);
  for (const { name, command, short, folder } of BUNDLERS) {
    deepStrictEqual(complaints(run(deciding, command)), [], name);
    run(picking, `${command} ${short}`);
    const bytes = sizeOf(join(picking, folder));
    ok(bytes > 0 && bytes <= MOST_PICKING_BYTES, `${name}: ${bytes} bytes to pick`);
    console.log(`${name}: a program that only picks has ${bytes} bytes, compressed`);
  }
  if (isChromiumThere()) await checkInChromium(deciding);
}

/** A new folder with a page and its program. */
function programIn(folder: string, program: string): string {
  mkdirSync(folder);
  writeFileSync(join(folder, 'program.js'), program);
  writeFileSync(join(folder, 'index.html'), PAGE);
  return folder;
}

/** What a bundler replaced by nothing, because a browser lacks it. */
function complaints(output: string): string[] {
  return output.split('\n').filter((line) => /externalized|not resolve|warning/i.test(line));
}

/** The bytes of all scripts of a bundle, each compressed. */
function sizeOf(folder: string): number {
  return globSync(join(folder, '**/*.js'))
    .map((file) => gzipSync(readFileSync(file)).length)
    .reduce((sum, bytes) => sum + bytes, 0);
}

/** Without a browser its part is skipped; with MODREG_REQUIRE_CHROMIUM=1 that is a failure. */
function isChromiumThere(): boolean {
  if (existsSync(CHROMIUM)) return true;
  ok(process.env['MODREG_REQUIRE_CHROMIUM'] !== '1', `there is no ${CHROMIUM}`);
  console.log(`skipped: the bundles in a browser: there is no ${CHROMIUM}`);
  return false;
}

async function checkInChromium(deciding: string): Promise<void> {
  const browser = await launchChromium();
  try {
    for (const { name, folder } of BUNDLERS) {
      deepStrictEqual(await answersOf(browser, join(deciding, folder)), ANSWERS, name);
      console.log(`${name}: its bundle decides in Chromium ${browser.version()}`);
    }
  } finally {
    await browser.close();
  }
}

/** What the program of a page in `folder` answers. Throws what Chromium reports. */
async function answersOf(browser: Browser, folder: string): Promise<unknown> {
  const page = await browser.newPage();
  const errors: unknown[] = [];
  page.on('pageerror', (error) => void errors.push(error.message));
  // Only Vite writes a page.
  if (!existsSync(join(folder, 'index.html'))) writeFileSync(join(folder, 'index.html'), PAGE);
  await page.route('**/*', async (route) => {
    const path = join(folder, new URL(route.request().url()).pathname);
    await (existsSync(path) ? route.fulfill({ path }) : route.fulfill({ status: 404 }));
  });
  await page.goto('http://bundle.example/index.html');
  const answers = await page.evaluate<string | undefined>('globalThis.answers');
  await page.close();
  deepStrictEqual(errors, []);
  return JSON.parse(answers ?? 'null');
}
