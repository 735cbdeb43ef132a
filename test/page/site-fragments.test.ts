import { expect, it } from 'vitest';
import { stateOf } from '../../src/server/configs/fragment-table.ts';
import { lidarReport } from '../support/reported-facts.ts';
import { mainText } from './support/changed-page.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

const MACHINE = '/machines/rover-7';
const ABOUT = { reason: 'first', author: 'token t1 (ops)', at: NOW };

function entryOf(name: string, version: string): object {
  return { type: 'registry', name: `acme_${name}`, module_id: `acme:${name}`, version };
}

const OWN = JSON.stringify({ modules: [entryOf('lidar', '1.2.*')] });
const SHARED = { modules: [entryOf('arm', '2.*')], policy: { minimum_release_age: '2d' } };
const COMPILED = {
  config: JSON.stringify({ modules: [entryOf('arm', '2.*'), entryOf('lidar', '1.2.*')] }),
  policy: JSON.stringify(SHARED.policy),
};

/** A site on which the documents of a machine use a fragment with an arm. */
async function sharingSite(): Promise<TestSite> {
  const site = testSite();
  site.publish('acme:lidar', '1.2.9');
  await site.report('rover-7', [lidarReport({ constraint: '1.2.*' }, NOW)]);
  const { configs } = site.catalogue;
  const fragment = { name: 'base', revision: 1, content: JSON.stringify(SHARED), ...ABOUT };
  const none = { users: stateOf([]), documents: [] };
  site.catalogue.apply({ kind: 'fragment', next: fragment, ...none });
  const source = { config: OWN, policy: undefined, fragments: ['base'] };
  configs.save({ machine: 'rover-7', ...COMPILED, source, basedOn: 0, ...ABOUT });
  return site;
}

it('[D322] [D329] a version that is changed on the page is changed in what the machine has of its own', async () => {
  const site = await sharingSite();
  const form = { based_on: '1', version: '1.*', reason: 'wider' };
  expect(await site.post(`${MACHINE}/modules/acme_lidar/version`, form)).toEqual([303, MACHINE]);
  const { configs } = site.catalogue;
  expect(configs.source('rover-7', 2)).toEqual({
    config: OWN.replace('1.2.*', '1.*'),
    policy: undefined,
    fragments: ['base'],
  });
  const { config = '', policy = '' } = configs.newest('rover-7') ?? {};
  const { modules } = JSON.parse(config) as { modules: { name: string; version: string }[] };
  expect(modules.map(({ name, version }) => `${name} ${version}`).toSorted()).toEqual([
    'acme_arm 2.*',
    'acme_lidar 1.*',
  ]);
  expect(JSON.parse(policy)).toEqual(SHARED.policy);
});

it('[D322] [D329] the version of an entry of a fragment is not changed on the page of one machine', async () => {
  const site = await sharingSite();
  const form = { based_on: '1', version: 'latest', reason: 'newer' };
  const [status, html] = await site.post(`${MACHINE}/modules/acme_arm/version`, form);
  expect(mainText(html)).toContain(
    '"acme_arm" of rover-7 is an entry of its fragments base; nothing was saved',
  );
  expect([status, site.catalogue.configs.newest('rover-7')?.revision]).toEqual([409, 1]);
});
