import { describe, expect, it } from 'vitest';
import { seen } from '../support/upgrades.ts';
import { NIGHTLY } from '../support/restarts.ts';
import { MINUTE, SECOND, type Day } from '../support/day.ts';
import { changedPage, refusal, type ChangedPage } from './support/changed-page.ts';
import { textOf } from './support/machine-page.ts';

const UPGRADE = '/modules/acme_lidar/upgrade';

/** The page of a machine on which 1.2.4 of the lidar is held by its window. */
async function heldPage(): Promise<ChangedPage> {
  const page = await changedPage(NIGHTLY);
  page.machine.publish('acme:lidar', '1.2.4');
  await page.machine.pass(MINUTE);
  page.machine.story();
  return page;
}

function requested({ state }: Day): unknown {
  return state.memory().upgradeRequests.map(({ request }) => request);
}

describe('[D76, T137] a replacement at once', () => {
  it('is requested by a form, which shows what holds it', async () => {
    const { app, post, machine } = await heldPage();
    expect(await textOf(app, UPGRADE)).toEqual([
      'Upgrade acme:lidaracme:lidar: upgrade to 1.2.4 waits',
      'because  the maintenance window is closed until 2026-11-21T02:00:00Z (in 56 min 57 s)',
      'next     2026-11-21T02:00:00Z (in 56 min 57 s): upgrade to 1.2.4, as the maintenance window opens',
      'No window, blackout, cooldown, ceiling, answer or busy server holds it then, once, for an hour at most. The hold of an operator does.',
      'reason',
      'your name Upgrade now',
      'Back',
    ]);
    const form = { deployed: '1.2.3', to: '1.2.4', by: '<ann>', reason: 'it burns' };
    expect(await post(UPGRADE, form)).toEqual([303, '/modules/acme_lidar']);
    expect(requested(machine)).toEqual([
      {
        requestedAt: Date.parse('2026-11-21T01:03:03Z'),
        by: '<ann>',
        because: 'it burns',
        from: '1.2.3',
        to: '1.2.4',
        despite: [],
      },
    ]);
    await seen(machine);
    expect(machine.story().at(-1)).toBe('01:04:03 delivered acme_lidar 1.2.3 → 1.2.4');
  });

  it('is not requested if another one is decided than the page showed', async () => {
    const { post, machine } = await heldPage();
    const form = { deployed: '1.2.3', to: '1.2.3', by: 'ann' };
    expect(await post(UPGRADE, form)).toEqual([
      409,
      'This was not done DEPLOYED_CHANGED acme:lidar would be replaced 1.2.3 → 1.2.4 by now, and the page showed another replacement; nothing was changed look at what would happen now, and confirm that',
    ]);
    expect(requested(machine)).toEqual([]);
  });

  it('is requested by programs', async () => {
    const { ask, machine } = await heldPage();
    const body = { now: true, by: 'fleet tool', deployed: '1.2.3', to: '1.2.4', despite: [] };
    expect((await ask('POST', `/v1${UPGRADE}`, { body })).json).toMatchObject({
      schema: 'modreg/upgrade@1',
      decision: 'upgrade',
      request: { by: 'fleet tool', reason: null, from: '1.2.3', to: '1.2.4', despite: [] },
      round: null,
    });
    expect(requested(machine)).toHaveLength(1);
  });

  it('is asked about by programs, after a round', async () => {
    const { ask, machine } = await heldPage();
    const asked = ask('POST', `/v1${UPGRADE}`, { body: { by: 'fleet tool' } });
    await expect.poll(() => machine.state.memory().roundRequests).toHaveLength(1);
    machine.poller.look();
    await machine.pass(SECOND);
    expect((await asked).json).toMatchObject({
      decision: 'hold',
      held_by: [{ reason: 'window-closed', until: '2026-11-21T02:00:00Z' }],
      now: 'modreg upgrade acme_lidar --now',
      request: null,
      round: 'made',
    });
  });

  it.each<[string, object, number, string]>([
    [
      'nobody',
      { by: ' ' },
      422,
      'the name of the operator is empty, expected text; nothing was changed',
    ],
    [
      'a veto that is none',
      { by: 'ann', despite: ['docking'] },
      422,
      '"docking" is no veto: no module that would stop was found to forbid it; nothing was changed',
    ],
    [
      'a text instead of vetoes',
      { by: 'ann', despite: 'docking' },
      422,
      '"despite" is "docking", expected a list of texts',
    ],
    ['no name', {}, 422, 'the field "by" is missing'],
  ])('of %s is refused', async (_, fields, status, detail) => {
    const { ask, machine } = await heldPage();
    const answer = await ask('POST', `/v1${UPGRADE}`, { body: { now: true, ...fields } });
    expect(refusal(answer)).toEqual([status, 'urn:modreg:bad-field', detail]);
    expect(requested(machine)).toEqual([]);
  });
});
