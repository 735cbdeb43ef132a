import { expect, it } from 'vitest';
import { textOf } from './support/machine-page.ts';
import { NOW, testSite } from './support/site-page.ts';

it('[D441] the page of a machine that follows the site says what that may change, unless it reported a pin', async () => {
  const site = testSite();
  const { configs } = site.catalogue;
  for (const id of ['asks', 'served', 'other']) await site.report(id, [{}]);
  site.catalogue.apply({ kind: 'heard', words: [{ about: 'asking', machine: 'asks' }] });
  configs.save({
    machine: 'served',
    config: '{}',
    policy: undefined,
    author: 'page',
    reason: 'first',
    at: NOW,
    basedOn: 0,
  });
  const said = async (id: string): Promise<string[]> =>
    (await textOf(site.app, `/machines/${id}`)).filter((line) => line.includes('pin'));
  const words =
    'It reported no trust pin: this site may change all of it but the terms of the machine alone.';
  expect([await said('asks'), await said('served'), await said('other')]).toEqual([
    [words],
    [words],
    [],
  ]);
  site.pinned.add('served');
  await site.report('served', [{}]);
  expect(await said('served')).toEqual([]);
});
