import { applyEvent, type Rollout, type RolloutEvent } from '../../src/core/rollout/rollout.ts';

/** The rollout after all events of a log. An event that must not have been written changes nothing, wherever it is read. */
export function rolloutAfter(events: Iterable<RolloutEvent>): Rollout | undefined {
  let rollout: Rollout | undefined;
  for (const event of events) {
    const applied = applyEvent(rollout, event);
    if (applied.ok) rollout = applied.value;
  }
  return rollout;
}
