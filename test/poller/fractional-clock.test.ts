import { expect, it } from 'vitest';
import { virtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { MINUTE } from '../support/day.ts';
import { promptRegistry, racer, track } from '../support/racing.ts';

it('a clock with fractions of a millisecond polls like one without', async () => {
  const whole = virtualClock();
  const clock: VirtualClock = { ...whole, now: () => whole.now() + 0.25 };
  const registry = promptRegistry(() => 1);
  const on = track();
  const { poller, events, deliveries } = racer(on, {
    clock,
    registries: [registry, registry],
    deployedVersion: ({ kind }) => (kind === 'module' ? '1.0.0' : undefined),
  });
  await clock.pass(3 * MINUTE);
  for (const { done } of deliveries) await done();
  await poller.stop();
  expect(events.map(({ kind }) => kind)).toEqual([
    'observe-only',
    'committed',
    'committed',
    'delivered',
    'delivered',
    'acknowledged',
    'acknowledged',
  ]);
});
