import { describe, expect, it } from 'vitest';
import { rollingFleet, type RollingFleet } from '../support/rolling-fleet.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** Forty machines: 1 to 6 are the group canary, and 7 to 9 the group lab. */
function grouped(): Map<string, string> {
  const lab = [7, 8, 9].map((id) => [`rover-${id}`, 'lab'] as const);
  return new Map([...CANARY.map((id) => [id, 'canary'] as const), ...lab]);
}

const CANARY = [1, 2, 3, 4, 5, 6].map((id) => `rover-${id}`);
const LAB = [7, 8, 9].map((id) => `rover-${id}`);
const FIRST = { version: '1.3.0', rollout: { first: ['canary', 'lab'] } };

async function rollingOut(groups = grouped(), body: object = FIRST): Promise<RollingFleet> {
  const fleet = await rollingFleet(40, 'reported', groups);
  expect(await fleet.publish(body)).toBe('201');
  return fleet;
}

/** The groups and the share that the list shows. */
async function listed(fleet: RollingFleet): Promise<unknown> {
  const { groups, share, percent } = Object((await fleet.listed())['rollout']);
  return { groups, share, percent };
}

describe('a rollout with groups first', () => {
  it('[D107] includes each group for its soak, then the percentages', async () => {
    const fleet = await rollingOut();
    expect(await listed(fleet)).toEqual({ groups: ['canary'], share: 0, percent: 0 });
    await fleet.turn();
    expect(fleet.having('1.3.0')).toEqual(CANARY);
    expect(await fleet.state()).toMatchObject({
      percent: 0,
      share: 0,
      first: ['canary', 'lab'],
      groups: ['canary'],
      included: 6,
      machines: { waiting: 0, installing: 0, healthy: 6, failed: 0, silent: 0 },
      next: { step: 'wait', reason: 'soaking', left_ms: HOUR },
    });
    await fleet.pass(59 * MINUTE);
    expect(await listed(fleet)).toEqual({ groups: ['canary'], share: 0, percent: 0 });
    await fleet.pass(MINUTE);
    expect(await listed(fleet)).toEqual({ groups: ['canary', 'lab'], share: 0, percent: 0 });
    await fleet.turn();
    expect(fleet.having('1.3.0')).toEqual([...CANARY, ...LAB]);
    await fleet.pass(HOUR);
    const { groups, percent } = Object(await listed(fleet));
    expect([groups, percent]).toEqual([['canary', 'lab'], 0.1]);
    await fleet.turn();
    // The first percentage includes a machine that no group does (D52).
    expect(fleet.having('1.3.0')).toHaveLength(10);
    for (let step = 0; step < 6; step++) {
      await fleet.pass(HOUR);
      await fleet.turn();
    }
    expect((await fleet.state())['status']).toBe('completed');
    expect(fleet.having('1.3.0')).toHaveLength(40);
  });

  it('[D107] waits until the group itself is healthy, whatever those before it are', async () => {
    const fleet = await rollingOut();
    await fleet.turn();
    await fleet.pass(HOUR);
    await fleet.turn((id) => (LAB.includes(id) ? 'silent' : 'healthy'));
    await fleet.pass(HOUR);
    expect(await fleet.state()).toMatchObject({
      percent: 0,
      groups: ['canary', 'lab'],
      machines: { healthy: 6, installing: 3 },
      next: { step: 'wait', reason: 'few-healthy', healthy: 0, needed: 3 },
    });
  });

  it('[T401] whose machines are all silent does not go on by itself; a person raises it', async () => {
    const fleet = await rollingOut();
    await fleet.pass(30 * HOUR);
    const before = await fleet.state();
    expect(before).toMatchObject({
      status: 'running',
      groups: ['canary'],
      machines: { waiting: 6, healthy: 0 },
      next: { step: 'wait', reason: 'few-healthy', healthy: 0, needed: 5 },
    });
    expect(await fleet.change({ event: 'raise', after: before['sequence'] })).toBe('200');
    const { sequence: after } = await fleet.state();
    expect(await listed(fleet)).toEqual({ groups: ['canary', 'lab'], share: 0, percent: 0 });
    expect(await fleet.change({ event: 'raise', after })).toBe('200');
    expect((await fleet.state())['percent']).toBe(0.1);
  });

  it('[D107] includes all groups when a person raises it to a percentage', async () => {
    const fleet = await rollingOut();
    const { sequence: after } = await fleet.state();
    expect(await fleet.change({ event: 'raise', after, percent: 5 })).toBe('200');
    const { groups, percent } = Object(await listed(fleet));
    expect([groups, percent]).toEqual([['canary', 'lab'], 5]);
  });

  it('[D107] halts for failures of a group, and is resumed at it', async () => {
    const fleet = await rollingOut();
    await fleet.turn((id) => (id < 'rover-6' ? 'fails' : 'healthy'));
    await fleet.pass(MINUTE);
    const halted = await fleet.state();
    expect(halted).toMatchObject({
      status: 'halted',
      because: '5 of 6 machines failed, lower bound above 1 %',
      groups: ['canary'],
    });
    const { sequence: after } = halted;
    const acknowledged = { failed: 5, silent: 0 };
    expect(await fleet.change({ event: 'resume', after, acknowledged })).toBe('200');
    expect(await listed(fleet)).toEqual({ groups: ['canary'], share: 0, percent: 0 });
  });

  it('[T402] follows a machine that changes its group', async () => {
    const groups = grouped();
    const fleet = await rollingOut(groups);
    groups.set('rover-40', 'canary');
    groups.delete('rover-1');
    groups.set('rover-2', 'lab');
    await fleet.turn();
    const canary = ['rover-3', 'rover-4', 'rover-5', 'rover-6', 'rover-40'];
    expect(fleet.having('1.3.0')).toEqual(canary);
    expect(await fleet.state()).toMatchObject({ included: 5, machines: { healthy: 5 } });
    // One that has it keeps it, and is not counted any more.
    groups.set('rover-3', 'office');
    await fleet.turn();
    expect(fleet.having('1.3.0')).toEqual(canary);
    expect(await fleet.state()).toMatchObject({ included: 4, machines: { healthy: 4 } });
    await fleet.pass(HOUR);
    await fleet.turn();
    expect(fleet.having('1.3.0')).toEqual(['rover-2', ...canary.slice(0, 4), ...LAB, 'rover-40']);
  });

  it.each<[string, ReadonlyMap<string, string>, string]>([
    [
      'one of the groups',
      new Map([
        ['rover-1', 'canary'],
        ['rover-2', 'canary'],
        ['rover-3', 'office'],
      ]),
      '409 no machine that reported is in the group lab; there are canary (2), office (1)',
    ],
    [
      'a group',
      new Map(),
      '409 no machine that reported is in the groups canary, lab; none of them is in a group: name it in the policy or in the credentials file of its machines',
    ],
  ])('[T400] is refused if no machine that reported is in %s', async (_, groups, refusal) => {
    const fleet = await rollingFleet(3, 'reported', groups);
    expect(await fleet.publish(FIRST)).toBe(refusal);
    expect(await fleet.listed()).toEqual({});
    expect(await fleet.publish({ version: '1.3.0', yanked: 'later' })).toBe('201');
    expect(await fleet.change({ event: 'start', first: ['canary', 'lab'] })).toBe(refusal);
    expect((await fleet.listed())['yanked']).toBe('later');
  });

  it('is not published again with other groups', async () => {
    const fleet = await rollingOut();
    expect(await fleet.publish(FIRST)).toBe('200');
    expect(await fleet.publish({ version: '1.3.0', rollout: { first: ['lab'] } })).toBe(
      '409 acme:lidar 1.3.0 already has a rollout with canary, lab first, not with lab first, which does not change',
    );
    expect(await fleet.publish({ version: '1.3.0', rollout: {} })).toBe(
      '409 acme:lidar 1.3.0 already has a rollout with canary, lab first, not with no group first, which does not change',
    );
  });

  it('is not raised twice to the same group', async () => {
    const fleet = await rollingOut();
    const { sequence: after } = await fleet.state();
    expect(await fleet.change({ event: 'raise', after })).toBe('200');
    expect(await fleet.change({ event: 'raise', after })).toBe(
      '409 acme:lidar 1.3.0: the rollout has changed since it was read: read it again',
    );
  });

  it.each([
    [['canary', 'canary'], '/first: names a group twice'],
    [[], '/first: expected at least one group'],
    [
      ['-canary'],
      '/first/0: expected a group, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit',
    ],
    [
      ['a'.repeat(64)],
      '/first/0: expected a group, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit',
    ],
    [Array.from({ length: 17 }, (_, place) => `g${place}`), '/first: expected at most 16 groups'],
  ])('refuses the groups %j', async (first, complaint) => {
    const fleet = await rollingFleet(1, 'reported', new Map([['rover-1', 'canary']]));
    expect(await fleet.change({ event: 'start', first })).toContain(complaint);
  });
});
