import { expect, it } from 'vitest';
import { textOf } from './support/machine-page.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

const UNSIGNED = { revision: 3, code: 'needs-signature', detail: '/config/agent may change' };
const CUT_OFF = { revision: 2, code: 'unreachable', detail: 'no answer of the site in 10 min' };

/** Six machines: two refuse documents for one reason, one for another; one that refuses some is stuck, one took the next ones, one said nothing. */
async function siteOfSix(): Promise<TestSite> {
  const site = testSite();
  const stuck = { decision: 'stuck', reason: 'no list' };
  for (const id of ['rover-1', 'rover-2', 'rover-3', 'rover-5', 'rover-6']) {
    await site.report(id, [{}]);
  }
  await site.report('rover-4', [stuck]);
  const said = (machine: string, refused: typeof UNSIGNED | undefined): void => {
    const about = { about: 'documents', machine, applied: 1, at: NOW } as const;
    site.catalogue.apply({ kind: 'heard', words: [{ ...about, refused }] });
  };
  said('rover-1', UNSIGNED);
  said('rover-2', { ...UNSIGNED, revision: 7 });
  said('rover-3', CUT_OFF);
  said('rover-4', CUT_OFF);
  said('rover-5', CUT_OFF);
  said('rover-5', undefined);
  return site;
}

it('[D450] machines that refuse their documents need attention, once for all with the same reason', async () => {
  const { app } = await siteOfSix();
  const html = await (await app.request('/')).text();
  const [, attention = ''] =
    /<section aria-labelledby="attention">(.*?)<\/section>/s.exec(html) ?? [];
  const rows = attention.split('<tr>').slice(2);
  expect(
    rows.map((row) =>
      row
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  ).toEqual([
    'stuck rover-4 acme:lidar: no list',
    'refusing rover-1 , rover-2 documents: needs-signature: /config/agent may change',
    'refusing rover-3 documents: unreachable: no answer of the site in 10 min',
  ]);
  const lines = await textOf(app, '/');
  expect(lines.slice(1, 5)).toEqual([
    '6 in total',
    '6 seen in 24 h',
    '4 refusing documents',
    '1 stuck',
  ]);
});

it('[D450] the page lists those that refuse documents, with the revision and the reason', async () => {
  const site = await siteOfSix();
  await site.retire('rover-2', 'ada');
  const lines = await textOf(site.app, '/?condition=refusing');
  expect(lines.slice(lines.indexOf('3 machines match'))).toEqual([
    '3 machines match',
    'machine seen modules matching modules',
    'rover-1 0 s ago 1',
    'refusing revision 3: needs-signature: /config/agent may change',
    'rover-3 0 s ago 1',
    'refusing revision 2: unreachable: no answer of the site in 10 min',
    'rover-4 0 s ago 1',
    'refusing revision 2: unreachable: no answer of the site in 10 min',
    'acme:lidar 1.2.9 stuck no list',
  ]);
});

it('[D480] a machine that refuses documents and has never reported needs attention', async () => {
  const site = testSite();
  const about = { about: 'documents', machine: 'rover-9', applied: undefined, at: NOW } as const;
  site.catalogue.apply({ kind: 'heard', words: [{ ...about, refused: UNSIGNED }] });
  const lines = await textOf(site.app, '/');
  expect(lines).toContain('1 refusing documents');
  expect(lines.find((line) => line.startsWith('refusing rover-9'))).toMatch(
    /^refusing rover-9 documents: needs-signature: \/config\/agent may change/,
  );
  const wall = await textOf(site.app, '/wall');
  expect(wall.slice(wall.indexOf('rover-9'))).toEqual([
    'rover-9',
    '≠ refusing',
    'documents: needs-signature: /config/agent may change',
  ]);
});

it('[D480] the page lists those that have never reported among those that refuse documents', async () => {
  const site = await siteOfSix();
  const about = { about: 'documents', machine: 'rover-9', applied: undefined, at: NOW } as const;
  site.catalogue.apply({ kind: 'heard', words: [{ ...about, refused: UNSIGNED }] });
  const all = await textOf(site.app, '/?condition=refusing');
  expect(all.slice(all.indexOf('5 machines match'), all.indexOf('rover-1 0 s ago 1'))).toEqual([
    '5 machines match',
    'machine seen modules matching modules',
    'rover-9 has never reported',
    'refusing revision 3: needs-signature: /config/agent may change',
  ]);
  for (const query of ['id=rover-1', 'module=acme:lidar', 'version=1.2.9', 'group=canary']) {
    expect(await textOf(site.app, `/?condition=refusing&${query}`)).not.toContain(
      'rover-9 has never reported',
    );
  }
});

it('[D480] each page counts all that have never reported, and the first one says how many it leaves out', async () => {
  const site = testSite();
  const words = (of: string, machines: number, applied?: number): void => {
    const said = { about: 'documents', at: NOW, refused: UNSIGNED } as const;
    for (let place = 0; place < machines; place++) {
      const machine = `${of}-${10 + place}`;
      site.catalogue.apply({ kind: 'heard', words: [{ ...said, machine, applied }] });
    }
  };
  for (let place = 0; place < 60; place++) await site.report(`rover-${10 + place}`, [{}]);
  words('rover', 60, 1);
  words('new', 80);
  const first = await textOf(site.app, '/?condition=refusing');
  const found = first.indexOf('140 machines match');
  const left = first.indexOf('and 30 more that have never reported');
  expect(first.slice(found, left).filter((line) => line.startsWith('new-'))).toHaveLength(50);
  expect(first[left + 1]).toBe('rover-10 0 s ago 1');
  const second = await textOf(site.app, '/?condition=refusing&after=rover-59');
  expect(second.slice(second.indexOf('140 machines match')).slice(0, 3)).toEqual([
    '140 machines match',
    'machine seen modules matching modules',
    'rover-60 0 s ago 1',
  ]);
});

it('[D480] a machine whose tokens have all expired is not refusing', async () => {
  const site = testSite();
  const { catalogue } = site;
  const expires = { name: 'a', scopes: ['machine:rover-8', 'machine:rover-9'], expiresAt: NOW };
  expect(catalogue.createToken(expires, NOW - 1)).toMatchObject({ ok: true });
  const lasting = { name: 'b', scopes: ['machine:rover-9'] };
  expect(catalogue.createToken(lasting, NOW - 1)).toMatchObject({ ok: true });
  for (const machine of ['rover-7', 'rover-8', 'rover-9']) {
    const about = { about: 'documents', machine, applied: undefined, at: NOW } as const;
    catalogue.apply({ kind: 'heard', words: [{ ...about, refused: UNSIGNED }] });
  }
  expect([...catalogue.configs.refusals(NOW - 1).keys()]).toEqual([
    'rover-7',
    'rover-8',
    'rover-9',
  ]);
  expect([...catalogue.configs.refusals(NOW).keys()]).toEqual(['rover-7', 'rover-9']);
  expect(await textOf(site.app, '/')).toContain('2 refusing documents');
});

it('[D450] a tile of the wall says that a machine refuses its documents', async () => {
  const { app } = await siteOfSix();
  const lines = await textOf(app, '/wall');
  expect(lines).toEqual([
    '6 of 6 online',
    '0 silent',
    '0 failing',
    '1 stuck',
    '4 refusing',
    '0 quiet',
    '0 behind',
    'rover-4',
    '! stuck',
    'acme:lidar: no list',
    'rover-1',
    '≠ refusing',
    'documents: needs-signature: /config/agent may change',
    'rover-2',
    '≠ refusing',
    'documents: needs-signature: /config/agent may change',
    'rover-3',
    '≠ refusing',
    'documents: unreachable: no answer of the site in 10 min',
    'rover-5',
    '✓ well',
    'rover-6',
    '✓ well',
  ]);
});
