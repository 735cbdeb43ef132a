import { describe, expect, it } from 'vitest';
import { linesOf, textOf } from './support/machine-page.ts';
import { NOW, testSite, type TestSite } from './support/site-page.ts';

const PATH = '/machines/rover-7/commands';
const KEY = 'A'.repeat(22);
const FORM = { key: KEY, module: 'acme_lidar', reason: 'loud' };

async function site(): Promise<TestSite> {
  const one = testSite();
  await one.report('rover-7', [{}]);
  one.catalogue.apply({ kind: 'heard', words: [{ about: 'asking', machine: 'rover-7' }] });
  return one;
}

it('[D321] a command of the page is that of the command line, with who gave it and why', async () => {
  const one = await site();
  expect(await one.post(`${PATH}/hold`, { ...FORM, for: '12h' })).toEqual([303, PATH]);
  expect(one.catalogue.configs.commands.all('rover-7')).toEqual([
    {
      machine: 'rover-7',
      number: 1,
      kind: 'hold',
      module: 'acme_lidar',
      term: '12h',
      reason: 'loud',
      author: 'page',
      at: NOW,
      expiresAt: NOW + 3_600_000,
      outcome: undefined,
    },
  ]);
  expect(one.changes).toEqual(['command-given rover-7 1 hold']);
});

it('[D321] commands are shown with what the machine answered, the newest first', async () => {
  const one = await site();
  expect(await textOf(one.app, PATH)).toEqual([
    'Commands to rover-7',
    'Hold…End a hold…Upgrade now…Restart…Roll back…Lift a quarantine…rover-7',
    'No command was given.',
  ]);
  await one.post(`${PATH}/hold`, { key: KEY, for: '1d', reason: 'fair' });
  for (const [key, kind] of [['B', 'rollback'] as const, ['C', 'restart'] as const]) {
    await one.post(`${PATH}/${kind}`, { ...FORM, key: key.repeat(22) });
  }
  const detail = 'a site can only hold here: modreg rollback acme_lidar does it';
  const outcomes = [{ number: 2, result: 'refused', detail } as const];
  const word = { about: 'commands', machine: 'rover-7', at: NOW, outcomes } as const;
  one.catalogue.apply({ kind: 'heard', words: [word] });
  expect((await textOf(one.app, PATH)).slice(2)).toEqual([
    '12:00 UTC 3 restart acme_lidar, by page: loud waits until 2026-11-25T13:00:00Z',
    `12:00 UTC 2 rollback acme_lidar, by page: loud refused ${detail}`,
    '12:00 UTC 1 hold the machine for 1d, by page: fair waits until 2026-11-25T13:00:00Z',
  ]);
  one.now += 3_600_000;
  expect((await textOf(one.app, PATH))[2]).toBe(
    '12:00 UTC 3 restart acme_lidar, by page: loud expired the machine did not ask before 2026-11-25T13:00:00Z',
  );
});

it('[D437] a quarantine is lifted of the version that the form names', async () => {
  const one = await site();
  const html = await (await one.app.request(`${PATH}/unquarantine`)).text();
  expect(html).toContain('<input name="version" required="" maxlength="256"/>');
  expect(await one.post(`${PATH}/unquarantine`, { ...FORM, version: '1.4.0' })).toEqual([
    303,
    PATH,
  ]);
  expect(one.catalogue.configs.commands.all('rover-7')).toMatchObject([
    { kind: 'unquarantine', module: 'acme_lidar', version: '1.4.0', author: 'page' },
  ]);
  expect((await textOf(one.app, PATH))[2]).toBe(
    '12:00 UTC 1 unquarantine acme_lidar 1.4.0, by page: loud waits until 2026-11-25T13:00:00Z',
  );
});

it('[D321] the commands of a machine that does not ask for them say so', async () => {
  const one = testSite();
  await one.report('rover-7', [{}]);
  await one.post(`${PATH}/hold`, { key: KEY, for: '1d', reason: 'fair' });
  expect((await textOf(one.app, PATH)).slice(2)).toEqual([
    'rover-7: it has not asked for commands: its agent or poller follows this registry only with --config-from',
    '12:00 UTC 1 hold the machine for 1d, by page: fair waits until 2026-11-25T13:00:00Z',
  ]);
});

it('[D406] a machine that reported a pin is held on the page, and given nothing else', async () => {
  const one = testSite();
  one.pinned.add('rover-7');
  await one.report('rover-7', [{}]);
  one.catalogue.apply({ kind: 'heard', words: [{ about: 'asking', machine: 'rover-7' }] });
  const signs =
    'its policy names a trust document, so that operators sign what is not a hold: give it with --key';
  const [status, html] = await one.post(`${PATH}/restart`, FORM);
  expect([status, linesOf(html).slice(1)]).toEqual([
    409,
    [
      `REGISTRY_REFUSED rover-7: ${signs}; nothing was given`,
      'modreg fleet gives a command with the key of an operator',
    ],
  ]);
  expect(await one.post(`${PATH}/hold`, { ...FORM, for: '12h' })).toEqual([303, PATH]);
  expect((await textOf(one.app, PATH)).slice(2)).toEqual([
    `rover-7: ${signs}`,
    '12:00 UTC 1 hold acme_lidar for 12h, by page: loud waits until 2026-11-25T13:00:00Z',
  ]);
});

it('[D321] a command that operators signed is shown with their keys', async () => {
  const one = await site();
  const wish = { machine: 'rover-7', key: KEY, kind: 'restart', module: 'acme_lidar' } as const;
  const about = { term: undefined, version: undefined, reason: 'loud', author: 'token t1 (ops)' };
  const signatures = { '18c493e545e82511': '', '7f1f4a3fb4b0e2aa': '' };
  const signed = { id: KEY, givenAt: NOW, signatures };
  const times = { at: NOW, expiresAt: NOW + 3_600_000 };
  one.catalogue.configs.commands.give({ ...wish, ...about, ...times, signed });
  expect((await textOf(one.app, PATH))[2]).toBe(
    '12:00 UTC 1 restart acme_lidar, by token t1 (ops), signed by 18c493e545e82511 and 7f1f4a3fb4b0e2aa: loud waits until 2026-11-25T13:00:00Z',
  );
});

it('[D321] there is no form for a module that the machine does not report', async () => {
  const one = testSite();
  await one.report('rover-7', [{}]);
  const answer = await one.app.request(`${PATH}/restart?module=nope`);
  expect([answer.status, linesOf(await answer.text())[1]]).toEqual([
    404,
    'UNKNOWN_REFERENCE rover-7 reports no module or subsystem "nope"',
  ]);
});

describe('[D321] the form of a command', () => {
  it.each([
    ['hold', 'Hold: rover-7', 'the whole machine acme_lidar'],
    ['unhold', 'End a hold: rover-7', 'the whole machine acme_lidar'],
    ['upgrade', 'Upgrade now: rover-7', 'acme_lidar'],
    ['restart', 'Restart: rover-7', 'acme_lidar platform-server'],
    ['rollback', 'Roll back: rover-7', 'acme_lidar'],
    ['unquarantine', 'Lift a quarantine: rover-7', 'acme_lidar'],
  ])('%s says what it does, and offers what it can be about', async (kind, title, offered) => {
    const one = await site();
    const html = await (await one.app.request(`${PATH}/${kind}?module=acme_lidar`)).text();
    const options = Array.from(html.matchAll(/<option[^>]*>([^<]*)/g), ([, text]) => text);
    expect([linesOf(html)[0], options.join(' ')]).toEqual([title, offered]);
    expect(html).toContain('<option value="acme_lidar" selected="">');
    expect(html).toMatch(/<input type="hidden" name="key" value="[\w-]{22}"/);
    expect(one.catalogue.configs.commands.all('rover-7')).toEqual([]);
  });
});

describe('[T727] a form', () => {
  it('that is sent twice gives one command', async () => {
    const one = await site();
    await one.post(`${PATH}/restart`, FORM);
    expect(await one.post(`${PATH}/restart`, FORM)).toEqual([303, PATH]);
    expect(one.catalogue.configs.commands.all('rover-7').length).toBe(1);
    expect(one.changes).toEqual(['command-given rover-7 1 restart']);
  });

  it.each([
    ['restart', { key: KEY, reason: 'x' }, '/module: restart needs the name of a module'],
    ['hold', { key: KEY, reason: 'x' }, '/for: a hold needs a duration, such as 12h'],
    ['hold', { key: KEY, for: '31d', reason: 'x' }, 'expected more than 0 s and at most 30 d'],
    ['unquarantine', FORM, '/version: unquarantine needs a version, such as 1.4.0'],
    ['restart', { ...FORM, version: '1.4.0' }, '/version: only unquarantine names a version'],
    ['hold', { key: KEY, for: '1d' }, '/reason: expected 1 to 200 characters'],
    ['unhold', { reason: 'x' }, '/key: expected 16 random bytes in base64url'],
  ])('%s %j is refused', async (kind, form, message) => {
    const one = await site();
    const [status, html] = await one.post(`${PATH}/${kind}`, form);
    expect([status, linesOf(html)[1]]).toEqual([422, expect.stringContaining(message)]);
    expect(html).toContain('nothing was given');
    expect(one.catalogue.configs.commands.all('rover-7')).toEqual([]);
  });

  it('for a machine that has 20 commands is refused', async () => {
    const one = await site();
    for (let place = 0; place < 21; place++) {
      const key = `${place}`.padStart(22, '0');
      const [status, html] = await one.post(`${PATH}/restart`, { ...FORM, key });
      if (place < 20) continue;
      expect([status, linesOf(html).slice(1)]).toEqual([
        409,
        [
          'REGISTRY_REFUSED 20 commands of rover-7 wait already: nothing was given',
          'they expire within the time that each was given for',
        ],
      ]);
    }
  });

  it('for a machine that has never reported is refused', async () => {
    const one = await site();
    const path = '/machines/rover-8/commands';
    const [status] = await one.post(`${path}/restart`, FORM);
    expect([status, (await one.app.request(path)).status]).toEqual([404, 404]);
    expect(one.catalogue.configs.commands.all('rover-8')).toEqual([]);
  });
});
