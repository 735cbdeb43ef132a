import { expect, it } from 'vitest';
import { acknowledging } from '../../src/site/remote-rollouts.ts';
import type { RolloutAnswer } from '../../src/site/rollout-answer.ts';

const ROLLOUT: RolloutAnswer = {
  module_id: 'acme:lidar',
  version: '1.3.0',
  status: 'halted',
  sequence: 3,
  percent: 100,
  share: 1,
  because: null,
  soak_ms: 1,
  included: 3,
  machines: { waiting: 0, installing: 0, healthy: 0, failed: 1, silent: 2 },
  failures: [],
  next: { step: 'none' },
};

it.each([
  [3, { event: 'resume', acknowledged: { failed: 1, silent: 2 } }],
  [1, '--failures is 1, but 3 machines failed or became silent'],
  [2, '--failures is 2, but 3 machines failed or became silent'],
])('a rollout is resumed by who saw failed and silent machines: %i of 3', (seen, expected) => {
  const change = acknowledging(seen, { event: 'resume' })(ROLLOUT);
  expect(change.ok ? change.value : change.error.message).toEqual(expected);
});
