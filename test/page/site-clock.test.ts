import { expect, it } from 'vitest';
import { textOf } from './support/machine-page.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

const MINUTE = 60_000;
const YEAR = 365 * 86_400_000;
const JUDGED =
  'Maintenance windows, minimum ages and certificates are judged by its clock, and it may refuse signed commands. On the machine: timedatectl set-ntp true';
const UNSYNCHRONIZED = '; the machine says that it is not synchronized';

/** A site with a machine whose clock is ahead by so much, and says so much of it. */
async function siteWith(ahead: number, isSynchronized?: boolean): Promise<TestSite> {
  const site = testSite();
  site.ahead.set('rover-1', ahead);
  if (isSynchronized !== undefined) site.synchronized.set('rover-1', isSynchronized);
  await site.report('rover-1', [{}]);
  return site;
}

/** The first row of what needs attention, which the form follows. */
async function attentionOf({ app }: TestSite): Promise<string | undefined> {
  const lines = await textOf(app, '/');
  const [row] = lines.slice(lines.indexOf('state machines why') + 1);
  return row?.replace(/ +id contains.*/, '');
}

it.each<[number, boolean | undefined, ...string[]]>([
  [0, undefined, 'clock agrees with the site'],
  [MINUTE - 1, true, 'clock agrees with the site'],
  [1 - MINUTE, undefined, 'clock agrees with the site'],
  [MINUTE, undefined, 'clock 1 min ahead of the site'],
  [-200_000, undefined, 'clock 3 min 20 s behind the site'],
  [5 * MINUTE, undefined, 'clock 5 min ahead of the site'],
  [-5 * MINUTE, undefined, 'clock 5 min behind the site'],
  [5 * MINUTE + 1, undefined, 'clock 5 min ahead of the site', JUDGED],
  [-5 * MINUTE - 1, undefined, 'clock 5 min behind the site', JUDGED],
  [1 - YEAR, true, 'clock 364 d 23 h behind the site', JUDGED],
  [120_000 - NOW, undefined, 'clock in 1970: it is not set', JUDGED],
  [0, false, `clock agrees with the site${UNSYNCHRONIZED}`],
  [120_000 - NOW, false, `clock in 1970: it is not set${UNSYNCHRONIZED}`, JUDGED],
])(
  '[D460] a clock that is %i ms ahead, and is synchronized: %s',
  async (ahead, isSynchronized, ...expected) => {
    const { app } = await siteWith(ahead, isSynchronized);
    const lines = await textOf(app, '/machines/rover-1');
    expect(lines.filter((line) => line.startsWith('clock ') || line === JUDGED)).toEqual(expected);
  },
);

it('[D460] the clock is that of the last state: later outcomes and contacts say nothing of it', async () => {
  const site = await siteWith(-200_000);
  site.now += 3 * 3_600_000;
  expect(await textOf(site.app, '/machines/rover-1')).toContain('clock 3 min 20 s behind the site');
  site.ahead.set('rover-1', 0);
  await site.report('rover-1', [{}]);
  expect(await textOf(site.app, '/machines/rover-1')).toContain('clock agrees with the site');
});

it('[D461] machines with a wrong clock need attention, and are found', async () => {
  const site = await siteWith(-5 * MINUTE - 1);
  for (const [id, ahead] of [
    ['rover-2', 120_000 - NOW],
    ['rover-3', 5 * MINUTE],
  ] as const) {
    site.ahead.set(id, ahead);
    await site.report(id, [{}]);
  }
  expect(await attentionOf(site)).toBe('wrong clock rover-1, rover-2');
  const found = await textOf(site.app, '/?condition=wrong+clock');
  expect(found.filter((line) => /^(rover|\d+ machine)/.test(line))).toEqual([
    '2 machines match',
    'rover-1 0 s ago 1',
    'rover-2 0 s ago 1',
  ]);
  const wall = await textOf(site.app, '/wall');
  expect(wall).toEqual(
    expect.arrayContaining(['2 wrong clock', '± wrong clock', '5 min behind the site']),
  );
  expect(wall).toContain('in 1970: it is not set');
});

it('[D461] one machine with a wrong clock is named with how far it is off', async () => {
  const site = await siteWith(-5 * MINUTE - 1);
  expect(await attentionOf(site)).toBe('wrong clock rover-1 5 min behind the site');
});
