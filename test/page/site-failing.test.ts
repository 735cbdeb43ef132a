import { expect, it } from 'vitest';
import type { FailingModule } from '../../src/registry/machine-report.ts';
import { textOf } from './support/machine-page.ts';
import { BY_COHORT, ROLLOUT, rollingOut } from './support/rolling-site.ts';
import { NOW, testSite } from './support/site-page.ts';

const FULL: FailingModule = {
  version: '1.3.0',
  blame: 'machine',
  attempts: 1,
  reason: 'the disk is full',
  next_at: '2026-11-25T12:05:00Z',
};
const WORDS =
  '1.3.0 failed 1 time because of the machine, next attempt 2026-11-25T12:05:00Z: the disk is full';

it('[D184] the page of a site counts, finds and explains what fails', async () => {
  const site = testSite();
  const failing = { ...FULL, blame: 'release', attempts: undefined, next_at: null };
  await site.report('rover-1', [{ target: '1.3.0', decision: 'upgrade', failing: FULL }]);
  await site.report('rover-2', [{ failing }]);
  await site.report('rover-3', [{}]);
  const lines = await textOf(site.app, '/?condition=failing');
  expect(lines).toContain('2 failing');
  expect(lines.slice(lines.indexOf('2 machines match'))).toEqual([
    '2 machines match',
    'machine seen modules matching modules',
    'rover-1 0 s ago 1',
    `acme:lidar 1.2.9 → 1.3.0 failing upgrade ${WORDS}`,
    'rover-2 0 s ago 1',
    'acme:lidar 1.2.9 failing up to date 1.3.0 failed because of the release: the disk is full',
  ]);
  // Without a search, a module that fails needs attention.
  const all = await textOf(site.app, '/');
  expect(all.slice(all.indexOf('rover-2 0 s ago 1'))).toHaveLength(3);
  const machine = await textOf(site.app, '/machines/rover-1');
  const row = machine.findIndex((line) => line.startsWith('acme:lidar '));
  expect(machine.slice(row, row + 9)).toEqual([
    'acme:lidar needs attention',
    '1.3.0 failed: the disk is full · again in 5 min',
    'deployed 1.2.9',
    'target 1.3.0',
    'constraint 1.*',
    'stops lidar0',
    'To find out more, run modreg doctor on the machine.',
    'Why',
    WORDS,
  ]);
});

it('[D367] the page of a module links to what became of it on machines', async () => {
  const site = testSite();
  site.now = NOW - 31 * 86_400_000;
  await site.report('rover-1', [{}], { to: '1.1.0', result: 'failed' });
  site.now = NOW;
  site.groups.set('rover-1', 'canary');
  await site.report('rover-1', [{ failing: FULL }]);
  await site.report('rover-2', [{}], {
    to: '1.3.0',
    result: 'failed',
    reason: '<b>motor</b> stalled',
  });
  const path = '/modules/acme%3Alidar/outcomes';
  expect(await (await site.app.request('/modules/acme%3Alidar')).text()).toContain(
    `<a href="${path}">Where it failed or was rolled back</a>`,
  );
  expect(await textOf(site.app, path)).toEqual([
    'Outcomes of acme:lidar',
    'What runs now, and what machines reported in the last 30 days.',
    'version outcome where last reason machines',
    '1.3.0 failed on 1 machine because of the release linux/arm64, no group 12:00 UTC <b>motor</b> stalled rover-2',
    '1.3.0 is tried again on 1 machine because of the machine linux/arm64, group canary now the disk is full rover-1',
    '1.2.9 runs on 1 machine linux/arm64, group canary now  rover-1',
    '1.2.9 runs on 1 machine linux/arm64, no group now  rover-2',
  ]);
  site.publish('acme:arm', '1.0.0');
  expect(await textOf(site.app, '/modules/acme%3Aarm/outcomes')).toEqual([
    'Outcomes of acme:arm',
    'What runs now, and what machines reported in the last 30 days.',
    'No machine runs this module, and none reported a failure.',
  ]);
});

it('[D490] the page of a module that is neither published nor reported says so', async () => {
  const site = testSite();
  await site.report('rover-1', [{ module_id: 'acme:lidar' }]);
  expect(await textOf(site.app, '/modules/acme%3Alidr/outcomes')).toEqual([
    'This cannot be shown',
    'UNKNOWN_REFERENCE nothing was ever published for acme:lidr, and no machine reports it',
  ]);
});

it('[D367] the last rollback is the newest one, whichever version it restored', async () => {
  const site = testSite();
  const left = { direction: 'rollback', from: '1.3.0' };
  await site.report('rover-1', [], { ...left, to: '1.2.9' });
  site.now += 3_600_000;
  await site.report('rover-2', [], { ...left, to: '1.1.0' });
  expect((await textOf(site.app, '/modules/acme%3Alidar/outcomes')).at(-1)).toBe(
    '1.3.0 was rolled back on 2 machines linux/arm64, no group 13:00 UTC  rover-1, rover-2',
  );
});

it('[D184] a rollout on the page says how many machines try again, besides those that failed', async () => {
  const site = await rollingOut();
  const [, , third = '', fourth = '', fifth = ''] = BY_COHORT;
  const retrying = [{ target: '1.3.0', decision: 'upgrade', failing: FULL }];
  // The third has failed already, and the fifth is not in the step.
  for (const id of [third, fourth, fifth]) await site.report(id, retrying);
  const lines = await textOf(site.app, ROLLOUT);
  expect(lines.filter((line) => /^(failed|not known|trying)/.test(line))).toEqual([
    'failed 1',
    'not known yet 1',
    'trying again 1',
    expect.stringContaining('motor stalled'),
  ]);
});
