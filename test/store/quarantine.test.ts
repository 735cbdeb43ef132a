import { describe, expect, it, onTestFinished } from 'vitest';
import { openMachineFile } from '../../src/store/index.ts';
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

  it('leaves another module under the same name as it is', () => {
    const { state } = claimed();
    state.report(LIDAR, '1.1.0', 1);
    const other = moduleNamed('lidar', 'other:lidar');
    const rolledBack = { from: version('1.1.0'), to: undefined };
    expect(state.rollBack(other, rolledBack, { at: 2, until: undefined })).toBe(false);
    expect(quarantined(state)).toEqual([]);
  });
});

describe('a quarantine', () => {
  const entry = { moduleId: moduleId('acme:lidar'), version: '1.1.0' };
  const failure = { ...entry, digest: 'sha256:aa', since: 1, until: 9, reason: 'hot' };
  const rollback = { ...entry, digest: undefined, since: 2, until: undefined, reason: 'asked' };
  const from = version('1.1.0');
  const [to, refused] = [version('1.0.0'), new Set(['1.1.0', '1.2.0'])];
  const entries = [
    { ...failure, rolledBack: undefined },
    { ...rollback, rolledBack: { from, to, refused } },
    {
      ...rollback,
      since: 3,
      reason: 'again',
      rolledBack: { from, to: undefined, refused: undefined },
    },
    { ...failure, since: 4, until: 8, digest: 'sha256:bb', rolledBack: undefined },
  ];

  it.each(entries.map((one, place) => [place, one] as const))(
    'is replaced as a whole: entry %i',
    (_, last) => {
      const { state } = claimed();
      for (const before of entries) {
        state.quarantine(before);
        state.quarantine(last);
        expect(state.memory().quarantine).toEqual([last]);
      }
    },
  );

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
