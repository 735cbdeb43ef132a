import { describe, expect, it } from 'vitest';
import { cohort } from '../../src/core/rollout/cohort.ts';
import { rollingFleet, type RollingFleet } from '../support/rolling-fleet.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const LIDAR = 'acme:lidar' as Parameters<RollingFleet['catalogue']['yank']>[0];
const IN_ROLLOUT = { version: '1.3.0', rollout: {} };

/** A fleet of 40 machines, and 1.3.0 at the first step of its rollout. */
async function rollingOut(count = 40): Promise<RollingFleet> {
  const fleet = await rollingFleet(count);
  expect(await fleet.publish(IN_ROLLOUT)).toBe('201');
  return fleet;
}

/** An hour, in which each machine polls and reports twice. */
async function hour(
  fleet: RollingFleet,
  ...behaviour: Parameters<RollingFleet['turn']>
): Promise<void> {
  await fleet.turn(...behaviour);
  await fleet.pass(30 * MINUTE);
  await fleet.turn(...behaviour);
  await fleet.pass(30 * MINUTE);
}

/** Raises a rollout by hand to a percentage, after the machines of the step before took the release. */
async function raisedTo(fleet: RollingFleet, percent: number): Promise<void> {
  const { sequence } = await fleet.state();
  expect(await fleet.change({ event: 'raise', after: sequence, percent })).toBe('200');
}

describe('a rollout over HTTP', () => {
  it('reaches all machines in steps, and none leaves it (D52, D54)', async () => {
    const fleet = await rollingOut();
    const counts: number[] = [];
    const shares: unknown[] = [];
    for (let step = 0; step < 8; step++) {
      const before = fleet.having('1.3.0');
      await hour(fleet);
      expect(fleet.having('1.3.0')).toEqual(expect.arrayContaining(before));
      counts.push(fleet.having('1.3.0').length);
      shares.push((await fleet.state())['percent']);
    }
    expect(shares).toEqual([5, 20, 50, 100, 100, 100, 100, 100]);
    expect([counts[0], counts.at(-1)]).toEqual([1, 40]);
    expect(counts.toSorted((a, b) => a - b)).toEqual(counts);
    expect((await fleet.state())['status']).toBe('completed');
    expect(await fleet.listed()).not.toHaveProperty('rollout');
  });

  it('begins with the publication: no list has the release without it (D55)', async () => {
    const fleet = await rollingOut();
    expect(await fleet.listed()).toMatchObject({ rollout: { percent: 0.1 } });
    await fleet.turn();
    expect(fleet.having('1.3.0')).toHaveLength(1);
    expect(await fleet.publish(IN_ROLLOUT)).toBe('200');
    expect(await fleet.publish({ version: '1.3.0', rollout: { soak_ms: 2 * HOUR } })).toBe(
      '409 acme:lidar 1.3.0 already has a rollout with a soak of 1 h, not of 2 h, which does not change',
    );
  });

  it('[D80] counts a release that is undecided as failed until it has run for an hour', async () => {
    const fleet = await rollingOut();
    const counts = async (): Promise<unknown[]> => {
      const { failed, healthy } = Object((await fleet.state())['machines']);
      return [failed, healthy];
    };
    await fleet.turn(() => 'is undecided');
    expect(await counts()).toEqual([1, 0]);
    await fleet.turn();
    expect(await counts()).toEqual([1, 0]);
    await fleet.pass(59 * MINUTE);
    await fleet.turn();
    expect(await counts()).toEqual([1, 0]);
    await fleet.pass(MINUTE);
    await fleet.turn();
    expect(await counts()).toEqual([0, 1]);
  });

  it('halts when the release fails, and no further machine installs it (D53)', async () => {
    const fleet = await rollingOut();
    await raisedTo(fleet, 20);
    await hour(fleet, () => 'fails');
    const state = await fleet.state();
    expect(state).toMatchObject({
      status: 'halted',
      percent: 20,
      because: expect.stringMatching(/^\d+ of \d+ machines failed, lower bound above 1 %$/),
      failures: expect.arrayContaining([
        { machine: expect.stringMatching(/^rover-\d+$/), reason: 'motor stalled', counted: true },
      ]),
    });
    const { failed } = Object(state['machines']);
    await hour(fleet);
    expect([fleet.having('1.3.0'), Object((await fleet.state())['machines']).failed]).toEqual([
      [],
      failed,
    ]);
  });

  it('stays halted until a person acknowledges the failures (D53)', async () => {
    const fleet = await rollingOut();
    await raisedTo(fleet, 20);
    await hour(fleet, () => 'fails');
    const { sequence: after, machines } = await fleet.state();
    const { failed } = Object(machines);
    const resume = (count: number): object => ({
      event: 'resume',
      after,
      acknowledged: { failed: count, silent: 0 },
    });
    expect(await fleet.change({ event: 'raise', after })).toBe(
      '409 acme:lidar 1.3.0: the rollout is halted: resume it first',
    );
    expect(await fleet.change(resume(failed - 1))).toBe(
      '409 acme:lidar 1.3.0: fewer failures are acknowledged than those for which it was halted',
    );
    expect(await fleet.change(resume(failed))).toBe('200');
    await fleet.pass(MINUTE);
    expect((await fleet.state())['status']).toBe('running');
  });

  it('is retracted for good; machines keep what they have (D54)', async () => {
    const fleet = await rollingOut();
    await fleet.turn();
    const before = fleet.having('1.3.0');
    const { sequence: after } = await fleet.state();
    expect(await fleet.change({ event: 'retract', after, reason: 'too loud' })).toBe('200');
    await hour(fleet);
    expect(fleet.having('1.3.0')).toEqual(before);
    expect(await fleet.listed()).toMatchObject({
      yanked: null,
      rollout: { halted: 'retracted: too loud' },
    });
    expect(await fleet.state()).toMatchObject({ status: 'retracted', because: 'too loud' });
    const next = Number(after) + 1;
    expect(await fleet.change({ event: 'raise', after: next })).toBe(
      '409 acme:lidar 1.3.0: the rollout has ended',
    );
  });

  it('takes one event for each sequence that a writer saw (D54)', async () => {
    const fleet = await rollingOut();
    const { sequence: after } = await fleet.state();
    expect(await fleet.change({ event: 'halt', after })).toBe('200');
    expect(await fleet.change({ event: 'retract', after })).toBe(
      '409 acme:lidar 1.3.0: the rollout has changed since it was read: read it again',
    );
    expect(await fleet.state()).toMatchObject({ status: 'halted', sequence: Number(after) + 1 });
  });

  it('starts for a yanked release, and for no other that is published (D55)', async () => {
    const fleet = await rollingFleet(5);
    expect(await fleet.publish({ version: '1.3.0' })).toBe('201');
    expect(await fleet.change({ event: 'start' })).toBe(
      '409 acme:lidar 1.3.0: machines could already select it: a rollout begins with the publication, or with a yanked release',
    );
    expect(await fleet.publish(IN_ROLLOUT)).toBe(
      '409 acme:lidar 1.3.0 is already published without a rollout, and machines may have it: yank it, and start its rollout',
    );
    fleet.catalogue.yank(LIDAR, '1.3.0', 'not yet');
    expect(await fleet.change({ event: 'start', soak_ms: HOUR })).toBe('200');
    expect(await fleet.listed()).toMatchObject({ yanked: null, rollout: { percent: 20 } });
    await fleet.turn();
    expect(fleet.having('1.3.0')).toHaveLength(1);
  });

  it('[T240] includes a machine that reports only after the step began, when its hour is over (D52)', async () => {
    const fleet = await rollingFleet(3, 'unheard');
    expect(await fleet.publish(IN_ROLLOUT)).toBe('201');
    await fleet.turn();
    await fleet.pass(59 * MINUTE);
    await fleet.turn();
    // One machine of a thousand is in the first 0.1 %.
    const { salt } = (await fleet.listed())['rollout'] as { readonly salt: string };
    const first = [...fleet.deployed.keys()].filter((id) => cohort(id, salt) < 0.001);
    expect(fleet.having('1.3.0')).toEqual(first);
    await fleet.pass(MINUTE);
    await fleet.turn();
    expect(fleet.having('1.3.0')).toHaveLength(Math.max(1, first.length));
  });
});

it('does not wait for machines for whose platform the release has no artifact (D9)', async () => {
  const fleet = await rollingFleet(12);
  const digest = `sha256:${'ab'.repeat(32)}`;
  const url = 'https://files.example/lidar';
  const elsewhere = [{ platform: 'linux/amd64', url, digest }];
  expect(await fleet.publish({ ...IN_ROLLOUT, artifacts: elsewhere })).toBe('201');
  await raisedTo(fleet, 100);
  expect(await fleet.state()).toMatchObject({
    included: 0,
    machines: { waiting: 0, installing: 0, healthy: 0, failed: 0, silent: 0 },
  });
});

describe('faults of a rollout', () => {
  it('raises nothing while no registry runs (T160)', async () => {
    const fleet = await rollingOut();
    await fleet.turn();
    await fleet.restart(24 * HOUR);
    expect(await fleet.state()).toMatchObject({ percent: 0.1, soaked_ms: 0 });
  });

  it.each([
    ['forward', 48 * HOUR],
    ['backward', -48 * HOUR],
  ])('a clock that jumps %s does not change how long a step lasts (T161)', async (_title, ms) => {
    const fleet = await rollingOut();
    await fleet.turn();
    await fleet.pass(30 * MINUTE);
    await fleet.jump(ms);
    await fleet.turn();
    await fleet.pass(29 * MINUTE);
    expect((await fleet.state())['percent']).toBe(0.1);
    await fleet.pass(MINUTE);
    expect((await fleet.state())['percent']).toBe(5);
  });

  it('a restart of the registry keeps how long a step has lasted (T161)', async () => {
    const fleet = await rollingOut();
    await fleet.turn();
    await fleet.pass(30 * MINUTE);
    await fleet.restart(HOUR);
    expect(await fleet.state()).toMatchObject({ percent: 0.1, soaked_ms: 30 * MINUTE });
    await fleet.turn();
    await fleet.pass(30 * MINUTE);
    expect((await fleet.state())['percent']).toBe(5);
  });

  it('raises nothing without reports (T162)', async () => {
    const fleet = await rollingOut();
    await fleet.pass(3 * HOUR);
    expect(await fleet.state()).toMatchObject({
      percent: 0.1,
      next: { step: 'wait', reason: 'few-healthy', healthy: 0, needed: 1 },
    });
  });

  it('raises nothing if machines become silent with the release (T162)', async () => {
    const fleet = await rollingOut();
    await hour(fleet, () => 'silent');
    for (let hours = 0; hours < 4; hours++) await hour(fleet);
    expect(await fleet.state()).toMatchObject({ percent: 0.1, machines: { silent: 1 } });
  });

  it('a halt during a restart lets it finish (T163)', async () => {
    const fleet = await rollingOut();
    await fleet.turn(() => 'slow');
    const { sequence: after } = await fleet.state();
    expect(await fleet.change({ event: 'halt', after, reason: 'too loud' })).toBe('200');
    await fleet.finish();
    await fleet.turn();
    expect(fleet.having('1.3.0')).toHaveLength(1);
    expect(await fleet.state()).toMatchObject({ status: 'halted', machines: { healthy: 1 } });
  });

  it('a release that is yanked during its rollout ends halted (T164)', async () => {
    const fleet = await rollingOut();
    fleet.catalogue.yank(LIDAR, '1.3.0', 'too loud');
    fleet.catalogue.yank(LIDAR, '1.3.0', null);
    await hour(fleet);
    expect(fleet.having('1.3.0')).toEqual([]);
    expect(await fleet.listed()).toMatchObject({
      yanked: null,
      rollout: { halted: 'yanked: too loud' },
    });
  });
});

describe('a request about a rollout', () => {
  it.each([
    [{}, 'expected an object with event: start, halt, resume, raise or retract'],
    [{ event: 'halt' }, '/after: required'],
    [{ event: 'raise', after: 0, percent: 101 }, '/percent: expected at most 100'],
    [{ event: 'start', soak_ms: -1 }, '/soak_ms: expected 0 or more'],
    [
      { event: 'halt', after: 0, why: 'x' },
      '/why: unknown field; a halt has event, after and reason',
    ],
  ])('%j is refused: %s', async (body, message) => {
    const fleet = await rollingOut(1);
    expect(await fleet.change(body)).toContain(message);
  });
});
