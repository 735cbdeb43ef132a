import { describe, expect, it } from 'vitest';
import { rememberedIn } from '../support/machine-home.ts';
import { changedPage, mainText, refusal } from './support/changed-page.ts';
import { textOf } from './support/machine-page.ts';
import { answerTo, afterwards, NIGHTLY } from '../support/restarts.ts';
import { HOUR, MINUTE } from '../support/day.ts';
import { moduleNamed } from '../support/claimed.ts';
import { ask as run } from '../support/history.ts';

const LIDAR = '/modules/acme_lidar';
const RESTART = '/v1/modules/acme_lidar/restart';
const ROLLBACK = '/v1/modules/acme_lidar/rollback';

describe('[T137] a restart', () => {
  it('is confirmed on a page that says what stops, in order, and when', async () => {
    const { app, machine } = await changedPage(NIGHTLY);
    expect(await textOf(app, `${LIDAR}/restart`)).toEqual([
      'Restart acme:lidaracme:lidar restarts 1.2.3 once nothing holds it',
      'because  the maintenance window is closed until 2026-11-21T02:00:00Z (in 56 min 57 s); an operator requested a restart at 2026-11-21T01:03:03Z',
      'next     2026-11-21T02:00:00Z (in 56 min 57 s): restart of 1.2.3, as the maintenance window opens',
      'Stops, in this order:',
      'base (needs front-lidar)',
      'front-lidar',
      'While the server processes changes of the config, nothing restarts.',
      'your name Restart acme:lidar',
      'It keeps to the maintenance window. Pass the window…',
      'Do nothing',
    ]);
    // Nothing was requested.
    expect(await afterwards(machine)).toEqual([]);
  });

  it('that shares its restart says with what', async () => {
    const { app, machine } = await changedPage(NIGHTLY);
    machine.state.report({ kind: 'subsystem', name: 'platform-server' }, '0.1.0', 1);
    machine.state.requestRestart(
      { kind: 'subsystem', name: 'platform-server' },
      { requestedAt: machine.clock.now(), isImmediate: true },
    );
    machine.publish('platform:server', '0.1.0');
    await machine.pass(MINUTE);
    expect(await textOf(app, `${LIDAR}/restart?now=yes`)).toContain(
      'In the same restart: restart of platform-server; one restart of platform-server, which also restarts every module.',
    );
  });

  it('waits for the end of a blackout [D74]', async () => {
    const span = { from: '2026-11-21', to: '2026-11-22', time_zone: 'Europe/Berlin' };
    const { app } = await changedPage({ blackout: [{ ...span, reason: 'season' }] });
    expect((await textOf(app, `${LIDAR}/restart`)).slice(1, 3)).toEqual([
      'because  no maintenance until 2026-11-22T23:00:00Z (2026-11-23 00:00 Europe/Berlin, in 1 d 21 h) (blackout: season); an operator requested a restart at 2026-11-21T01:03:03Z (02:03 Europe/Berlin)',
      'next     2026-11-22T23:00:00Z (2026-11-23 00:00 Europe/Berlin, in 1 d 21 h): restart of 1.2.3, as the blackout ends',
    ]);
  });

  it.each([
    ['keeps to the window', {}, []],
    [
      'passes the window',
      { now: 'yes' },
      [
        '01:03:03 committed restart acme_lidar 1.2.3 → 1.2.3',
        '01:03:03 delivered restart acme_lidar 1.2.3 → 1.2.3',
      ],
    ],
  ])('by a form %s', async (_title, form, story) => {
    const { post, machine } = await changedPage(NIGHTLY);
    expect(await post(`${LIDAR}/restart`, { deployed: '1.2.3', ...form })).toEqual([303, LIDAR]);
    machine.poller.look();
    await machine.pass(1000);
    expect(machine.story()).toEqual(story);
  });

  it('answers what the command prints, and is withdrawn', async () => {
    const { ask, machine } = await changedPage(NIGHTLY);
    const { status, json } = await ask('POST', RESTART, { body: { now: true } });
    const command = await answerTo(machine, 'acme_lidar', '--now', '--json');
    expect([status, json]).toEqual([200, JSON.parse(command[0] ?? '')]);
    expect((await ask('DELETE', RESTART)).json).toEqual({
      schema: 'modreg/restart-cancel@1',
      name: 'acme_lidar',
      module_id: 'acme:lidar',
    });
    expect(refusal(await ask('DELETE', RESTART))).toEqual([
      404,
      'urn:modreg:not-recorded',
      'no restart of acme:lidar is requested',
    ]);
  });

  it('after an immediate one says that this stays [D376]', async () => {
    const { app, ask } = await changedPage(NIGHTLY);
    await ask('POST', RESTART, { body: { now: true } });
    const shown = await textOf(app, `${LIDAR}/restart`);
    expect([shown[0], ...shown.slice(-3)]).toEqual([
      'Restart acme:lidaracme:lidar restarts 1.2.3 within a second: the immediate restart requested before stays',
      'It passes the maintenance window.',
      'A restart is requested already. Withdraw the request',
      'Do nothing',
    ]);
  });

  it('of another version than the person saw is refused', async () => {
    const { post, ask, machine } = await changedPage();
    const message =
      'acme:lidar 1.2.3 is deployed by now, and the page showed 1.2.2; nothing was changed';
    const answer = await ask('POST', RESTART, { body: { deployed: '1.2.2' } });
    expect(refusal(answer)).toEqual([409, 'urn:modreg:deployed-changed', message]);
    expect(await post(`${LIDAR}/restart`, { deployed: '1.2.2' })).toEqual([
      409,
      `This was not done DEPLOYED_CHANGED ${message} look at what would happen now, and confirm that`,
    ]);
    expect(await post(`${LIDAR}/restart`, {})).toMatchObject([409, expect.any(String)]);
    expect(await afterwards(machine)).toEqual([]);
  });

  it.each([
    ['/v1/modules/nothing/restart', {}, 404, 'urn:modreg:unknown-reference'],
    [RESTART, { now: 1 }, 422, 'urn:modreg:bad-field'],
    [RESTART, { soon: true }, 422, 'urn:modreg:bad-field'],
    [RESTART, [], 400, 'urn:modreg:bad-body'],
    [RESTART, '{', 400, 'urn:modreg:bad-body'],
    [RESTART, { deployed: 'x'.repeat(65_537) }, 413, 'urn:modreg:too-large'],
  ])('POST %s with %j is refused: %i', async (path, body, status, type) => {
    const { ask } = await changedPage();
    const answer = await ask('POST', path, { body });
    expect([answer.status, Object(answer.json).type]).toEqual([status, type]);
  });
});

describe('[T137] a rollback', () => {
  it('is confirmed on a page that says what it does next', async () => {
    const { app, machine } = await changedPage();
    expect(await textOf(app, `${LIDAR}/rollback?for=7d`)).toEqual([
      'Roll back acme:lidar to 1.2.0acme:lidar rolls back from 1.2.3 to 1.2.0 within a second, until 2026-11-28T01:03:03Z (in 7 d)',
      'because  1.2.3 was rolled back on this machine; 1.2.0 instead: newest patch of 1.2 that may be selected',
      'then     up to date: stays at 1.2.0: 1.2.3 is refused by a rollback on this machine until 2026-11-28T01:03:03Z (in 7 d)',
      'next     2026-11-28T01:03:03Z (in 7 d): upgrade to 1.2.3, as a quarantine ends',
      'for (for example 7d; empty: until it is lifted)  Show what that does',
      'your name Roll back from 1.2.3 to 1.2.0 for 7d',
      'Do nothing',
    ]);
    expect(rememberedIn(machine.home)).toEqual(['1.2.3 after nothing']);
  });

  it('by a form and by a program refuses the version', async () => {
    const form = await changedPage();
    const seen = { deployed: '1.2.3', to: '1.2.0', for: '' };
    expect(await form.post(`${LIDAR}/rollback`, seen)).toEqual([303, LIDAR]);
    const program = await changedPage();
    const { status, json } = await program.ask('POST', ROLLBACK, { body: { for: '1h' } });
    expect([status, json]).toMatchObject([200, { from: '1.2.3', to: '1.2.0' }]);
    for (const { machine } of [form, program]) {
      expect(rememberedIn(machine.home)).toEqual([
        '1.2.3 after nothing',
        'acme:lidar 1.2.3 rolled back to 1.2.0',
      ]);
    }
    await program.machine.pass(HOUR);
  });

  it.each([
    [
      { deployed: '1.2.2' },
      409,
      'acme:lidar 1.2.3 is deployed by now, and the page showed 1.2.2; nothing was changed',
    ],
    [
      { to: '1.1.0' },
      409,
      'acme:lidar would roll back to 1.2.0 by now, and the page showed 1.1.0; nothing was changed',
    ],
    [{ for: '0s' }, 422, 'for: expected more than no time'],
  ])('with %j is refused: %i', async (body, status, message) => {
    const { ask, machine } = await changedPage();
    expect(refusal(await ask('POST', ROLLBACK, { body }))).toMatchObject([status, {}, message]);
    expect(rememberedIn(machine.home)).toEqual(['1.2.3 after nothing']);
  });
});

it.each([
  ['GET', `${LIDAR}/rollback?for=0s`, 'cannot be shown'],
  ['POST', `${LIDAR}/rollback`, 'was not done'],
  ['POST', '/quarantine', 'was not done'],
])('[T137] %s %s for no time %s', async (method, path, what) => {
  const { app, machine } = await changedPage();
  const form = {
    deployed: '1.2.3',
    to: '1.2.0',
    module: 'acme:lidar',
    version: '1.2.3',
    for: '0s',
  };
  const body = method === 'POST' ? new URLSearchParams(form) : null;
  const response = await app.request(path, { method, body });
  expect([response.status, mainText(await response.text())]).toEqual([
    422,
    `This ${what} BAD_FIELD for: expected more than no time`,
  ]);
  expect(rememberedIn(machine.home)).toEqual(['1.2.3 after nothing']);
});

describe('[T141] an Idempotency-Key', () => {
  it('gives the first answer again, and does nothing twice', async () => {
    const { ask, machine } = await changedPage();
    const request = { body: {}, headers: { 'idempotency-key': 'k1' } };
    const first = await ask('POST', ROLLBACK, request);
    machine.state.lift('acme:lidar' as never, '1.2.3');
    const again = await ask('POST', ROLLBACK, request);
    expect([first.status, again.status, again.json]).toEqual([200, 200, first.json]);
    expect(rememberedIn(machine.home)).toEqual(['1.2.3 after nothing']);
  });

  it('of another request is refused, and so is one that is too long', async () => {
    const { ask } = await changedPage();
    const headers = { 'idempotency-key': 'k1' };
    await ask('POST', RESTART, { body: {}, headers });
    const other = await ask('POST', RESTART, { body: { now: true }, headers });
    expect(refusal(other)).toEqual([
      422,
      'urn:modreg:key-reused',
      'another request had this Idempotency-Key; nothing was changed',
    ]);
    const long = { 'idempotency-key': 'k'.repeat(256) };
    expect((await ask('POST', RESTART, { body: {}, headers: long })).status).toBe(400);
  });

  it('is forgotten after 1,000 others', async () => {
    const { ask } = await changedPage();
    const withdraw = async (key: string): Promise<number> =>
      (await ask('DELETE', RESTART, { headers: { 'idempotency-key': key } })).status;
    expect(await withdraw('first')).toBe(404);
    await ask('POST', RESTART, { body: {} });
    expect(await withdraw('first')).toBe(404);
    for (let place = 0; place < 1000; place++) {
      // An answer is kept whatever it is, and this one reads no file.
      await ask('POST', RESTART, { body: [], headers: { 'idempotency-key': `${place}` } });
    }
    expect(await withdraw('first')).toBe(200);
  });
});

describe('[D489] who asks on the page', () => {
  it('for a restart is named by status and why', async () => {
    const { post, machine } = await changedPage(NIGHTLY);
    await post(`${LIDAR}/restart`, { deployed: '1.2.3', by: ' ann ' });
    expect((await run(machine, 'status')).answer.at(-1)).toBe(
      'acme_lidar: ann requested a restart at 2026-11-21T01:03:03Z',
    );
  });

  it('for a rollback is named by the quarantine', async () => {
    const { post, machine } = await changedPage();
    machine.state.report(moduleNamed('acme_lidar', 'acme:lidar'), '1.2.0', 1);
    machine.state.report(moduleNamed('acme_lidar', 'acme:lidar'), '1.2.3', 2);
    await post(`${LIDAR}/rollback`, { deployed: '1.2.3', to: '1.2.0', for: '', by: 'ann' });
    expect((await run(machine, 'quarantine', 'list')).answer.join('\n')).toContain(
      'rolled back by ann',
    );
  });

  it.each([
    [`${LIDAR}/restart`, { deployed: '1.2.3' }],
    [`${LIDAR}/rollback`, { deployed: '1.2.3', to: '1.2.0', for: '' }],
  ])('%s with a name of 101 characters changes nothing', async (path, form) => {
    const { post, machine } = await changedPage(NIGHTLY);
    const [status, text] = await post(path, { ...form, by: 'a'.repeat(101) });
    expect([status, text]).toEqual([
      422,
      expect.stringContaining(
        'the name of the operator has 101 characters, expected at most 100; nothing was changed',
      ),
    ]);
    expect(await afterwards(machine)).toEqual([]);
  });
});
