import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { accepted, keepState, noneServed, refusing } from '../../src/host/served/served-state.ts';
import { temporaryFolder } from '../support/folder.ts';
import { machinePage, textOf } from './support/machine-page.ts';
import { NOW, testSite } from './support/site-page.ts';

const SERVED = { machine: 'rover-7', revision: 1, config: '{}', policy: undefined, signatures: {} };
const REFUSED = { revision: 2, code: 'needs-signature', detail: '/config/agent may change' };

it('[D266] the page of a site says which revision a machine runs, and which it refuses and why', async () => {
  const { app, catalogue, report } = testSite();
  await report('rover-7', [{}]);
  const shown = async (): Promise<string[]> =>
    (await textOf(app, '/machines/rover-7')).filter((line) => /revision/.test(line));
  expect(await shown()).toEqual([]);
  const { configs } = catalogue;
  const next = {
    machine: 'rover-7',
    config: '{}',
    policy: undefined,
    author: 'a',
    reason: 'b',
    at: 0,
  };
  configs.save({ ...next, basedOn: 0 });
  expect(await shown()).toEqual([
    'The newest revision of its documents is 1. It has not said anything of them: what is saved here changes nothing on it until its agent runs with --config-from and the address of this registry.',
  ]);
  const about = { about: 'documents', machine: 'rover-7' } as const;
  catalogue.apply({ kind: 'heard', words: [{ ...about, applied: 1, refused: REFUSED, at: NOW }] });
  expect(await shown()).toEqual([
    'The newest revision of its documents is 1. It runs revision 1, as it said 0 s ago.',
    'It refuses revision 2: needs-signature: /config/agent may change',
  ]);
});

it('[D326] the page of a machine shows the modules that its site serves', async () => {
  const home = temporaryFolder();
  const entry = { type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' };
  const served = { ...SERVED, config: JSON.stringify({ modules: [entry] }) };
  keepState(
    home,
    accepted(noneServed('https://site.example', 'rover-7'), served, { by: 'operators', least: {} }),
  );
  const machine = { path: join(home, 'machine.json') };
  writeFileSync(join(home, 'machine.db.documents'), JSON.stringify({ machine }));
  const app = machinePage({ home, now: NOW, machine: {}, policy: { trust: 'unsigned' } });
  const lines = await textOf(app, '/');
  expect(lines).toContain('acme:lidar (lidar) needs attention');
  expect(lines).not.toContain('The machine config has no module.');
});

it('[D266] [D433] the page of a machine warns that it follows a site, and says what it refuses', async () => {
  const home = temporaryFolder();
  const state = accepted(noneServed('https://site.example', 'rover-7'), SERVED, {
    by: 'no-pin',
    least: {},
  });
  const { code, detail } = { code: 'needs-signature', detail: '/config/agent may change' } as const;
  keepState(home, refusing(state, { ...SERVED, revision: 2 }, { code, detail }));
  const app = machinePage({
    home,
    now: NOW,
    machine: { modules: [] },
    policy: { trust: 'unsigned' },
  });
  const lines = (await textOf(app, '/')).filter((line) => line.includes('revision'));
  expect(lines).toEqual([
    'FOLLOWS_SITE revision 1 of the documents that https://site.example serves is in use, until it has reached its site for good; this page shows them, and changes only the documents on the machine',
    'FOLLOWS_SITE revision 1 was taken while the policy named no trust document: the site could change everything but the terms of the machine alone',
    'CONFIG_REFUSED revision 2 of the documents that https://site.example serves is refused: needs-signature: /config/agent may change',
  ]);
});

it.each([
  ['/edit', 'the forms'],
  ['/edit/age?age=7d', 'what an edit would change'],
])(
  '[D454] %s: the page of %s says that the machine follows a site, and what saving means',
  async (path) => {
    const home = temporaryFolder();
    const page = { home, now: NOW, machine: { modules: [] }, policy: { trust: 'unsigned' } };
    const warned = async (): Promise<string[]> => {
      const html = await (await machinePage(page).request(path)).text();
      return Array.from(
        html.matchAll(/<strong>FOLLOWS_SITE<\/strong> ([^<]*)/g),
        ([, text]) => text ?? '',
      );
    };
    expect(await warned()).toEqual([]);
    const none = noneServed('https://site.example', 'rover-7');
    keepState(home, accepted(none, SERVED, { by: 'no-pin', least: {} }));
    expect(await warned()).toEqual([
      'revision 1 of the documents that https://site.example serves is in use, until it has reached its site for good; while the machine follows that site, modules that are saved here do not run, and terms count only where the site sets none',
    ]);
  },
);
