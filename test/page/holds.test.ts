import { describe, expect, it } from 'vitest';
import { changedPage, refusal } from './support/changed-page.ts';
import { textOf } from './support/machine-page.ts';

describe('[D75, T137] a hold', () => {
  it('is set and ended by forms', async () => {
    const { post, app, machine } = await changedPage();
    const form = { module: 'acme_lidar', for: '12h', until: '', reason: '<b>fair</b>', by: 'ann' };
    expect(await post('/holds', form)).toEqual([303, '/holds']);
    expect(await textOf(app, '/holds')).toContain(
      'acme:lidar is held by ann since 2026-11-21T01:03:03Z, until 2026-11-21T13:03:03Z (in 12 h): <b>fair</b>',
    );
    expect(await post('/holds', { ...form, module: '' })).toEqual([303, '/holds']);
    expect(await textOf(app, '/holds')).toContain(
      'this machine is held by ann since 2026-11-21T01:03:03Z, until 2026-11-21T13:03:03Z (in 12 h): <b>fair</b>',
    );
    const end = { module: 'acme_lidar', since: '2026-11-20T00:00:00Z' };
    expect(await post('/holds/end', end)).toEqual([
      409,
      'This was not done HOLD_CHANGED acme:lidar is held since 2026-11-21T01:03:03Z, and the page showed a hold since 2026-11-20T00:00:00Z; nothing was changed look at the reason of the new one',
    ]);
    const seen = { since: '2026-11-21T01:03:03Z' };
    expect(await post('/holds/end', { ...seen, module: 'acme_lidar' })).toEqual([303, '/holds']);
    expect(await post('/holds/end', { ...seen, module: '' })).toEqual([303, '/holds']);
    expect(machine.state.memory().holds).toEqual([]);
  });

  it('is listed, set and ended by programs', async () => {
    const { ask } = await changedPage();
    const hold = { kind: 'machine', name: null, by: 'fleet tool', reason: 'fair' };
    const body = { until: '2026-11-21T06:00:00Z', reason: 'fair', by: 'fleet tool' };
    expect((await ask('POST', '/v1/holds', { body })).json).toMatchObject({
      schema: 'modreg/hold@1',
      ...hold,
      replaced: null,
    });
    expect((await ask('GET', '/v1/holds')).json).toMatchObject({
      schema: 'modreg/holds@1',
      holds: [hold],
    });
    expect((await ask('DELETE', '/v1/holds')).json).toMatchObject({
      schema: 'modreg/unhold@1',
      ...hold,
      still_held_by: null,
    });
    expect(refusal(await ask('DELETE', '/v1/holds'))).toEqual([
      404,
      'urn:modreg:not-recorded',
      'no operator holds this machine; nothing was changed',
    ]);
  });

  it('[T336] that cannot be set is an error in the body', async () => {
    const { ask, machine } = await changedPage();
    const body = { for: '1h', reason: ' ', by: 'ann' };
    expect(refusal(await ask('POST', '/v1/holds', { body }))).toEqual([
      422,
      'urn:modreg:bad-field',
      'the reason is empty, expected text; nothing was changed',
    ]);
    expect(machine.state.memory().holds).toEqual([]);
  });
});
