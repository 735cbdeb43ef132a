import { expect, it } from 'vitest';
import type { MachineMemory } from '../../src/core/plan/machine-memory.ts';
import { keyOf } from '../../src/core/plan/target.ts';
import { ActionGate } from '../../src/poller/action-gate.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { BLANK_MEMORY } from '../support/blank-memory.ts';
import { MINUTE, targetNamed } from '../support/day.ts';

const LIDAR = targetNamed('acme_lidar');

/** The memory of an agent that has started five times, and in which the lidar changed after so many minutes. */
function changedAfter(minutes: number): MachineMemory {
  return {
    ...BLANK_MEMORY,
    starts: [1, 2, 3, 4, 5].map((minute) => minute * MINUTE),
    lastChange: { at: minutes * MINUTE, target: LIDAR, version: '1.2.4' },
    isBlank: false,
    of: () => {
      throw new Error('the gate looks at no target');
    },
  };
}

it('[D85] in a crash loop, only the entry of the suspected release has actions, also after its rollback', () => {
  const clock = virtualClock(6 * MINUTE);
  const gate = new ActionGate(
    clock,
    () => undefined,
    () => true,
  );
  // A rollback is a change, too.
  const keys = [0, 6].map((minutes) => gate.onlyTarget(changedAfter(minutes)));
  expect(keys).toEqual([keyOf(LIDAR), keyOf(LIDAR)]);
  clock.set(11 * MINUTE);
  expect(gate.onlyTarget(changedAfter(6))).toBeUndefined();
});
