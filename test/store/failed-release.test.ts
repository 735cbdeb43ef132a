import { expect, it } from 'vitest';
import { claimed, LIDAR, upgrade } from '../support/claimed.ts';

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
])('[D37] remembers a release that failed: %s', (_, running, reports, expected) => {
  const { state } = claimed();
  state.report(LIDAR, '1.0.0', 1);
  const [{ id } = { id: '' }] = state.commit([upgrade()], [], 2);
  state.deliver(id, 3);
  const failed = { kind: 'failed', reason: 'no light', running, blame: 'release' } as const;
  state.acknowledge(id, failed, { at: 4, quarantineUntil: undefined, retryAt: 5 });
  for (const deployed of reports) state.report(LIDAR, deployed, 6);
  const { failed: last, previous } = state.memory().of(LIDAR);
  expect(`${last?.text ?? 'nothing'} failed, ${previous?.text ?? 'nothing'} before`).toBe(expected);
});
