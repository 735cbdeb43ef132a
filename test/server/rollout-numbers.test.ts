import { expect, it } from 'vitest';
import { sql } from '../support/backups.ts';
import { rollingFleet, type RollingFleet } from '../support/rolling-fleet.ts';

const NONE = { running: 0, failing: 0, halted: 0, completed: 0, retracted: 0, damaged: 0 };
const MINUTE = 60_000;

/** Five machines, and a rollout whose only machine failed and which was resumed. */
async function resumed(fleet: RollingFleet): Promise<void> {
  await fleet.turn(() => 'fails');
  await fleet.pass(MINUTE);
  const { sequence: after } = await fleet.state();
  const acknowledged = { failed: 1, silent: 0 };
  expect(await fleet.change({ event: 'resume', after, acknowledged })).toBe('200');
}

it.each<[string, (fleet: RollingFleet) => Promise<unknown>, object]>([
  ['runs', async () => await Promise.resolve(), { running: 1 }],
  [
    'was halted',
    async (fleet) => {
      await fleet.turn(() => 'fails');
      await fleet.pass(MINUTE);
    },
    { halted: 1 },
  ],
  ['goes on while the machines of its step fail', resumed, { failing: 1 }],
  [
    'was retracted',
    async (fleet) => {
      const { sequence: after } = await fleet.state();
      expect(await fleet.change({ event: 'retract', after, reason: 'x' })).toBe('200');
    },
    { retracted: 1 },
  ],
  [
    'is damaged',
    async ({ catalogue }) => {
      sql(catalogue.path, "UPDATE rollout_events SET content = 'x'");
      await Promise.resolve();
    },
    { damaged: 1 },
  ],
])('[D210] a rollout that %s counts as that', async (_what, happens, expected) => {
  const fleet = await rollingFleet(5);
  expect(await fleet.publish({ version: '1.3.0', rollout: {} })).toBe('201');
  await happens(fleet);
  expect(await fleet.counted()).toEqual({ ...NONE, ...expected });
});
