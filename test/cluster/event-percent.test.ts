import { expect, it } from 'vitest';
import { decodeEvent } from '../../src/cluster/event.ts';

it.each([
  [0, true],
  [12.5, true],
  [100, true],
  [-0.1, false],
  [100.1, false],
  [2 ** 53, false],
])('an event with a step to %s %% is read: %s (T302)', (percent, isRead) => {
  const common = { after: 1, at: 0, percent, share: 0.5 };
  const release = { moduleId: 'acme:lidar', version: '1.3.0' };
  const raised = { schema: 1, kind: 'rollout', ...release, event: { kind: 'raised', ...common } };
  const start = { kind: 'started', salt: 's', ...common };
  const published = { ...raised, kind: 'rollout', event: start };
  expect([raised, published].map((event) => decodeEvent(JSON.stringify(event)).ok)).toEqual([
    isRead,
    isRead,
  ]);
});
