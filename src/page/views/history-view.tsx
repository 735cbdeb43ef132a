import type { FC } from 'hono/jsx';
import type { HistoryEntry, MachineView } from '../paged-machine.ts';
import { Timeline } from './timeline.tsx';

/** The decisions of the past. */
export const HistoryView: FC<{
  readonly view: MachineView;
  readonly entries: readonly HistoryEntry[];
}> = ({ view: { now, timeZone }, entries }) => (
  <>
    <h1>History</h1>
    {entries.length === 0 ? (
      <p>No decision has been recorded yet. Each change of a decision is recorded for 90 days.</p>
    ) : (
      <p>
        The newest {entries.length} changes of decisions, in the time zone {timeZone ?? 'UTC'}.
      </p>
    )}
    <Timeline entries={entries} now={now} timeZone={timeZone} />
  </>
);
