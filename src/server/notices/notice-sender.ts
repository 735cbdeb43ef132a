import type { Clock } from '../../registry/clock.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import type { Receivers } from '../notice.ts';
import { receiverName } from '../notice.ts';
import { nextWaiting, removeWaiting, type WaitingNotice } from './notice-table.ts';
import { postNotice, type Answer } from './receiver.ts';

const SHORTEST_MS = 10_000;
const LONGEST_MS = 600_000;
/** A notice that is refused so often is given up. */
const MOST_REFUSALS = 5;
/** A notice that is so old is given up as well, but not before this server has tried it a few times (D217). */
const LONGEST_WAIT_MS = 86_400_000;
const FEWEST_TRIES = 5;

export interface SenderParts {
  readonly fleet: FleetFile;
  readonly receivers: Receivers;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/** Sends what waits for one receiver, one after another, until one is not accepted; then nothing until its back-off has passed. */
export function noticeSender(
  address: URL,
  { fleet, receivers, clock, random }: SenderParts,
): (signal: AbortSignal) => Promise<void> {
  const name = receiverName(address);
  const { origin: to } = address;
  let [failures, tries, refusals, nextAt] = [0, 0, 0, -Infinity];
  const remove = (number: number): void => fleet.write((sql) => removeWaiting(sql, number));
  const waits = (retryMs = 0): void => {
    failures += 1;
    const asked = Math.min(retryMs, LONGEST_MS);
    nextAt = clock.monotonic() + Math.max(asked, backOff(failures, random()));
  };
  const settle = ({ number, at, event }: WaitingNotice, answer: Answer): void => {
    if (answer.kind === 'accepted') {
      // If it cannot be removed, it is not sent again at once.
      waits();
      remove(number);
      [failures, tries, refusals, nextAt] = [0, 0, 0, -Infinity];
      return receivers.onEvent({ kind: 'notice-sent', event, to });
    }
    tries += 1;
    refusals = answer.kind === 'refused' ? refusals + 1 : refusals;
    const end = endOf({ tries, refusals, age: clock.now() - at });
    if (end) {
      remove(number);
      [tries, refusals] = [0, 0];
    }
    waits(answer.kind === 'unavailable' ? answer.retryMs : undefined);
    receivers.onEvent({ kind: end ?? 'notice-failed', event, to, because: answer.why });
  };
  return async (signal) => {
    while (!signal.aborted && clock.monotonic() >= nextAt) {
      const waiting = fleet.read((sql) => nextWaiting(sql, name));
      if (!waiting) return;
      const answer = await postNotice(address, waiting.body, { ...receivers, clock, signal });
      // The registry ends.
      if (!answer) return;
      settle(waiting, answer);
    }
  };
}

/** How a notice is given up; undefined if it is tried again. */
function endOf({
  tries,
  refusals,
  age,
}: {
  readonly tries: number;
  readonly refusals: number;
  readonly age: number;
}): 'notice-refused' | 'notice-expired' | undefined {
  if (refusals >= MOST_REFUSALS) return 'notice-refused';
  return tries >= FEWEST_TRIES && age >= LONGEST_WAIT_MS ? 'notice-expired' : undefined;
}

/** Between half of what doubles with each failure and all of it. */
function backOff(failures: number, random: number): number {
  return (Math.min(LONGEST_MS, SHORTEST_MS * 2 ** (failures - 1)) / 2) * (1 + random);
}
