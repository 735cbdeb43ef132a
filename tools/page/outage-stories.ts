import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { LogRecord } from '../../src/logs/log-record.ts';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { machineReport, reportedState } from '../../test/support/machine-report.ts';
import { apartMachine, until, type ApartMachine } from './apart-machine.ts';
import { openTab, type Place } from './browser.ts';
import { WITH_AXE, checkShown } from './everybody.ts';
import type { FollowedSite } from './followed-site.ts';
import { textOf } from './stories.ts';

type Story = (browser: Browser, place: Place, site: FollowedSite) => Promise<void>;

const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  javaScriptEnabled: false,
};
const LIDAR = { type: 'registry', name: 'acme_lidar', module_id: 'acme:lidar', version: '1.2.*' };
const MONTH_MS = 30 * 86_400_000;

/** Calls `work` with a machine, and ends it. */
async function withMachine(
  site: FollowedSite,
  id: string,
  work: (machine: ApartMachine) => Promise<void>,
): Promise<void> {
  const machine = apartMachine(site, id);
  try {
    await work(machine);
  } finally {
    await machine.end();
  }
}

/** Waits until the page that is open has this text, without loading it again. */
async function untilShown(page: Page, pattern: RegExp): Promise<void> {
  await page.locator('main', { hasText: pattern }).waitFor();
}

/** A revision cuts the machine off: the earlier one returns after ten minutes, and the page says so, live and without scripts. */
export const cutOff: Story = async (browser, place, site) => {
  const { configs } = site.catalogue;
  await withMachine(site, 'rover-cut', async (machine) => {
    await machine.report(Date.now());
    machine.save({ modules: [LIDAR] });
    machine.ask();
    await until(() => configs.answer('rover-cut')?.applied === 1);
    const url = `${place.url}machines/rover-cut`;
    const { page, close } = await openTab(browser, { ...place, url }, WITH_AXE);
    // Settings of the system take effect later, and so does what they cut.
    machine.save({ modules: [LIDAR], agent: { 'agent-syscfg': { disable_subsystem: true } } });
    machine.ask();
    await untilShown(page, /It runs revision 2/);
    machine.link = 'cut';
    machine.clock.advance(600_001);
    machine.ask();
    await until(() => machine.notices.some((one) => one.endsWith('revision 1 is in use again')));
    match(await textOf(page), /It runs revision 2/);
    machine.link = 'well';
    machine.ask();
    const refusal =
      /It runs revision 1,[^]*It refuses revision 2: unreachable: the machine did not reach its site within 10 min under revision 2/;
    await untilShown(page, refusal);
    await checkShown(page);
    const plain = await openTab(browser, { ...place, url }, PHONE);
    match(await textOf(plain.page), refusal);
    await Promise.all([plain.close(), close()]);
  });
};

/** A command expires while the machine is away: the page says so by itself, and the machine does not carry it out when it is back. */
export const expiredCommand: Story = async (browser, place, site) => {
  const { commands } = site.catalogue.configs;
  const id = 'rover-late';
  await withMachine(site, id, async (machine) => {
    await machine.report(Date.now());
    // What was given before it first asked would be lost.
    machine.ask();
    await until(() => commands.hasAsked(id));
    machine.link = 'cut';
    const url = `${place.url}machines/${id}/commands`;
    const { page, close } = await openTab(browser, { ...place, url });
    const give = (reason: string, lasts: number): void => {
      const at = Date.now();
      const who = { machine: id, key: reason, author: 'token t2 (ops)', at };
      const what = { kind: 'hold', module: undefined, term: '1h', version: undefined } as const;
      commands.give({ ...who, ...what, reason, expiresAt: at + lasts });
    };
    give('the first fair', 2000);
    await page.locator('li', { hasText: /the first fair.*expired/s }).waitFor();
    give('the second fair', 3_600_000);
    machine.link = 'well';
    machine.ask();
    await page.locator('li', { hasText: /the second fair.*done/s }).waitFor();
    await page.locator('li', { hasText: /the first fair.*expired/s }).waitFor();
    const plain = await openTab(browser, { ...place, url }, PHONE);
    match(await textOf(plain.page), /the second fair[^]*done[^]*the first fair[^]*expired/);
    await Promise.all([plain.close(), close()]);
  });
};

/** The clock of a machine is in 1970, and is set. */
export const clock1970: Story = async (browser, place, site) => {
  await withMachine(site, 'rover-1970', async (machine) => {
    await machine.report(120_000, false);
    const url = `${place.url}machines/rover-1970`;
    const { page, close } = await openTab(browser, { ...place, url }, WITH_AXE);
    match(
      await textOf(page),
      /clock\s+in 1970: it is not set; the machine says that it is not synchronized[^]*Maintenance windows, minimum ages and certificates are judged by its clock/,
    );
    await checkShown(page);
    const plain = await openTab(browser, place, PHONE);
    match(await textOf(plain.page), /wrong clock\s+rover-1970\s+in 1970: it is not set/);
    await machine.report(Date.now(), true);
    await untilShown(page, /clock\s*agrees with the site/);
    // The counts of the page are kept for seconds.
    do await plain.page.goto(place.url);
    while (/wrong clock\s+rover-1970/.test(await textOf(plain.page)));
    await Promise.all([plain.close(), close()]);
  });
};

/** A machine is back after a month: it runs the newest revision, and what expired meanwhile does not happen. */
export const month: Story = async (browser, place, site) => {
  const { configs } = site.catalogue;
  const id = 'rover-month';
  await withMachine(site, id, async (machine) => {
    const then = Date.now() - MONTH_MS;
    const fleet = new FleetFile(fleetPath(site.path), () => then);
    const state = { ...reportedState(0, {}), at: new Date(then).toISOString() };
    await fleet.report(id, machineReport([], { state, queue: `queue-of-${id}` }));
    fleet.close();
    for (const version of ['1.2.*', '1.3.*', '2.0.*']) {
      machine.save({ modules: [{ ...LIDAR, version }] });
    }
    const given = { machine: id, key: 'month', author: 'token t2 (ops)', reason: 'a fair' };
    const hold = { kind: 'hold', module: undefined, term: '1h', version: undefined } as const;
    configs.commands.give({ ...given, ...hold, at: then, expiresAt: then + 3_600_000 });
    const url = `${place.url}machines/${id}`;
    const { page, close } = await openTab(browser, { ...place, url });
    match(
      await textOf(page),
      /seen\s+30 d ago\s*silent[^]*The newest revision of its documents is 3/,
    );
    await machine.report(Date.now());
    machine.ask();
    await untilShown(page, /It runs revision 3/);
    match(await textOf(page), /clock\s+agrees with the site/);
    ok(!(await textOf(page)).includes('silent'));
    await page.goto(`${url}/commands`);
    match(await textOf(page), /a fair[^]*expired/);
    await close();
  });
};

const KEPT = 10_000;
const DROPPED = 50;

function lineAt(at: number, text: string): LogRecord {
  return { at, severity: 'info', module: 'acme_lidar', text };
}

/** After an outage, and a lost answer, the log has each line once, and a gap where the machine dropped lines. */
export const logAfterOutage: Story = async (browser, place, site) => {
  await withMachine(site, 'rover-log', async (machine) => {
    await machine.report(Date.now());
    const at = Date.now();
    machine.log.append([lineAt(at, 'before the outage')]);
    ok(await machine.sendLog());
    machine.link = 'cut';
    const texts = Array.from({ length: KEPT + DROPPED }, (_, number) => `line ${number}.`);
    machine.log.append(texts.map((text, number) => lineAt(at + number + 1, text)));
    ok(!(await machine.sendLog()));
    machine.link = 'deaf';
    ok(!(await machine.sendLog()));
    machine.link = 'well';
    ok(await machine.sendLog());
    const url = `${place.url}machines/rover-log/logs`;
    const { page, close } = await openTab(browser, { ...place, url }, { mayFail: /logs\.txt/ });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as text' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    deepStrictEqual(text.match(/line \d+\./g), texts.slice(DROPPED));
    const plain = await openTab(browser, { ...place, url: `${url}?level=warn` }, PHONE);
    const gaps = await plain.page.locator('#lines li[data-gap]').allInnerTexts();
    deepStrictEqual(gaps.length, 1);
    match(gaps[0] ?? '', new RegExp(`gap.*${DROPPED}`));
    await Promise.all([plain.close(), close()]);
  });
};
