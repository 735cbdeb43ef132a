import { describe, expect, it, onTestFinished } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
import type { QuarantineEntry } from '../../src/core/plan/machine-memory.ts';
import { machineStateIn, type MachineState } from '../../src/store/machine-state.ts';
import { moduleId, version } from '../support/ask.ts';
import { ARM, claimed, commitOne, LIDAR, moduleNamed, running } from '../support/claimed.ts';

/** Another process's view of a file: another connection. */
function elsewhere(path: string): MachineState {
  const file = openMachineFile(path);
  onTestFinished(() => file.close());
  return machineStateIn(file);
}

function quarantined(state: MachineState): string[] {
  return state.memory().quarantine.map((entry) => `${entry.moduleId} ${entry.version}`);
}

describe('rolling back', () => {
  it.each<[string, (string | null | undefined)[], boolean]>([
    ['the deployed version', ['1.0.0', '1.1.0'], true],
    ['the previous version', ['1.1.0', '1.0.0'], false],
    ['another build of the deployed version', ['1.1.0+b'], false],
    ['an address', ['https://a.example/x'], false],
    ['if nothing is deployed', ['1.1.0', null], false],
    ['if the deployed version is unknown', ['1.1.0', undefined], false],
    ['if nothing was reported', [], false],
  ])('%s, %j: %s', (_, reported, isDone) => {
    const { state } = claimed();
    for (const one of reported) state.report(LIDAR, one, 1);
    const rolledBack = { from: version('1.1.0'), to: undefined };
    expect(state.rollBack(LIDAR, rolledBack, { at: 2, until: undefined })).toBe(isDone);
    expect(quarantined(state)).toEqual(isDone ? ['acme:lidar 1.1.0'] : []);
  });

  it.each([version('1.0.0'), undefined])('to %o is a quarantine without an end', (to) => {
    const { state, path } = claimed();
    state.report(LIDAR, '1.1.0', 2);
    state.rollBack(LIDAR, { from: version('1.1.0'), to }, { at: 3, until: undefined });
    const entry = {
      moduleId: moduleId('acme:lidar'),
      version: '1.1.0',
      digest: undefined,
      since: 3,
      until: undefined,
      reason: 'rolled back by an operator',
      rolledBack: { from: version('1.1.0'), to },
    };
    const memory = elsewhere(path).memory();
    expect(memory.quarantine).toEqual([entry]);
    expect([LIDAR, ARM].map((target) => memory.of(target).quarantine)).toEqual([[entry], []]);
    expect(running(state)).toBe('1.1.0 after nothing');
  });

  it('replaces an earlier quarantine and its end', () => {
    const { state } = claimed();
    const { id } = commitOne(state);
    state.deliver(id, 1);
    const failed = { kind: 'failed', blame: 'release', running: '1.1.0', reason: 'hot' } as const;
    state.acknowledge(id, failed, { at: 2, quarantineUntil: 100, retryAt: 3 });
    state.rollBack(LIDAR, { from: version('1.1.0'), to: undefined }, { at: 4, until: undefined });
    const entry = { moduleId: moduleId('acme:lidar'), version: '1.1.0', digest: undefined };
    expect(state.memory().quarantine).toEqual([
      {
        ...entry,
        since: 4,
        until: undefined,
        reason: 'rolled back by an operator',
        rolledBack: { from: version('1.1.0'), to: undefined, refused: undefined },
      },
    ]);
  });

  it('replaces an earlier rollback, and the versions that it refused', () => {
    const { state } = claimed();
    rollBack(state);
    const refused = new Set(['1.1.0', '1.2.0']);
    state.rollBack(LIDAR, { ...ROLLED_BACK, refused }, { at: 3, until: 9 });
    expect(state.memory().quarantine).toMatchObject([
      { since: 3, until: 9, rolledBack: { ...ROLLED_BACK, refused } },
    ]);
  });

  it('leaves another module under the same name as it is', () => {
    const { state } = claimed();
    state.report(LIDAR, '1.1.0', 1);
    const other = moduleNamed('lidar', 'other:lidar');
    const rolledBack = { from: version('1.1.0'), to: undefined };
    expect(state.rollBack(other, rolledBack, { at: 2, until: undefined })).toBe(false);
    expect(quarantined(state)).toEqual([]);
  });
});

const ENTRY = { moduleId: moduleId('acme:lidar'), version: '1.1.0' };
const ROLLED_BACK = { from: version('1.1.0'), to: version('1.0.0'), refused: new Set(['1.1.0']) };
const REFUSED = { ...ENTRY, digest: undefined, since: 4, until: 8, reason: 'asked' };

/** Rolls the lidar back from 1.1.0 to 1.0.0, at the time 2. */
function rollBack(state: MachineState, until?: number): QuarantineEntry | undefined {
  state.report(LIDAR, '1.1.0', 1);
  state.rollBack(LIDAR, ROLLED_BACK, { at: 2, until });
  return state.memory().quarantine[0];
}

/** Reports that 1.1.0 failed, at the time 4, and returns its quarantine. */
function failedAt4(
  state: MachineState,
  { until, digest }: { readonly until: number | undefined; readonly digest?: string | undefined },
): QuarantineEntry | undefined {
  const { id } = commitOne(state, { artifact: { platform: 'any', digest } });
  state.deliver(id, 3);
  const outcome = { kind: 'failed', blame: 'release', running: '1.0.0', reason: 'hot' } as const;
  state.acknowledge(id, outcome, { at: 4, quarantineUntil: until, retryAt: 9 });
  return state.memory().quarantine[0];
}

describe('the quarantine of an operator', () => {
  it.each([
    ['an earlier one', { ...REFUSED, since: 1, until: undefined, reason: 'before' }],
    ['a failure', { ...REFUSED, since: 1, until: undefined, digest: 'sha256:aa' }],
  ])('replaces %s as a whole', (_, before) => {
    const { state } = claimed();
    state.quarantine(before);
    expect(state.quarantine(REFUSED)).toBeUndefined();
    expect(state.memory().quarantine).toEqual([{ ...REFUSED, byOperator: true }]);
  });

  it.each([undefined, 5])('[D32] leaves a rollback until %s as it is', (until) => {
    const { state, path } = claimed();
    const rollback = rollBack(elsewhere(path), until);
    expect(rollback?.rolledBack).toEqual(ROLLED_BACK);
    expect(state.quarantine(REFUSED)).toEqual(rollback);
    expect(state.memory().quarantine).toEqual([rollback]);
  });

  it('[D32] replaces a rollback that has ended', () => {
    const { state } = claimed();
    rollBack(state, 4);
    expect(state.quarantine(REFUSED)).toBeUndefined();
    expect(state.memory().quarantine).toEqual([{ ...REFUSED, byOperator: true }]);
  });
});

describe('[D13, T114] the failure of a version that an operator refused', () => {
  it.each([
    ['ends later', 9, { until: 9, reason: 'hot' }],
    ['has no end', undefined, { until: undefined, reason: 'hot' }],
    ['ends earlier', 7, { until: 8, reason: 'asked' }],
  ])('%s: the later end counts, for each file', (_, until, expected) => {
    const { state } = claimed();
    state.quarantine({ ...REFUSED, since: 1 });
    expect(failedAt4(state, { until, digest: 'sha256:aa' })).toEqual({
      ...REFUSED,
      ...expected,
      rolledBack: undefined,
    });
  });

  it('replaces a quarantine that has ended', () => {
    const { state } = claimed();
    const entries = [{ key: 'module lidar', name: 'lidar', state: 'failed', sameAs: undefined }];
    state.quarantine({ ...REFUSED, since: 1, until: 4 });
    const entry = { ...REFUSED, until: 7, digest: 'sha256:aa', reason: 'hot', entries };
    expect(failedAt4(state, { until: 7, digest: 'sha256:aa' })).toEqual({
      ...entry,
      rolledBack: undefined,
    });
  });

  it('replaces an earlier failure of another file', () => {
    const { state } = claimed();
    failedAt4(state, { until: 9, digest: 'sha256:aa' });
    expect(failedAt4(state, { until: 9, digest: 'sha256:bb' })?.digest).toBe('sha256:bb');
  });

  it.each([undefined, 5])('[D32] leaves a rollback until %s as it is', (until) => {
    const { state } = claimed();
    const rollback = rollBack(state, until);
    expect(rollback?.rolledBack).toEqual(ROLLED_BACK);
    expect(failedAt4(state, { until: 9 })).toEqual(rollback);
  });
});

describe('a quarantine', () => {
  const failure = { ...ENTRY, digest: 'sha256:aa', since: 1, until: 9, reason: 'hot' };

  it('is listed after those of the module that began before it', () => {
    const { state } = claimed();
    const terms = [
      ['acme:lidar', '1.2.0', 5],
      ['acme:lidar', '1.1.0', 5],
      ['acme:lidar', '1.3.0', 4],
      ['acme:arm', '9.0.0', 6],
    ] as const;
    for (const [id, text, since] of terms) {
      const other = { ...failure, moduleId: moduleId(id), version: text, since };
      state.quarantine({ ...other, rolledBack: undefined });
    }
    expect(quarantined(state)).toEqual([
      'acme:arm 9.0.0',
      'acme:lidar 1.3.0',
      'acme:lidar 1.1.0',
      'acme:lidar 1.2.0',
    ]);
  });
});

it('lifts one version of one module from quarantine, once', () => {
  const { state } = claimed();
  for (const target of [LIDAR, ARM]) {
    for (const text of ['1.0.0', '1.1.0']) {
      state.report(target, text, 1);
      state.rollBack(target, { from: version(text), to: undefined }, { at: 1, until: undefined });
    }
  }
  const all = ['acme:arm 1.0.0', 'acme:arm 1.1.0', 'acme:lidar 1.0.0', 'acme:lidar 1.1.0'];
  expect(quarantined(state)).toEqual(all);
  expect(state.lift(moduleId('acme:lidar'), '1.2.0')).toBe(false);
  expect(state.lift(moduleId('acme:lidar'), '1.0.0')).toBe(true);
  expect(state.lift(moduleId('acme:lidar'), '1.0.0')).toBe(false);
  expect(quarantined(state)).toEqual(all.toSpliced(2, 1));
});
