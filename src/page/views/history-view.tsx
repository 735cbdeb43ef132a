import type { FC } from 'hono/jsx';
import type { Result } from '../../core/index.ts';
import type { PageProblem } from '../page-problem.ts';
import type { HistoryEntry, MachineView } from '../paged-machine.ts';
import { Problems } from './modules-view.tsx';
import { Timeline } from './timeline.tsx';

/** The decisions of the past. */
export const HistoryView: FC<{
  /** What is planned, or why nothing can be. */
  readonly view: Result<MachineView, PageProblem[]>;
  readonly entries: readonly HistoryEntry[];
}> = ({ view, entries }) => {
  // Without a plan, times are in UTC, and the lanes end with the newest decision.
  const { now, timeZone } = view.ok
    ? view.value
    : { now: entries[0]?.at ?? 0, timeZone: undefined };
  return (
    <>
      <h1>History</h1>
      {view.ok ? null : <Problems problems={view.error} />}
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
};
