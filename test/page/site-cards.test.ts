import { expect, it } from 'vitest';
import { lidarReport, type LidarMachine } from '../support/reported-facts.ts';
import type { ReportedModule } from '../../src/registry/machine-report.ts';
import { textOf } from './support/machine-page.ts';
import { moduleId, NOW, testSite, type TestSite } from './support/site-page.ts';

const DAY = 86_400_000;

/** The lines of the cards of the only machine of a site. */
async function cardsOf({ app }: TestSite): Promise<string[]> {
  const lines = await textOf(app, '/machines/rover-7');
  return lines.slice(lines.indexOf('Modules') + 1, lines.indexOf('Last outcomes'));
}

/** A site with 1.2.8 and 1.2.9 of a lidar, which a machine reports by its plan, but for `fields`. */
async function siteWith(
  machine: LidarMachine,
  fields: Partial<ReportedModule> = {},
): Promise<TestSite> {
  const site = testSite();
  site.publish('acme:lidar', '1.2.8', '1.2.9');
  await site.report('rover-7', [{ ...lidarReport(machine, NOW), ...fields }]);
  return site;
}

const YOUNG = { deployed: 'none', minimumAgeMs: 30 * DAY, publishedAt: NOW - DAY };
const WAITING = ['deployed 1.2.8', 'target 1.2.9', 'constraint 1.*'];
const CHANGE = 'Upgrade now…Restart…Roll back…Hold…Logs';
const STOPS = 'stops lidar0, nav';

it.each<[string, LidarMachine, Partial<ReportedModule>, readonly string[]]>([
  [
    'is up to date',
    {},
    {},
    [
      'acme:lidar up to date',
      '1.2.9 is the newest release of 1',
      'deployed 1.2.9',
      'constraint 1.*',
      'latest 1.2.9',
      'Why',
      'already the newest release of 1',
      'Restart…Roll back…Hold…Logs',
    ],
  ],
  [
    'waits for a window',
    { deployed: '1.2.8', window: '0 2 * * *' },
    {},
    [
      'acme:lidar waiting',
      'upgrade to 1.2.9 waits: the window opens in 14 h',
      ...WAITING,
      'latest 1.2.9',
      STOPS,
      'To begin it now, choose Upgrade now.',
      'Why',
      'the maintenance window is closed until 2026-11-26T02:00:00Z (in 14 h)',
      'next 2026-11-26T02:00:00Z (in 14 h): upgrade to 1.2.9, as the maintenance window opens',
      CHANGE,
    ],
  ],
  // [D469] The machine reports that it waits.
  [
    'waits for a release of age',
    YOUNG,
    {},
    [
      'acme:lidar waiting',
      '1.2.9 is old enough in 29 d · not installed yet',
      'deployed none',
      'constraint 1.*',
      'latest 1.2.9',
      'Why',
      'no release may be selected: 2 too young',
      'next 2026-12-24T12:00:00Z (in 29 d): install of 1.2.9, as a release reaches the minimum age',
      'Restart…Roll back…Hold…Logs',
    ],
  ],
  [
    'waits for a release of age, and reports no facts',
    YOUNG,
    { facts: null },
    [
      'acme:lidar waiting',
      'a release waits: too young',
      'deployed none',
      'constraint 1.*',
      'Restart…Roll back…Hold…Logs',
    ],
  ],
  // What the machine alone knows, it says in one word.
  [
    'is held by its operator',
    { deployed: '1.2.8' },
    { decision: 'hold', held_by: 'operator-hold' },
    [
      'acme:lidar waiting',
      '1.2.9 waits: operator hold',
      ...WAITING,
      STOPS,
      'To begin it now, end the hold.',
      CHANGE,
    ],
  ],
  [
    'reports no facts',
    { deployed: '1.2.8' },
    { facts: null, decision: 'upgrade' },
    ['acme:lidar due', 'upgrade to 1.2.9 is due', ...WAITING, STOPS, CHANGE],
  ],
  [
    'has another target than this registry would select',
    { deployed: '1.2.7' },
    { decision: 'upgrade', target: '1.2.8' },
    [
      'acme:lidar due',
      'upgrade to 1.2.8 is due',
      'deployed 1.2.7',
      'target 1.2.8',
      'constraint 1.*',
      STOPS,
      CHANGE,
    ],
  ],
])('[D413, D468, D469] the card of a module that %s', async (_, machine, fields, lines) => {
  expect(await cardsOf(await siteWith(machine, fields))).toEqual(lines);
});

it('[D413] a deployed release that was yanked needs attention', async () => {
  const site = await siteWith({}, { decision: 'ahead' });
  site.catalogue.yank(moduleId('acme:lidar'), '1.2.9', 'drifts');
  expect((await cardsOf(site)).slice(0, 2)).toEqual([
    'acme:lidar needs attention',
    '1.2.9 is yanked: drifts · stays, nothing newer',
  ]);
});

it('[D413] what needs attention comes first, and many modules are rows', async () => {
  const site = testSite();
  const stuck = { decision: 'stuck', target: null, reason: 'no release satisfies 3.*' };
  const modules = Array.from({ length: 51 }, (_none, place) => {
    return { name: `m${place}`, module_id: `acme:m${place}`, ...(place === 40 && stuck) };
  });
  await site.report('rover-7', modules);
  const entry = { type: 'registry', name: 'm40', module_id: 'acme:m40', version: '3.*' };
  const config = JSON.stringify({ modules: [entry] });
  const saved = { machine: 'rover-7', policy: undefined, author: 'ops', reason: 'x', at: NOW };
  site.catalogue.configs.save({ ...saved, config, basedOn: 0 });
  expect((await cardsOf(site)).slice(0, 5)).toEqual([
    'module state deployed target constraint latest signatures headline',
    'acme:m40 (m40) needs attention 1.2.9 - 1.* - -',
    'no release satisfies 3.*',
    'Revision 1 has 3.*. The machine has not applied that yet.',
    'Change…',
  ]);
});

it.each([
  ['1.2.*', 'Revision 1 has 1.2.*. The machine has not applied that yet.'],
  ['1.*', undefined],
  [undefined, 'Revision 1 does not have it. The machine has not applied that yet.'],
])('[D414] a card says that a revision has %s until the machine runs it', async (version, said) => {
  const site = await siteWith({});
  const entry = { type: 'registry', name: 'acme_lidar', module_id: 'acme:lidar', version };
  const config = JSON.stringify({ modules: version === undefined ? [] : [entry] });
  const saved = { machine: 'rover-7', policy: undefined, author: 'ops', reason: 'x', at: NOW };
  site.catalogue.configs.save({ ...saved, config, basedOn: 0 });
  const notYet = async (): Promise<string[]> =>
    (await cardsOf(site)).filter((line) => line.startsWith('Revision'));
  expect(await notYet()).toEqual(said === undefined ? [] : [said]);
  const word = {
    about: 'documents',
    machine: 'rover-7',
    applied: 1,
    refused: undefined,
    at: NOW,
  } as const;
  site.catalogue.apply({ kind: 'heard', words: [word] });
  expect(await notYet()).toEqual([]);
});

it('[T808] a machine reports a time zone that is none', async () => {
  const lidar = lidarReport({}, NOW);
  const { timing, ...facts } = Object(lidar.facts);
  const blackout = { from: NOW - 2, until: NOW - 1, timeZone: 'Mars/Base', reason: 'x' };
  const site = await siteWith(
    {},
    { facts: { ...facts, timing: { ...timing, blackouts: [blackout] } } },
  );
  expect((await cardsOf(site)).slice(0, 2)).toEqual([
    'acme:lidar up to date',
    '1.2.9 is up to date',
  ]);
});
