import { describe, expect, it } from 'vitest';
import { changedPage, refusal } from './support/changed-page.ts';
import { rememberedIn } from '../support/machine-home.ts';
import { textOf } from './support/machine-page.ts';

describe('[T137] a quarantine', () => {
  it('[D389] is added with its reason and lifted by forms', async () => {
    const { post, app, machine } = await changedPage();
    const form = { module: 'acme:lidar', version: '1.2.3', reason: '<b>dust</b>', for: '7d' };
    expect(await post('/quarantine', form)).toEqual([303, '/quarantine']);
    expect(await textOf(app, '/quarantine')).toContain(
      'acme:lidar 1.2.3 is refused since 2026-11-21T01:03:03Z, until 2026-11-28T01:03:03Z (in 7 d): <b>dust</b>',
    );
    // [D389] The card of the module says so, too, and leads to the form.
    expect(await textOf(app, '/')).toContain(
      '1.2.3 is in quarantine until 2026-11-28T01:03:03Z (in 7 d) Lift…',
    );
    expect(await (await app.request('/quarantine')).text()).toContain('&lt;b&gt;dust&lt;/b&gt;');
    const entry = { module_id: 'acme:lidar', version: '1.2.3' };
    expect(await post('/quarantine/lift', { ...entry, since: '2026-11-20T00:00:00Z' })).toEqual([
      409,
      'This was not done QUARANTINE_CHANGED acme:lidar 1.2.3 is in quarantine since 2026-11-21T01:03:03Z, and the page showed one since 2026-11-20T00:00:00Z; nothing was changed look at the reason of the new one',
    ]);
    expect(await post('/quarantine/lift', { ...entry, since: '2026-11-21T01:03:03Z' })).toEqual([
      303,
      '/quarantine',
    ]);
    expect(rememberedIn(machine.home)).toEqual(['1.2.3 after nothing']);
  });

  it('is listed, added and lifted by programs', async () => {
    const { ask } = await changedPage();
    const body = { module: 'acme_lidar', version: '1.10.0', reason: 'dust' };
    expect((await ask('POST', '/v1/quarantine', { body })).json).toMatchObject({
      schema: 'modreg/quarantine-add@1',
      module_id: 'acme:lidar',
      decisions: [{ name: 'acme_lidar', decision: 'up-to-date' }],
    });
    expect((await ask('GET', '/v1/quarantine')).json).toMatchObject({
      quarantine: [{ version: '1.10.0', reason: 'dust' }],
    });
    const lift = '/v1/quarantine/acme:lidar/1.10.0';
    expect((await ask('DELETE', lift)).status).toBe(200);
    expect(refusal(await ask('DELETE', lift))).toEqual([
      404,
      'urn:modreg:unknown-version',
      'acme:lidar 1.10.0 is not in quarantine on this machine',
    ]);
    const missing = await ask('POST', '/v1/quarantine', { body: { module: 'acme_lidar' } });
    expect(refusal(missing)).toEqual([
      422,
      'urn:modreg:bad-field',
      'the field "version" is missing',
    ]);
  });
});

describe('[T216] a quarantine of a module that the machine does not have', () => {
  const HINT = 'this machine has acme:lidar, platform:agent, platform:server';
  const MESSAGE = 'no module of this machine has the id acme:lidra; nothing was changed';

  it('is refused with the ids that it has', async () => {
    const { ask, post, machine } = await changedPage();
    const body = { module: 'acme:lidra', version: '1.2.3' };
    const answer = await ask('POST', '/v1/quarantine', { body });
    expect(refusal(answer)).toEqual([404, 'urn:modreg:unknown-reference', MESSAGE]);
    expect(answer.json).toMatchObject({ problems: [{ hint: HINT }] });
    expect(await post('/quarantine', { ...body, reason: 'dust' })).toEqual([
      404,
      `This was not done UNKNOWN_REFERENCE ${MESSAGE} ${HINT}`,
    ]);
    expect(rememberedIn(machine.home)).toEqual(['1.2.3 after nothing']);
  });
});

describe('[T218] the reason of a quarantine', () => {
  it('of more than 500 characters is refused', async () => {
    const { ask, machine } = await changedPage();
    const body = { module: 'acme:lidar', version: '1.2.3', reason: 'r'.repeat(501) };
    expect(refusal(await ask('POST', '/v1/quarantine', { body }))).toEqual([
      422,
      'urn:modreg:out-of-range',
      'the reason has 501 characters, expected at most 500; nothing was changed',
    ]);
    expect(rememberedIn(machine.home)).toEqual(['1.2.3 after nothing']);
  });

  it.each([
    ['x'.repeat(500), 'x'.repeat(500)],
    ['  ', 'quarantined by an operator'],
  ])('%j is kept as %j', async (reason, kept) => {
    const { ask } = await changedPage();
    const body = { module: 'acme:lidar', version: '1.2.3', reason };
    expect((await ask('POST', '/v1/quarantine', { body })).json).toMatchObject({ reason: kept });
  });
});
