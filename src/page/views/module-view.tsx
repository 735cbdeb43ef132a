import type { FC } from 'hono/jsx';
import type { ModuleRow } from '../module-row.ts';
import type { HistoryEntry, MachineView } from '../paged-machine.ts';
import { Actions } from './actions.tsx';
import { Headline, Outlook, Reasons, State, Versions } from './module-card.tsx';
import { Releases } from './releases.tsx';
import { Timeline } from './timeline.tsx';

const RECENT = 20;

/** One module: why each of its releases is selected or refused, what can be done about it, and what was decided before. */
export const ModuleView: FC<{
  readonly row: ModuleRow;
  readonly view: MachineView;
  readonly entries: readonly HistoryEntry[];
}> = ({ row, view: { now, timeZone }, entries }) => {
  const { decision } = row.plan;
  const { resolution } = decision;
  return (
    <>
      <h1>
        {row.label} <State row={row} />
      </h1>
      <Headline row={row} />
      <Versions row={row} />
      <Outlook row={row} />
      <h2>Why</h2>
      <Reasons row={row} />
      <Actions row={row} />
      <p>
        <a href={`/logs?module=${encodeURIComponent(row.name)}`}>Logs</a>{' '}
        {row.kind === 'module' ? (
          <a href={`/edit/remove?name=${encodeURIComponent(row.name)}`}>Remove…</a>
        ) : null}
      </p>
      <h2>Releases</h2>
      {resolution ? (
        <Releases {...{ input: decision.input, resolution, timeZone }} />
      ) : (
        <p>No release list was evaluated.</p>
      )}
      <h2>History</h2>
      {entries.length === 0 ? <p>No decision has been recorded yet.</p> : null}
      <Timeline entries={entries.slice(0, RECENT)} now={now} timeZone={timeZone} />
      {entries.length > RECENT ? (
        <p>
          <a href={`/history?module=${encodeURIComponent(row.name)}`}>
            All {entries.length} decisions
          </a>
        </p>
      ) : null}
    </>
  );
};
