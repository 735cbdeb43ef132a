import { deepStrictEqual, match } from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { LogRecord } from '../../src/logs/log-record.ts';
import { openTab, placeOf } from './browser.ts';
import { unfitIn } from './fit.ts';
import { pageOf, withRover, writeLog, type Rover } from './rover.ts';

const TEXTS = [
  '<script>window.hasRun = 1</script>',
  '"><img src=x onerror="window.hasRun = 1">',
  "'><svg onload=window.hasRun=1>",
  'javascript:window.hasRun=1',
  '\u202Egnp.exe\u2066 \u200Bcopy',
  'two\nlines\r\nand\tmore\u0000',
  'x'.repeat(3000),
  'a"b\'c&lt;d&amp;e</dd></article><h1>f',
];

/** Whether a component may have the name. */
const isName = (text: string): boolean => !/[/\p{C}]/u.test(text) && text.length < 100;

const PATHS = [
  '',
  'modules/acme_lidar',
  'history',
  'logs',
  'logs?module=<script>',
  'modules/<b>',
  'config',
  'modules/acme_lidar/change',
  'modules/acme_lidar/restart',
  'quarantine?module=<script>',
];

/** Fails if a text of a registry, of a document or of a failed action is more than a text on the page. */
export async function checkHostileTexts(browser: Browser): Promise<void> {
  await withRover(async (rover) => await checkHostileRover(browser, rover));
}

async function checkHostileRover(browser: Browser, rover: Rover): Promise<void> {
  writeHostile(rover);
  const options = ['--deployed', 'deployed.json', '--exec', './hook', '--interval', '5s'];
  const poller = await rover.start(/acme_lidar.*failed/, 'poll', 'machine.json', ...options);
  await poller.end('SIGKILL');
  const place = await placeOf(await pageOf(rover));
  const viewport = { width: 320, height: 640 };
  const mayFail = /modules\/%3Cb|status of (404|409|500)|answered (409|500)/;
  const { page, close } = await openTab(browser, place, { viewport, mayFail });
  const found: string[] = [];
  const examine = async (path: string): Promise<void> => {
    await page.goto(place.url + path);
    if (await page.evaluate('"hasRun" in window')) found.push(`/${path} ran a text`);
    const odd = await page
      .locator('main :is(script, img, svg[onload], [onerror], h1 ~ h1)')
      .count();
    if (odd > 0) found.push(`/${path} has an element of a text`);
    found.push(...(await unfitIn(page)).map((one) => `/${path}: ${one}`));
  };
  for (const path of PATHS) await examine(path);
  await page.goto(place.url);
  match((await page.locator('main').textContent()) ?? '', /<script>window\.hasRun = 1<\/script>/);
  for (const text of TEXTS) {
    rover.write('machine.json', { modules: [{ [text]: text, version: text }] });
    await examine('');
  }
  deepStrictEqual(found, []);
  await close();
}

function writeHostile(rover: Rover): void {
  const published_at = '2020-01-01T00:00:00Z';
  const yanked = TEXTS.map((text, place) => ({
    version: `1.1.${place}`,
    published_at,
    yanked: text,
  }));
  const good = ['1.2.3', '1.2.9'].map((version) => ({ version, published_at }));
  rover.write('registry/acme/lidar.json', {
    module_id: 'acme:lidar',
    releases: [...yanked, ...good],
  });
  rover.write('policy.json', { registry: './registry' });
  rover.write('machine.json', {
    components: ['lidar', ...TEXTS.filter(isName)].map((name) => {
      return { name, model: 'acme:lidar:x', type: 'sensor', namespace: 'rdk' };
    }),
    modules: [{ type: 'registry', name: 'acme_lidar', module_id: 'acme:lidar', version: '1.*' }],
    // An unknown field is a warning.
    ...Object.fromEntries(TEXTS.map((text) => [text, text])),
  });
  writeLog(
    rover,
    ...TEXTS.map((text): LogRecord => ({ at: 0, severity: 'error', module: text, text })),
  );
  rover.write('reason', TEXTS.slice(0, 4).join(' '));
  rover.write('hook', '#!/bin/sh\ncat reason >&2\nexit 1\n');
}
