import type { RecordedHold } from '../../src/core/decision/operator-hold.ts';

/** A hold of the whole machine that an operator set at `from` for `ms` milliseconds. */
export function machineHold({ from, ms }: Readonly<Record<'from' | 'ms', number>>): RecordedHold {
  return {
    of: { kind: 'machine', name: '' },
    by: 'ann',
    because: 'on stage',
    since: from,
    endsAt: undefined,
    longestMs: ms,
    elapsedMs: 0,
    countedAt: from,
  };
}
