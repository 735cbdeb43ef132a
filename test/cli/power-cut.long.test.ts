import { expect, it } from 'vitest';
import { withAgentRegistry } from '../faults/agent-registry.ts';
import { cutPower, recordAgent } from '../faults/cut-power.ts';
import { canTrace } from '../faults/run-traced.ts';
import { needs } from '../support/prerequisite.ts';
import { randomFrom } from '../support/mutate.ts';

it('[T113] a cut of the power loses nothing that a consumer knows, at 30 moments', async (context) => {
  needs(context, canTrace(), 'strace is not installed, or may not be used here');
  const changes = await withAgentRegistry(recordAgent);
  const random = randomFrom(1);
  // `npm run faults -- power-cuts` plays more.
  const cuts = Array.from({ length: 30 }, () => cutPower(changes, random));
  expect(cuts.filter(({ findings }) => findings.length > 0)).toEqual([]);
  expect(changes.length).toBeGreaterThan(100);
});
