import type { PollerEvent } from '../poller/index.ts';
import type { MachineLife } from './machine-life.ts';

const DAY = 86_400_000;
/** After a start, the first round may be two intervals away, each 10 % longer. */
const QUIET_INTERVALS = 2.5;
const INTERVAL_MS = 60_000;

/** Passes time until nothing happens by itself, and returns the events (D316). */
export async function settled(
  pass: (ms: number) => Promise<readonly PollerEvent[]>,
  { expectPower, open }: Pick<MachineLife, 'expectPower' | 'open'>,
  intervalMs: number = INTERVAL_MS,
): Promise<readonly PollerEvent[]> {
  const all: PollerEvent[] = [];
  for (let passed = 0; passed < DAY; passed += intervalMs * QUIET_INTERVALS) {
    expectPower('settled()', 'restart()');
    const events = await pass(intervalMs * QUIET_INTERVALS);
    all.push(...events);
    if (events.length === 0 && open().length === 0) return all;
  }
  const what = open().map(
    ({ action, state }) => `${action.target.name} to ${action.to} is ${state}`,
  );
  const still =
    what.length > 0 ? what.join(', ') : `the last event is ${all.at(-1)?.kind ?? 'none'}`;
  throw new Error(`settled(): the machine does not settle in a day: ${still}`);
}
