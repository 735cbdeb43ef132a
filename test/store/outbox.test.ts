import { describe, expect, it } from 'vitest';
import type { ActionOutcome } from '../../src/store/index.ts';
import type { NewAction, OpenAction } from '../../src/core/plan/committed-action.ts';
import type { AcknowledgementTerms } from '../../src/store/acknowledge.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { moduleId } from '../support/ask.ts';
import { AGENT, ARM, claimed, commitOne, LIDAR, running, upgrade } from '../support/claimed.ts';

type Failed = Extract<ActionOutcome, { kind: 'failed' }>;

const DONE: ActionOutcome = { kind: 'done' };
const RELEASE: Failed = { kind: 'failed', blame: 'release', reason: 'it is hot', running: '1.0.0' };
const MACHINE: Failed = { ...RELEASE, blame: 'machine', reason: 'no power' };
const TERMS = { at: 7, quarantineUntil: 100, retryAt: 50 };

/** `lidar waiting, 0 delivered, 0 failed, not before 0` for each open action. */
function open(state: MachineState): string[] {
  return state.memory().open.map(({ action, state: is, deliveries, failures, notBefore }) => {
    const { name } = action.target;
    return `${name} ${is}, ${deliveries} delivered, ${failures} failed, not before ${notBefore}`;
  });
}

function restarts(state: MachineState, target = LIDAR): { action: string; at: number }[] {
  return state
    .memory()
    .of(target)
    .restarts.map(({ action, at }) => ({ action, at }));
}

function only(state: MachineState): OpenAction[] {
  return state.memory().open.slice(0, 1);
}

/** A machine that had 1.0.0, and the id of its delivered upgrade to 1.1.0. */
function delivered(more: Partial<NewAction> = {}): { state: MachineState; id: string } {
  const { state } = claimed();
  state.report(more.target ?? LIDAR, '1.0.0', 1);
  const { id } = commitOne(state, more);
  state.deliver(id, 5);
  return { state, id };
}

describe('a committed action', () => {
  it('waits, with a unique id', () => {
    const { state, sql } = claimed();
    const committed = state.commit([upgrade({ target: ARM }), upgrade()], [], 1);
    const ids = committed.map(({ id }) => id);
    expect(ids[0]).toMatch(/^[0-9a-f]{12}-1$/);
    expect(ids[1]).toBe(ids[0]?.replace(/1$/, '2'));
    const waiting = { state: 'waiting', notBefore: 0, deliveries: 0, failures: 0 };
    expect(state.memory().open).toEqual([
      { action: { ...upgrade({ target: ARM }), id: ids[0] }, ...waiting },
      { action: { ...upgrade(), id: ids[1] }, ...waiting },
    ]);
    expect(committed).toEqual(state.memory().open.map(({ action }) => action));
    sql.run('DELETE FROM actions');
    expect(commitOne(state).id).toBe(ids[0]?.replace(/1$/, '3'));
    expect(commitOne(claimed().state).id.split('-')[0]).not.toBe(ids[0]?.split('-')[0]);
  });

  it.each([false, true])('is the only open action of its target, delivered %s', (isDelivered) => {
    const { state } = claimed();
    const { id } = commitOne(state);
    if (isDelivered) state.deliver(id, 2);
    const before = state.memory().open;
    const second = () => state.commit([upgrade({ target: ARM }), upgrade()], [], 1);
    expect(second).toThrow('UNIQUE constraint failed: actions.kind, actions.name');
    expect(state.memory().open).toEqual(before);
  });

  it('replaces the superseded action', () => {
    const { state } = claimed();
    const old = commitOne(state);
    const arm = commitOne(state, { target: ARM });
    const [next] = state.commit([upgrade({ to: '1.2.0' })], only(state), 2);
    expect(state.memory().open.map(({ action }) => action)).toEqual([arm, next]);
    expect([state.deliver(old.id, 3), state.acknowledge(old.id, DONE, TERMS)]).toEqual([
      false,
      undefined,
    ]);
  });

  it('can be superseded without a replacement, and is not if the commit throws', () => {
    const { state } = claimed();
    commitOne(state);
    const twice = () => state.commit([upgrade(), upgrade()], only(state), 2);
    expect(twice).toThrow('UNIQUE constraint failed: actions.kind, actions.name');
    expect(open(state)).toEqual(['lidar waiting, 0 delivered, 0 failed, not before 0']);
    expect(state.commit([], only(state), 2)).toEqual([]);
    expect(open(state)).toEqual([]);
  });
});

describe('a delivered action', () => {
  it('is marked as delivered, and can be delivered again', () => {
    const { state } = claimed();
    const { id } = commitOne(state);
    expect(state.deliver(id, 5)).toBe(true);
    expect(open(state)).toEqual(['lidar delivered, 1 delivered, 0 failed, not before 0']);
    expect(state.deliver(id, 9)).toBe(true);
    expect(open(state)).toEqual(['lidar delivered, 2 delivered, 0 failed, not before 0']);
  });

  it('counts as a restart of its target, and of no other', () => {
    const { state, id } = delivered();
    const arm = commitOne(state, { target: ARM });
    expect([restarts(state), restarts(state, ARM)]).toEqual([[{ action: id, at: 5 }], []]);
    state.deliver(arm.id, 6);
    expect([restarts(state), restarts(state, ARM)]).toEqual([
      [{ action: id, at: 5 }],
      [{ action: arm.id, at: 6 }],
    ]);
  });

  it('[I15] is one restart, at the time of its last delivery', () => {
    const { state, id } = delivered();
    state.deliver(id, 9);
    expect(restarts(state).map(({ at }) => at)).toEqual([9]);
  });

  it('is one of the 1440 restarts of its target that are kept', () => {
    const { state, sql } = claimed();
    sql.run(`
      WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 1440)
      INSERT INTO restarts (action, kind, name, at) SELECT n - 2000, 'module', 'lidar', n FROM numbers
      UNION ALL SELECT -3000, 'module', 'arm', 7 UNION ALL SELECT -3001, 'subsystem', 'lidar', 8`);
    state.deliver(commitOne(state).id, 5000);
    const times = restarts(state).map(({ at }) => at);
    expect([times.length, times[0], times.at(-1)]).toEqual([1440, 2, 5000]);
    expect(restarts(state, ARM).map(({ at }) => at)).toEqual([7]);
    expect(sql.get("SELECT at FROM restarts WHERE kind = 'subsystem'")).toEqual({ at: 8 });
  });
});

describe('delivering and acknowledging', () => {
  it.each<[string, (state: MachineState, id: string) => string]>([
    [
      'a superseded action',
      (state) => {
        const other = state.commit([{ ...upgrade(), target: ARM }], [], 6);
        state.commit([], state.memory().open, 7);
        return String(other[0]?.id);
      },
    ],
    [
      'a withdrawn action',
      (state, id) => {
        for (const { action } of only(state)) state.withdraw(action, 6);
        state.report(LIDAR, '1.0.0', 7);
        return id;
      },
    ],
    [
      'a done action',
      (state, id) => {
        state.acknowledge(id, DONE, TERMS);
        return id;
      },
    ],
    [
      'a failed action',
      (state, id) => {
        state.acknowledge(id, RELEASE, TERMS);
        return id;
      },
    ],
    ['an action that was never committed', (_, id) => id.replace(/1$/, '2')],
    ['an action of another file', (_, id) => `${'0'.repeat(12)}${id.slice(12)}`],
    ['an id with a leading zero', (_, id) => id.replace('-1', '-01')],
    ['an id with a suffix', (_, id) => `${id}x`],
    ['an id with a second number', (_, id) => `${id}-1`],
    ['a number without a file', () => '1'],
    ['an empty id', () => ''],
  ])('is refused for %s', (_, made) => {
    const { state, id } = delivered();
    const asked = made(state, id);
    const before = [open(state), restarts(state), running(state)];
    expect(state.deliver(asked, 9)).toBe(false);
    expect(state.acknowledge(asked, RELEASE, { ...TERMS, at: 9 })).toBeUndefined();
    expect([open(state), restarts(state), running(state)]).toEqual(before);
  });
});

it('a failure that is reported later has the digest of the file that was delivered last', () => {
  const { state } = claimed();
  for (const digest of ['sha256:aa', 'sha256:bb', 'sha256:cc']) {
    const { id } = commitOne(state, { artifact: { platform: 'any', digest } });
    // The last one waits for its delivery.
    if (digest === 'sha256:cc') break;
    state.deliver(id, 5);
    state.acknowledge(id, DONE, TERMS);
  }
  const failure = { version: '1.1.0', reason: 'hot', running: '1.1.0' };
  expect(state.reportFailure(LIDAR, failure, TERMS)).toBeUndefined();
  expect(state.memory().quarantine.map(({ digest }) => digest)).toEqual(['sha256:bb']);
});

describe('an acknowledgement', () => {
  it.each<[string, ActionOutcome, string]>([
    ['done', DONE, '1.1.0 after 1.0.0'],
    ['failed, old version deployed', RELEASE, '1.0.0 after nothing'],
    ['failed, new version deployed', { ...RELEASE, running: '1.1.0' }, '1.1.0 after 1.0.0'],
    ['failed, another version deployed', { ...RELEASE, running: '0.9.0' }, '0.9.0 after 1.0.0'],
    ['failed, nothing deployed', { ...RELEASE, running: null }, 'none after 1.0.0'],
    ['failed, version unknown', { ...RELEASE, running: undefined }, 'unknown after 1.0.0'],
    ['machine failed, old version deployed', MACHINE, '1.0.0 after nothing'],
    ['machine failed, nothing deployed', { ...MACHINE, running: null }, 'none after 1.0.0'],
  ])('sets the deployed version: %s', (_, outcome, expected) => {
    const { state, id } = delivered();
    expect(state.acknowledge(id, outcome, TERMS)).toEqual(upgrade());
    expect(running(state)).toBe(expected);
    // A second acknowledgement is ignored.
    const second = { ...RELEASE, running: '3.0.0' };
    expect(state.acknowledge(id, second, TERMS)).toBeUndefined();
    expect(running(state)).toBe(expected);
  });

  it('is refused for an action that was not delivered', () => {
    const { state } = claimed();
    const { id } = commitOne(state);
    expect(state.acknowledge(id, DONE, TERMS)).toBeUndefined();
    expect([running(state), open(state).length]).toEqual(['unknown after nothing', 1]);
  });

  it('of a done action closes it, and keeps its restart', () => {
    const { state, id } = delivered();
    state.acknowledge(id, DONE, TERMS);
    expect([open(state), restarts(state), state.memory().quarantine]).toEqual([
      [],
      [{ action: id, at: 5 }],
      [],
    ]);
  });

  it.each<[Partial<NewAction>, AcknowledgementTerms, object]>([
    [{}, TERMS, { digest: 'sha256:aa', until: 100 }],
    [{ artifact: { platform: 'any' } }, TERMS, { digest: undefined, until: 100 }],
    [
      { artifact: undefined },
      { ...TERMS, quarantineUntil: undefined },
      { digest: undefined, until: undefined },
    ],
    [
      { target: AGENT },
      TERMS,
      { digest: 'sha256:aa', until: 100, moduleId: moduleId('platform:agent') },
    ],
  ])(
    'that blames the release closes the action, and puts the release into quarantine: %o',
    (more, terms, entry) => {
      const { state, id } = delivered(more);
      state.acknowledge(id, RELEASE, terms);
      const entries = [expect.objectContaining({ state: 'failed' })];
      const about = { moduleId: moduleId('acme:lidar'), version: '1.1.0', since: 7, entries };
      const whole = { ...about, reason: 'it is hot', ...entry };
      expect([state.memory().quarantine, open(state)]).toEqual([[whole], []]);
      expect(restarts(state, more.target ?? LIDAR)).toEqual([{ action: id, at: 5 }]);
    },
  );

  it('of a second failure begins the term of the quarantine again', () => {
    const { state, id } = delivered();
    state.acknowledge(id, RELEASE, TERMS);
    const again = commitOne(state);
    state.deliver(again.id, 200);
    state.acknowledge(again.id, RELEASE, { at: 201, quarantineUntil: 300, retryAt: 0 });
    expect(state.memory().quarantine.map(({ since, until }) => [since, until])).toEqual([
      [201, 300],
    ]);
  });

  it('of a failed `pin_url` puts nothing into quarantine', () => {
    const { state, id } = delivered({ to: 'https://a.example/x' });
    state.acknowledge(id, RELEASE, TERMS);
    expect([state.memory().quarantine, open(state)]).toEqual([[], []]);
  });

  it('that blames the machine delays the action, and removes its restart', () => {
    const { state, id } = delivered();
    const arm = commitOne(state, { target: ARM });
    state.deliver(arm.id, 6);
    state.acknowledge(id, MACHINE, TERMS);
    const inHand = 'arm delivered, 1 delivered, 0 failed, not before 0';
    expect(open(state)).toEqual(['lidar waiting, 1 delivered, 1 failed, not before 50', inHand]);
    expect([restarts(state), restarts(state, ARM), state.memory().quarantine]).toEqual([
      [],
      [{ action: arm.id, at: 6 }],
      [],
    ]);
    expect(state.deliver(id, 50)).toBe(true);
    state.acknowledge(id, MACHINE, { ...TERMS, retryAt: 90 });
    expect(open(state)).toEqual(['lidar waiting, 2 delivered, 2 failed, not before 90', inHand]);
  });
});
