import { expect, it } from 'vitest';
import { claimed, LIDAR, moduleNamed, running, upgrade } from '../support/claimed.ts';

type Reported = string | null | undefined;

/** An upgrade from 1.0.0 to 1.1.0 fails, with `running` reported, and then each of `reports`. */
it.each<[string, Reported, readonly Reported[], string]>([
  ['nothing is deployed', null, [], '1.1.0 failed, 1.0.0 before'],
  ['the version is not known', undefined, [], '1.1.0 failed, 1.0.0 before'],
  ['another version is deployed', '0.9.0', [], '1.1.0 failed, 1.0.0 before'],
  ['the failed version is deployed', '1.1.0', [], '1.1.0 failed, 1.0.0 before'],
  ['the version before it is deployed', '1.0.0', [], 'nothing failed, nothing before'],
  ['then nothing is reported', null, [null, undefined], '1.1.0 failed, 1.0.0 before'],
  ['then the version before it is reported', null, ['1.0.0'], 'nothing failed, nothing before'],
  ['then another version is reported', null, ['1.0.5'], 'nothing failed, 1.0.0 before'],
])('[D37] remembers a release that failed: %s', (_, runs, reports, expected) => {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  const [{ id } = { id: '' }] = state.commit([upgrade()], [], 2);
  state.deliver(id, 3);
  const failed = { kind: 'failed', reason: 'no light', running: runs, blame: 'release' } as const;
  state.acknowledge(id, failed, { at: 4, quarantineUntil: undefined, retryAt: 5 });
  for (const deployed of reports) state.report(LIDAR, deployed, 6);
  const { failed: last, previous } = state.memory().of(LIDAR);
  expect(`${last?.text ?? 'nothing'} failed, ${previous?.text ?? 'nothing'} before`).toBe(expected);
});

it('[D37] a version that failed after it was deployed is not the one before the next', () => {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  state.report(LIDAR, '1.1.0', 2);
  const failure = { version: '1.1.0', reason: 'no light', running: '1.2.0' };
  state.reportFailure(LIDAR, failure, { at: 3, quarantineUntil: undefined });
  expect(running(state)).toBe('1.2.0 after 1.0.0');
});

it('[D38] the failure of an earlier version says nothing of the deployed one', () => {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  state.report(LIDAR, '1.1.0', 2);
  const failure = { version: '1.0.0', reason: 'no light', running: undefined };
  state.reportFailure(LIDAR, failure, { at: 3, quarantineUntil: undefined });
  expect(running(state)).toBe('1.1.0 after 1.0.0');
});

it('[D37] a failed version is not that of another module under the same name', () => {
  const { state } = claimed();
  const failure = { version: '1.1.0', reason: 'no light', running: undefined };
  state.reportFailure(LIDAR, failure, { at: 1, quarantineUntil: undefined });
  expect(state.memory().of(LIDAR).failed?.text).toBe('1.1.0');
  const other = moduleNamed('lidar', 'other:lidar');
  state.report(other, null, 2);
  expect(state.memory().of(other).failed).toBeUndefined();
});

it('[T332] a release that failed before anything was stopped is quarantined, and counts as no restart', () => {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  const [{ id } = { id: '' }] = state.commit([upgrade()], [], 2);
  state.deliver(id, 3);
  expect(state.memory().of(LIDAR).restarts).toHaveLength(1);
  const failure = { reason: 'bad file', running: '1.0.0', restarted: false } as const;
  const outcome = { kind: 'failed', blame: 'release', ...failure } as const;
  state.acknowledge(id, outcome, { at: 4, quarantineUntil: undefined, retryAt: 5 });
  const { quarantine } = state.memory();
  expect([state.memory().of(LIDAR).restarts, quarantine.map(({ version }) => version)]).toEqual([
    [],
    ['1.1.0'],
  ]);
});
