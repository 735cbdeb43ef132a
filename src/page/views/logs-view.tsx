import type { FC } from 'hono/jsx';
import { SEVERITIES } from '../../logs/log-record.ts';
import { dayOf, timeOf } from '../clock-words.ts';
import type { LogPart, LogQuery, MachineView } from '../paged-machine.ts';

/** The log of the agent and its modules. */
export const LogsView: FC<{
  readonly view: MachineView;
  readonly part: LogPart;
  readonly query: LogQuery;
}> = ({ view, part, query }) => (
  <>
    <h1>Logs</h1>
    <LogFilter view={view} query={query} />
    {part.isThere ? null : <p>No agent has written a log on this machine.</p>}
    {part.dropped === undefined ? null : (
      <p class="warning">
        {part.dropped.count} older lines were dropped for later ones, the newest of them at{' '}
        {timeOf(part.dropped.newestAt, view.timeZone)}
      </p>
    )}
    {part.isThere && part.records.length === 0 ? <p>No line matches.</p> : null}
    <LogLines part={part} timeZone={view.timeZone} />
  </>
);

const LogFilter: FC<{ readonly view: MachineView; readonly query: LogQuery }> = ({
  view,
  query,
}) => (
  <form method="get" action="/logs">
    <p>
      <label>
        module{' '}
        <select name="module">
          <option value="">all</option>
          {view.plan.modules.map(({ name }) => (
            <option value={name} selected={name === query.module}>
              {name}
            </option>
          ))}
        </select>
      </label>{' '}
      <label>
        level{' '}
        <select name="level">
          {SEVERITIES.map((one) => (
            <option value={one} selected={one === query.severity}>
              {one === 'error' ? one : `${one} and above`}
            </option>
          ))}
        </select>
      </label>{' '}
      <button>Show</button>
    </p>
  </form>
);

/** The lines, the oldest first. A script adds those that follow. */
const LogLines: FC<{ readonly part: LogPart; readonly timeZone: string | undefined }> = ({
  part: { records },
  timeZone,
}) => (
  <ol id="log" data-last={`${records.at(-1)?.id ?? 0}`}>
    {records.map(({ at, severity, module, text }) => (
      <li data-severity={severity}>
        <time datetime={new Date(at).toISOString()}>
          {dayOf(at, timeZone)} {timeOf(at, timeZone)}
        </time>{' '}
        <span>{severity}</span> <b>{module ?? 'agent'}</b> <code>{text}</code>
      </li>
    ))}
  </ol>
);
