import { expect, it } from 'vitest';
import { readRelease } from '../../src/server/index.ts';
import { lidarReport } from '../support/reported-facts.ts';
import { textOf } from './support/machine-page.ts';
import { moduleId, NOW, testSite, type TestSite } from './support/site-page.ts';

const DAY = 86_400_000;

/** Publishes a release with what it requires, and whether it is a floor. */
function publish(
  { catalogue }: TestSite,
  id: string,
  release: { readonly version: string; readonly requires?: object; readonly floor?: true },
  publishedAt = NOW - DAY,
): void {
  const read = readRelease(release);
  if (!read.ok) throw new Error(read.error.join('\n'));
  catalogue.publish(moduleId(id), read.value, publishedAt);
}

const SERVER = {
  kind: 'subsystem',
  name: 'platform-server',
  module_id: 'platform:server',
} as const;
const BASE = { name: 'base', module_id: 'acme:base' };

/** Machines with a lidar that is up to date and does not require anything. */
async function site(requires: object): Promise<TestSite> {
  const made = testSite();
  made.publish('acme:lidar', '1.2.9');
  publish(made, 'acme:lidar', { version: '1.3.0', requires });
  const lidar = lidarReport({}, NOW);
  await made.report('rover-1', [lidar, { ...SERVER, deployed: '1.4.0' }]);
  await made.report('rover-2', [lidar, { ...SERVER, deployed: '1.9.0' }]);
  await made.report('rover-3', [lidar]);
  return made;
}

/** The rows of a what-if about the lidar, without the form below them. */
async function rowsOf({ app }: TestSite, id = 'acme:lidar', version = '1.3.0'): Promise<string[]> {
  const path = `/modules/${encodeURIComponent(id)}/what-if?version=${version}`;
  const lines = await textOf(app, path);
  return lines.slice(1, -1).map((line) => line.replace(/ version, which .*/, ''));
}

it('[D122] what-if judges requirements by what a machine reported of other modules', async () => {
  expect(await rowsOf(await site({ 'platform-server': '>=1.5' }))).toEqual([
    '1 of 3 machines would get it.',
    'when machines deployed constraint what',
    'now 1: rover-2 1.2.9 1.* upgrade, stops lidar0, nav',
    'never 1: rover-1 1.2.9 1.* requires platform-server >=1.5, but 1.4.0 is deployed',
    'never 1: rover-3 1.2.9 1.* requires platform-server >=1.5, but what is deployed is not known',
  ]);
});

it('[D122] all entries of a module must fit, and one without a version does not', async () => {
  const made = await site({ 'acme:base': '2.*' });
  const lidar = lidarReport({}, NOW);
  await made.report('rover-1', [lidar, { ...BASE, deployed: '2.1.0' }]);
  const other = { ...BASE, name: 'base-2', deployed: '1.9.0' };
  await made.report('rover-2', [lidar, { ...BASE, deployed: '2.1.0' }, other]);
  await made.report('rover-3', [lidar, { ...BASE, deployed: 'none' }]);
  expect((await rowsOf(made)).slice(2)).toEqual([
    'now 1: rover-1 1.2.9 1.* upgrade, stops lidar0, nav',
    'never 1: rover-2 1.2.9 1.* requires acme:base 2.*, but 1.9.0 is deployed',
    'never 1: rover-3 1.2.9 1.* requires acme:base 2.*, but nothing is deployed',
  ]);
});

it('[D122] a tag that the machine was never asked for is not called missing', async () => {
  expect((await rowsOf(await site({ tags: ['rack:b4'] }))).slice(2)).toEqual([
    'never 3: rover-1, rover-2, rover-3 1.2.9 1.* requires the tag rack:b4, which the machine did not say that it has',
  ]);
});

it('[D122] what-if warns of what a release breaks, as a plan does', async () => {
  const made = testSite();
  made.publish('acme:lidar', '1.2.9', '1.3.0');
  publish(made, 'acme:arm', { version: '2.0.0', requires: { 'acme:lidar': '>=1.2 <1.3' } });
  publish(made, 'acme:arm', { version: '2.1.0' });
  const arm = { name: 'arm', module_id: 'acme:arm' };
  await made.report('rover-1', [lidarReport({}, NOW), { ...arm, deployed: '2.0.0' }]);
  await made.report('rover-2', [lidarReport({}, NOW), { ...arm, deployed: '2.1.0' }]);
  expect(await rowsOf(made)).toEqual([
    '2 of 2 machines would get it.',
    'BREAKS_REQUIREMENT 1.3.0 does not meet what acme:arm 2.0.0 requires: acme:lidar >=1.2 <1.3; it is kept there all the same, on 1 machine',
    'when machines deployed constraint what',
    'now 1: rover-1 1.2.9 1.* upgrade, stops lidar0, nav, breaks what acme:arm 2.0.0 requires',
    'now 1: rover-2 1.2.9 1.* upgrade, stops lidar0, nav',
  ]);
});

/** What the card of the lidar says on the page of its machine: the headline, and what is under Why. */
async function wordsOn({ app }: TestSite): Promise<string[]> {
  const lines = await textOf(app, '/machines/rover-1');
  const card = lines.slice(lines.indexOf('acme:lidar up to date') + 1);
  const [why, end] = [card.indexOf('Why'), card.findIndex((line) => line.startsWith('Restart…'))];
  return [card[0] ?? '', ...card.slice(why + 1, end)];
}

it('[D123] the page of a machine says what newer releases require', async () => {
  expect(await wordsOn(await site({ 'platform-server': '>=2' }))).toEqual([
    '1.3.0 requires platform-server >=2 · 1.2.9 stays',
    'stays at 1.2.9: 1.3.0 is refused: it requires platform-server >=2, but 1.4.0 is deployed',
  ]);
});

it('[D123] the page of a machine says which floor comes first', async () => {
  const made = testSite();
  made.publish('acme:lidar', '1.2.9');
  publish(made, 'acme:lidar', { version: '1.3.0', floor: true });
  publish(made, 'acme:lidar', { version: '1.4.0' }, NOW - 30 * DAY);
  const lidar = lidarReport({ minimumAgeMs: 7 * DAY }, NOW);
  await made.report('rover-1', [lidar]);
  expect(await wordsOn(made)).toEqual([
    '1.2.9 is old enough in 6 d · stays, nothing newer',
    'stays at 1.2.9, which is too young until 2026-12-01T12:00:00Z (in 6 d); 1.4.0 is behind floor 1.3.0, which this machine has to run first, 1.3.0 is too young until 2026-12-01T12:00:00Z (in 6 d); no release may be selected: 2 too young, 1 behind a floor',
    'next 2026-12-01T12:00:00Z (in 6 d): upgrade to 1.3.0, as a release reaches the minimum age',
  ]);
});

it('[D123] the page of a machine says what its policy refuses, and that it is deployed', async () => {
  const made = testSite();
  made.publish('acme:lidar', '1.2.9', '1.3.0');
  const lidar = lidarReport({}, NOW);
  const { eligibility, ...facts } = Object(lidar.facts);
  const versions = { kind: 'major', major: 1 };
  const refuse = [{ versions, because: 'stops the motor' }];
  await made.report('rover-1', [
    { ...lidar, facts: { ...facts, eligibility: { ...eligibility, refuse } } },
  ]);
  const lines = await textOf(made.app, '/machines/rover-1');
  const card = lines.indexOf('acme:lidar up to date');
  expect(lines.slice(card + 1, card + 7)).toEqual([
    '1.2.9 is up to date',
    'deployed 1.2.9',
    'constraint 1.*',
    'the deployed version 1.2.9 is refused by the policy of the site: 1.* (stops the motor); it stays until another release is selected',
    'Why',
    'newer 1.3.0 is refused by the policy of the site: 1.* (stops the motor)',
  ]);
});

it('[D123] the page of a module says what its releases require, and which are floors', async () => {
  const made = await site({ 'platform-server': '>=2', tags: ['rack:b4'] });
  publish(made, 'acme:lidar', { version: '1.4.0', floor: true });
  const deprecated = { moduleId: moduleId('acme:lidar'), version: '1.4.0', reason: 'use 1.3' };
  made.catalogue.apply({ kind: 'deprecate', ...deprecated, now: NOW });
  const lines = await textOf(made.app, '/modules/acme%3Alidar');
  expect(lines.slice(lines.indexOf('version published state') + 1)).toEqual([
    '1.4.0 2026-11-24 12:00 UTC floor; deprecated: use 1.3',
    '1.3.0 2026-11-24 12:00 UTC requires platform-server >=2, the tag rack:b4',
    '1.2.9 2026-11-24 12:00 UTC',
  ]);
});
