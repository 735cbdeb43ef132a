import { deepStrictEqual, match } from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { LogRecord } from '../../src/logs/log-record.ts';
import { openTab } from './browser.ts';
import { checkShown, WITH_AXE } from './everybody.ts';
import { writeLog, type Rover } from './rover.ts';
import { textOf, type Story } from './stories.ts';

const COMMENT = '// Keep the arm slow.\n';

/** The machine config as somebody wrote it by hand. */
function withComment(rover: Rover): string {
  const path = join(rover.folder, 'machine.json');
  const text = readFileSync(path, 'utf8');
  const commented = text.startsWith('//') ? text : COMMENT + text;
  writeFileSync(path, commented);
  return commented;
}

/** Only that value of the file becomes another one. */
function changeVersion(javaScriptEnabled: boolean): Story {
  return async (browser, rover, place) => {
    const before = withComment(rover);
    const { page, close } = await openTab(browser, place, { javaScriptEnabled });
    await page.getByRole('link', { name: 'acme:lidar', exact: true }).click();
    await page.getByRole('link', { name: 'Change…' }).click();
    const choice = page.locator('tr', { hasText: 'major 1.*' });
    match(await choice.innerText(), /upgrade to 1\.3\.0 waits[^]*"1\.2\.\*" -> "1\.\*"/);
    await choice.getByRole('radio').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**/modules/acme_lidar');
    match(await page.locator('dl.versions').innerText(), /constraint\s*1\.\*/);
    const saved = readFileSync(join(rover.folder, 'machine.json'), 'utf8');
    deepStrictEqual(saved, before.replace('"1.2.*"', '"1.*"'));
    rover.write('machine.json', before);
    await close();
  };
}

/** The window of the lidar is closed, so its restart waits until it is withdrawn. */
function restart(javaScriptEnabled: boolean): Story {
  return async (browser, _rover, place) => {
    const { page, close } = await openTab(browser, place, { javaScriptEnabled });
    await page.getByRole('link', { name: 'acme:lidar', exact: true }).click();
    await page.getByRole('link', { name: 'Restart…' }).click();
    match(await textOf(page), /Stops[^]*base[^]*It keeps to the maintenance window/);
    await page.getByRole('button', { name: 'Restart acme:lidar' }).click();
    await page.waitForURL('**/modules/acme_lidar');
    await page.getByRole('link', { name: 'Restart…' }).click();
    match(await textOf(page), /A restart is requested already/);
    await page.getByRole('button', { name: 'Withdraw the request' }).click();
    await page.waitForURL('**/modules/acme_lidar');
    await close();
  };
}

/** The version that the arm was upgraded to is in quarantine for a week. */
const rollBack: Story = async (browser, _rover, place) => {
  const confirmation = { ...place, url: `${place.url}modules/acme_arm/rollback?for=7d` };
  const examined = await openTab(browser, confirmation, WITH_AXE);
  await examined.page.getByRole('button', { name: /Roll back from 2\.5\.0/ }).waitFor();
  await checkShown(examined.page);
  await examined.close();
  const { page, close } = await openTab(browser, place, { javaScriptEnabled: false });
  await page.locator('#module-acme_arm').getByRole('link', { name: 'Roll back…' }).click();
  await page.getByLabel(/for example 7d/).fill('7d');
  await page.getByRole('button', { name: 'Show what that does' }).click();
  match(await page.locator('main pre').innerText(), /2\.4\.0/);
  await page.getByRole('button', { name: 'Roll back from 2.5.0 to 2.4.0 for 7d' }).click();
  await page.waitForURL('**/modules/acme_arm');
  await page.goto(`${place.url}quarantine`);
  match(await textOf(page), /acme:arm 2\.5\.0 is refused since \S+, until 2/);
  await close();
};

function lift(what: string, javaScriptEnabled: boolean): Story {
  return async (browser, _rover, place) => {
    const quarantine = { ...place, url: `${place.url}quarantine` };
    const { page, close } = await openTab(browser, quarantine, { javaScriptEnabled });
    const button = page.getByRole('button', { name: `Lift the quarantine of ${what}` });
    await button.click();
    await button.waitFor({ state: 'detached' });
    await close();
  };
}

const lineAt = (at: number, severity: LogRecord['severity'], text: string): LogRecord => {
  return { at, severity, module: 'acme_slam', version: '4.2.0', event: undefined, text };
};

/** A line that is written while the page is open appears on it. */
function logs(javaScriptEnabled: boolean): Story {
  return async (browser, rover, place) => {
    const now = Date.now();
    writeLog(rover, lineAt(now, 'info', 'map loaded'), lineAt(now, 'error', 'no loop closure'));
    const { page, close } = await openTab(browser, place, { javaScriptEnabled });
    await page.getByRole('link', { name: 'Logs' }).click();
    match(await page.locator('#log').innerText(), /no loop closure[^]*map loaded/);
    await page.getByLabel('module').selectOption('acme_slam');
    await page.getByLabel('level').selectOption('error');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL('**/logs?module=acme_slam&level=error*');
    deepStrictEqual((await page.locator('#log').innerText()).includes('map loaded'), false);
    if (javaScriptEnabled) {
      await page.locator('#live[data-state=connected]').waitFor();
      writeLog(rover, lineAt(now + 1, 'error', 'lidar is silent'));
      await page.locator('#log', { hasText: 'lidar is silent' }).waitFor();
    }
    await close();
  };
}

async function save(page: Page, text: string): Promise<void> {
  await page.getByLabel('The machine config').fill(text);
  await page.getByRole('button', { name: 'Save' }).click();
}

/** Two people edit the config: the second one gets both texts, and loses nothing. */
function twoEditors(javaScriptEnabled: boolean): Story {
  return async (browser, rover, place) => {
    const before = withComment(rover);
    const config = { ...place, url: `${place.url}config` };
    const options = { javaScriptEnabled, mayFail: /412/ };
    const first = await openTab(browser, config, options);
    const second = await openTab(browser, config, { ...options, ...WITH_AXE });
    const [mine, yours] = ['1.0.3', '1.3.*'].map((one) => before.replace('"1.0.4"', `"${one}"`));
    await save(first.page, mine ?? '');
    await first.page.waitForURL('**/config');
    await first.page.locator('#text', { hasText: '"1.0.3"' }).waitFor();
    await save(second.page, yours ?? '');
    const unsaved = second.page.getByLabel('Yours, which was not saved');
    deepStrictEqual(
      [await second.page.locator('#text').inputValue(), await unsaved.inputValue()],
      [mine, yours],
    );
    deepStrictEqual(readFileSync(join(rover.folder, 'machine.json'), 'utf8'), mine);
    if (javaScriptEnabled) await checkShown(second.page);
    rover.write('machine.json', before);
    await first.close();
    await second.close();
  };
}

const EACH = {
  'change the version type': changeVersion,
  'restart, and withdraw it': restart,
  'read the logs': logs,
  'save what somebody else has changed': twoEditors,
};

/** Each change, with and without scripts. */
export const CHANGE_STORIES: Readonly<Record<string, Story>> = Object.fromEntries(
  Object.entries(EACH).flatMap(([name, story]) => [
    [name, story(true)],
    [`${name}, without scripts`, story(false)],
  ]),
);

/** What is told after the arm's upgrade has ended. */
export const LAST_STORIES: Readonly<Record<string, Story>> = {
  'roll back for a week': rollBack,
  'lift a quarantine': lift('acme:arm 2.5.0', true),
  'lift a quarantine, without scripts': lift('acme:slam 4.2.0', false),
};
