import type { FC } from 'hono/jsx';
import type { Result } from '../../core/index.ts';
import { SEVERITIES } from '../../logs/log-record.ts';
import { dayOf, timeOf } from '../clock-words.ts';
import type { LogPart, LogQuery } from '../../host/machine-log.ts';
import type { PageProblem } from '../page-problem.ts';
import type { MachineView } from '../paged-machine.ts';
import { Problems } from './modules-view.tsx';

/** The log of the agent and its modules. */
export const LogsView: FC<{
  /** What is planned, or why nothing can be. */
  readonly view: Result<MachineView, PageProblem[]>;
  readonly part: LogPart;
  readonly query: LogQuery;
}> = ({ view, part, query }) => {
  // Without a plan, times are in UTC, and the filter has no modules.
  const timeZone = view.ok ? view.value.timeZone : undefined;
  const names = view.ok ? view.value.plan.modules.map(({ name }) => name) : [];
  return (
    <>
      <h1>Logs</h1>
      {view.ok ? null : <Problems problems={view.error} />}
      <LogFilter names={names} query={query} />
      {part.isThere ? null : <p>No agent has written a log on this machine.</p>}
      {part.dropped === undefined ? null : (
        <p class="warning">
          {part.dropped.count} older lines were dropped for later ones, the newest of them at{' '}
          {timeOf(part.dropped.newestAt, timeZone)}
        </p>
      )}
      {part.isThere && part.records.length === 0 ? <p>No line matches.</p> : null}
      <LogLines part={part} timeZone={timeZone} />
    </>
  );
};

const HOUR_MS = 3_600_000;
const LAST = [
  ['', undefined, 'any'],
  ['1h', HOUR_MS, 'last hour'],
  ['24h', 24 * HOUR_MS, 'last 24 hours'],
] as const;

const LogFilter: FC<{ readonly names: readonly string[]; readonly query: LogQuery }> = ({
  names,
  query,
}) => (
  <form method="get" action="/logs">
    <p>
      <label>
        module{' '}
        <select name="module">
          <option value="">all</option>
          {names.map((name) => (
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
      <LastOption lastMs={query.lastMs} />{' '}
      <label>
        text <input name="text" value={query.text ?? ''} maxlength={200} size={16} />
      </label>{' '}
      <button>Show</button>
    </p>
  </form>
);

const LastOption: FC<{ readonly lastMs: number | undefined }> = ({ lastMs }) => (
  <label>
    time{' '}
    <select name="last">
      {LAST.map(([value, ms, words]) => (
        <option value={value} selected={ms === lastMs}>
          {words}
        </option>
      ))}
    </select>
  </label>
);

/** The lines, the newest first. */
const LogLines: FC<{ readonly part: LogPart; readonly timeZone: string | undefined }> = ({
  part: { records },
  timeZone,
}) => (
  <ol id="log">
    {records.toReversed().map(({ at, severity, module, text }) => (
      <li data-severity={severity}>
        <time datetime={new Date(at).toISOString()}>
          {dayOf(at, timeZone)} {timeOf(at, timeZone)}
        </time>{' '}
        <span>{severity}</span> <b>{module ?? 'agent'}</b> <code>{text}</code>
      </li>
    ))}
  </ol>
);
