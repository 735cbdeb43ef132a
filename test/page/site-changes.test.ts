import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { stateOf } from '../../src/server/configs/fragment-table.ts';
import { textOf } from './support/machine-page.ts';
import { moduleId, NOW, testSite, type TestSite } from './support/site-page.ts';

const MINUTE = 60_000;

function save({ catalogue, now }: TestSite, machine: string, config: string): void {
  const basedOn = catalogue.configs.newest(machine)?.revision ?? 0;
  const [author, reason] = ['token t1 (ops)', `config ${basedOn + 1}`];
  catalogue.configs.save({ machine, config, policy: undefined, author, reason, at: now, basedOn });
}

/** A site on which a rollout was started, documents were saved, and a command was given and refused. */
async function changedSite(): Promise<TestSite> {
  const site = testSite();
  await site.report('rover-7', [{}]);
  site.publish('acme:lidar', '1.3.0');
  // As a release that is published into a rollout.
  site.catalogue.yank(moduleId('acme:lidar'), '1.3.0', '');
  const started = { kind: 'started', after: 0, at: NOW, salt: 's', percent: 5, share: 1 } as const;
  const release = { moduleId: moduleId('acme:lidar'), version: '1.3.0' };
  site.catalogue.apply({ kind: 'rollout', ...release, event: started, soakMs: MINUTE });
  site.now += MINUTE;
  save(site, 'rover-7', '{}');
  save(site, 'rover-8', '{}');
  site.now += MINUTE;
  const form = { key: 'A'.repeat(22), module: 'acme_lidar', reason: 'too slow' };
  await site.post('/machines/rover-7/commands/rollback', form);
  const outcomes = [{ number: 1, result: 'refused', detail: 'x' } as const];
  const word = { about: 'commands', machine: 'rover-7', at: site.now, outcomes } as const;
  site.catalogue.apply({ kind: 'heard', words: [word] });
  site.now += MINUTE;
  const [after] = site.catalogue.rollouts.all().rollouts;
  const halt = { after: `${after?.rollout.sequence}`, reason: 'loud' };
  await site.post('/rollouts/acme%3Alidar/1.3.0/halt', halt);
  return site;
}

const COMMAND = '12:02 UTC rover-7: rollback acme_lidar (refused) by page: too slow';
const OTHER = '12:01 UTC rover-8: revision 1 by token t1 (ops): config 1';
const REVISION = '12:01 UTC rover-7: revision 1 by token t1 (ops): config 1';

it('[D324] the page of changes has each with when, who and why, the newest first', async () => {
  expect(await textOf((await changedSite()).app, '/changes')).toEqual([
    'Changes',
    '12:03 UTC acme:lidar 1.3.0: rollout halted by page: loud',
    COMMAND,
    OTHER,
    REVISION,
    '12:00 UTC acme:lidar 1.3.0: rollout started (the log of the registry says who)',
  ]);
});

it('[D324] the changes of a machine are those of its documents and its commands', async () => {
  const { app } = await changedSite();
  const lines = ['Changes of rover-7', COMMAND, REVISION, 'rover-7'];
  expect(await textOf(app, '/changes?machine=rover-7')).toEqual(lines);
  expect(await textOf(app, '/changes?machine=rover-9')).toEqual([
    'Changes of rover-9',
    'Nothing was changed.',
    'rover-9',
  ]);
});

it('[D324] a page has at most 100 changes, and leads to all earlier ones', async () => {
  const site = await changedSite();
  for (let count = 0; count < 99; count += 1)
    save(site, 'rover-7', `{ "modules": [] }${' '.repeat(count)}`);
  const first = await (await site.app.request('/changes')).text();
  expect(first.match(/<li>/g)?.length).toBe(100);
  const [, earlier = ''] = /href="([^"]*)">Earlier changes/.exec(first) ?? [];
  expect((await textOf(site.app, earlier.replaceAll('&amp;', '&'))).slice(1)).toEqual([
    COMMAND,
    OTHER,
    REVISION,
    '12:00 UTC acme:lidar 1.3.0: rollout started (the log of the registry says who)',
  ]);
});

it('[D443] secrets, accounts, retired machines and fragments are among the changes', async () => {
  const site = testSite();
  const { configs } = site.catalogue;
  const [author, at] = ['token t1 (ops)', NOW];
  const fragment = { name: 'lidar', revision: 1, content: '{}', reason: 'as all', author, at };
  site.catalogue.apply({ kind: 'fragment', next: fragment, users: stateOf([]), documents: [] });
  configs.note({ kind: 'secret-set', machine: 'rover-7', name: 'MAPS', author, at: NOW + 1 });
  configs.note({ kind: 'account-confirmed', name: 'ada', author: 'alice', at: NOW + 2 });
  configs.note({ kind: 'machine-retired', machine: 'rover-8', author, at: NOW + 3 });
  expect((await textOf(site.app, '/changes')).slice(1)).toEqual([
    '12:00 UTC rover-8: machine retired by token t1 (ops)',
    '12:00 UTC account confirmed ada by alice',
    '12:00 UTC rover-7: secret set MAPS by token t1 (ops)',
    '12:00 UTC fragment lidar: revision 1 by token t1 (ops): as all',
  ]);
  expect((await textOf(site.app, '/changes?machine=rover-7')).slice(1)).toEqual([
    '12:00 UTC rover-7: secret set MAPS by token t1 (ops)',
    'rover-7',
  ]);
});

it('[T731] texts of people, and an event of a rollout that was edited, stay texts', async () => {
  const site = await changedSite();
  const hostile = '<script>window.hasRun=1</script>\u202E';
  const database = new DatabaseSync(site.path);
  database.prepare('UPDATE machine_configs SET reason = ?, author = ?').run(hostile, hostile);
  database.exec(
    `UPDATE rollout_events SET content = iif(kind = 'halted', '{ "because": 3 }', '{')`,
  );
  database.close();
  const html = await (await site.app.request('/changes')).text();
  expect(html).not.toMatch(/<script>window|\p{Cf}/u);
  expect((await textOf(site.app, '/changes'))[1]).toBe(
    '12:03 UTC acme:lidar 1.3.0: rollout halted by page',
  );
});

it.each([
  ['hold', { module: 'acme_lidar', for: '12h' }, 'hold acme_lidar for 12h'],
  ['unquarantine', { module: 'acme_lidar', version: '1.4.0' }, 'unquarantine acme_lidar 1.4.0'],
  ['restart', { module: 'acme_lidar' }, 'restart acme_lidar'],
])('[D457] a change that is a command names all of it: %s', async (kind, fields, words) => {
  const site = testSite();
  await site.report('rover-7', [{}]);
  const form = { key: 'A'.repeat(22), reason: 'the fair', ...fields };
  expect((await site.post(`/machines/rover-7/commands/${kind}`, form))[0]).toBe(303);
  expect((await textOf(site.app, '/changes'))[1]).toBe(
    `12:00 UTC rover-7: ${words} by page: the fair`,
  );
});
