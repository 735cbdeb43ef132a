import { expect, it } from 'vitest';
import { pageApp } from '../../src/page/app.ts';
import { machineOnPage } from '../../src/page/machine/machine-on-page.ts';
import { homeAfter } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { temporaryFolder } from '../support/folder.ts';
import { textOf } from './support/machine-page.ts';
import { moduleId } from './support/site-page.ts';

const LIDAR = { kind: 'module', name: 'acme_lidar', moduleId: moduleId('acme:lidar') } as const;

/** What the page says of a lidar whose only release is 1.1.0, which is deployed unless nothing is. */
async function linesWith(
  release: object,
  policy: object,
  deployed: string | null = '1.1.0',
): Promise<string[]> {
  const releases = [{ version: '1.1.0', published_at: '2026-01-01T00:00:00Z', ...release }];
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', '1.*')] }),
    'policy.json': JSON.stringify({ registry: './lists', ...policy }),
    'lists/acme/lidar.json': JSON.stringify({ releases }),
  });
  const world = {
    ...quietWorld('linux/arm64'),
    environment: { PLATFORM_HOME: homeAfter((state) => state.report(LIDAR, deployed, 1)) },
    clock: () => Date.parse('2026-11-25T12:00:00Z'),
  };
  const app = pageApp(machineOnPage(`${folder}/machine.json`, {}, world), {
    assets: { style: '', script: '' },
    access: undefined,
  });
  return await textOf(app, '/');
}

/** The state of the lidar, and how many modules are in it. */
async function stateWith(...given: Parameters<typeof linesWith>): Promise<string[]> {
  const lines = await linesWith(...given);
  return lines.filter((line) => /^(?:acme:lidar |[1-9]\d* (?:needs|up to|waiting))/.test(line));
}

it.each([
  ['nothing is said of', {}, {}, 'up to date'],
  ['was yanked', { yanked: 'drains the battery' }, {}, 'needs attention'],
  ['the site refuses', {}, { refuse: { 'acme:lidar': ['1.1.*'] } }, 'needs attention'],
])('[D293] a deployed release that %s: %s', async (_, release, policy, state) => {
  expect(await stateWith(release, policy)).toEqual([`1 ${state}`, `acme:lidar ${state}`]);
});

it('[D388] what is only too young waits, and needs no attention', async () => {
  const young = { published_at: '2026-11-22T12:00:00Z' };
  expect(await stateWith(young, { minimum_release_age: '14d' }, null)).toEqual([
    '1 waiting',
    'acme:lidar waiting',
  ]);
});

it('[D389] the card of a yanked release that stays says what a person can do', async () => {
  const help = 'To replace it, change its version or roll it back.';
  expect(await linesWith({ yanked: 'drains the battery' }, {})).toContain(help);
  expect(await linesWith({}, {})).not.toContain(help);
});
