import { expect, it } from 'vitest';
import { rollingFleet, type RollingFleet } from '../support/rolling-fleet.ts';

const MINUTE = 60_000;

/** Five machines, and 1.3.0 at the first step of its rollout, which includes one. */
async function rollingOut(): Promise<RollingFleet> {
  const fleet = await rollingFleet(5);
  expect(await fleet.publish({ version: '1.3.0', rollout: {} })).toBe('201');
  return fleet;
}

/** Raises the rollout by hand to a percentage. */
async function raisedTo(fleet: RollingFleet, percent: number): Promise<void> {
  const { sequence: after } = await fleet.state();
  expect(await fleet.change({ event: 'raise', after, percent })).toBe('200');
}

it('[D156] reaches five machines in steps of 1, 2 and 4, and then all', async () => {
  const fleet = await rollingOut();
  const steps: unknown[] = [];
  for (let step = 0; step < 5; step++) {
    await fleet.turn();
    const { percent, status } = await fleet.state();
    steps.push([percent, fleet.having('1.3.0').length, status]);
    await fleet.pass(60 * MINUTE);
  }
  expect(steps).toEqual([
    [20, 1, 'running'],
    [40, 2, 'running'],
    [80, 4, 'running'],
    [100, 5, 'running'],
    [100, 5, 'completed'],
  ]);
});

it('[D157] halts when the only machine of its first step fails, and shows it in the list', async () => {
  const fleet = await rollingOut();
  await fleet.turn(() => 'fails');
  expect((await fleet.state())['next']).toMatchObject({ step: 'halt', reason: 'failed-step' });
  await fleet.pass(MINUTE);
  expect(await fleet.state()).toMatchObject({
    status: 'halted',
    because: 'the only machine of the step failed',
    percent: 20,
    steps: [40, 80, 100],
  });
  expect(await fleet.rollouts()).toMatchObject([
    { status: 'halted', machines: { failed: 1, healthy: 0 }, next: { reason: 'halted' } },
  ]);
});

it('[D158] is raised over failures only by who has seen them', async () => {
  const fleet = await rollingOut();
  await fleet.turn(() => 'fails');
  await fleet.pass(MINUTE);
  const { sequence } = await fleet.state();
  const acknowledged = { failed: 1, silent: 0 };
  expect(await fleet.change({ event: 'resume', after: sequence, acknowledged })).toBe('200');
  await fleet.pass(60 * MINUTE);
  expect(await fleet.rollouts()).toMatchObject([
    {
      status: 'running',
      percent: 20,
      next: { step: 'wait', reason: 'failing', failed: 1, machines: 1 },
    },
  ]);
  await raisedTo(fleet, 40);
});

it('[D158] is not raised over a failure that was not acknowledged', async () => {
  const fleet = await rollingOut();
  const { sequence: after } = await fleet.state();
  await raisedTo(fleet, 80);
  const behaviours = ['fails', 'fails', 'healthy', 'healthy'] as const;
  let begun = 0;
  await fleet.turn(() => behaviours[begun++] ?? 'healthy');
  const raise = { event: 'raise', after: Number(after) + 1 };
  const refusal =
    '409 acme:lidar 1.3.0: 2 of its machines failed or became silent: look at them, then raise it with --failures 2';
  expect(await fleet.change(raise)).toBe(refusal);
  const fewer = { failed: 1, silent: 0 };
  expect(await fleet.change({ ...raise, acknowledged: fewer })).toBe(refusal);
  expect((await fleet.state())['percent']).toBe(80);
  const all = { failed: 2, silent: 0 };
  expect(await fleet.change({ ...raise, acknowledged: all })).toBe('200');
  expect((await fleet.state())['percent']).toBe(100);
});
