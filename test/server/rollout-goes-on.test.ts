import { describe, expect, it } from 'vitest';
import { sql } from '../support/backups.ts';
import { rollingFleet, type RollingFleet } from '../support/rolling-fleet.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const LIDAR = 'acme:lidar' as Parameters<RollingFleet['catalogue']['yank']>[0];
const IN_ROLLOUT = { version: '1.3.0', rollout: {} };

/** A fleet of 40 machines, and 1.3.0 at the first step of its rollout. */
async function rollingOut(): Promise<RollingFleet> {
  const fleet = await rollingFleet(40);
  expect(await fleet.publish(IN_ROLLOUT)).toBe('201');
  return fleet;
}

describe('a rollout', () => {
  it('is not raised to the step that it has, whose soak would begin again', async () => {
    const fleet = await rollingOut();
    const { sequence } = await fleet.state();
    expect(await fleet.change({ event: 'raise', after: sequence, percent: 20 })).toBe('200');
    await fleet.turn();
    await fleet.pass(30 * MINUTE);
    const before = await fleet.state();
    const { sequence: after } = before;
    const refused = '409 acme:lidar 1.3.0: the rollout is at this step already';
    expect(await fleet.change({ event: 'raise', after, percent: 20 })).toBe(refused);
    expect(await fleet.state()).toEqual(before);
    expect(await fleet.change({ event: 'raise', after, percent: 100 })).toBe('200');
    const { sequence: last } = await fleet.state();
    expect(await fleet.change({ event: 'raise', after: last })).toBe(refused);
    expect(await fleet.change({ event: 'raise', after })).toBe(
      '409 acme:lidar 1.3.0: the rollout has changed since it was read: read it again',
    );
  });

  it('is not raised by a person to the step that it has, although machines were added', async () => {
    const fleet = await rollingFleet(3, 'unheard');
    expect(await fleet.publish(IN_ROLLOUT)).toBe('201');
    await fleet.turn();
    const { sequence: after } = await fleet.state();
    expect(await fleet.change({ event: 'raise', after, percent: 0.1 })).toBe(
      '409 acme:lidar 1.3.0: the rollout is at this step already',
    );
  });

  it('[T164] that a yank halts is resumed without the failures of before, which no machine may report any more', async () => {
    const fleet = await rollingOut();
    const acknowledged = { failed: 2, silent: 0 };
    for (const one of [
      { event: 'halt', reason: 'by hand' },
      { event: 'resume', acknowledged },
    ]) {
      const { sequence: after } = await fleet.state();
      expect(await fleet.change({ ...one, after })).toBe('200');
    }
    fleet.catalogue.yank(LIDAR, '1.3.0', 'too loud');
    fleet.catalogue.yank(LIDAR, '1.3.0', null);
    const { sequence: after } = await fleet.state();
    const none = { failed: 0, silent: 0 };
    expect(await fleet.change({ event: 'resume', after, acknowledged: none })).toBe('200');
  });

  it('[T220] of a yanked release, a rollout is neither resumed nor raised; it can be retracted', async () => {
    const fleet = await rollingOut();
    fleet.catalogue.yank(LIDAR, '1.3.0', 'too loud');
    const halted = await fleet.state();
    expect(halted).toMatchObject({ status: 'halted', yanked: 'too loud' });
    const after = halted['sequence'];
    const acknowledged = { failed: 0, silent: 0 };
    const refused =
      '409 acme:lidar 1.3.0: the release is yanked: unyank it first; its rollout stays halted until it is resumed';
    expect(await fleet.change({ event: 'resume', after, acknowledged })).toBe(refused);
    expect(await fleet.change({ event: 'raise', after, percent: 100 })).toBe(refused);
    expect(await fleet.state()).toEqual(halted);
    fleet.catalogue.yank(LIDAR, '1.3.0', null);
    expect(await fleet.change({ event: 'resume', after, acknowledged })).toBe('200');
    fleet.catalogue.yank(LIDAR, '1.3.0', '');
    const { sequence } = await fleet.state();
    expect(await fleet.change({ event: 'retract', after: sequence })).toBe('200');
    expect(await fleet.change({ event: 'raise', after: Number(sequence) + 1 })).toBe(
      '409 acme:lidar 1.3.0: the rollout has ended',
    );
  });

  it('[T220] of a yanked release, a rollout that an earlier modreg resumed takes no step, and can be halted', async () => {
    const fleet = await rollingOut();
    await fleet.turn();
    sql(fleet.catalogue.path, `UPDATE releases SET yanked = '' WHERE version = '1.3.0'`);
    const before = fleet.events.length;
    await fleet.pass(HOUR + MINUTE);
    const { sequence: after, ...state } = await fleet.state();
    expect(state).toMatchObject({ status: 'running', percent: 0.1, yanked: '' });
    expect(fleet.events.slice(before)).toEqual([]);
    expect(await fleet.change({ event: 'halt', after })).toBe('200');
  });
});
