import type { FC } from 'hono/jsx';
import { excerpt } from '../../../core/text/quote.ts';
import { formatTime } from '../../../core/text/rfc3339.ts';
import { SEVERITIES } from '../../../logs/log-record.ts';
import type { SiteLogs } from '../../../site/stored-logs.ts';
import { dayOf, timeOf } from '../../clock-words.ts';
import type { LogFilter } from '../log-filter.ts';
import { At, machinePath, numberOf } from './site-words.tsx';

type Found = Extract<Awaited<ReturnType<SiteLogs['logs']>>, { readonly ok: true }>['value'];
type Line = Found['lines'][number];

/** Of a line, in characters. The text to download has all of it. */
const LONGEST_LINE = 500;

/** The lines of a machine, or of all, the newest first (D320). */
export const SiteLogsView: FC<{
  readonly found: Found;
  readonly filter: LogFilter;
  readonly now: number;
}> = ({ found: { lines, dropped, next }, filter, now }) => (
  <>
    <h1>{filter.machine === undefined ? 'Logs' : <>Logs of {excerpt(filter.machine)}</>}</h1>
    <Filter filter={filter} />
    {dropped === null ? null : (
      <p class="warning">
        The registry dropped {numberOf(dropped.count)} of its lines for later ones, the newest of{' '}
        <At ms={Date.parse(dropped.until)} now={now} />.
      </p>
    )}
    {lines.length === 0 ? <p>{nothingWords(filter)}</p> : null}
    <ol id="lines">
      {lines.map((line) => (
        <LogLine line={line} isNamed={filter.machine === undefined} now={now} />
      ))}
    </ol>
    <p class="actions">
      {filter.before === undefined ? null : <a href={pathOf(filter)}>Newest lines</a>}
      {next === null ? null : <a href={pathOf({ ...filter, before: next })}>Earlier lines</a>}
      {lines.length === 0 ? null : <a href={pathOf(filter, '.txt')}>Download as text</a>}
      {filter.machine === undefined ? null : (
        <a href={machinePath(filter.machine)}>{excerpt(filter.machine)}</a>
      )}
    </p>
  </>
);

function nothingWords({ machine, before, ...wanted }: LogFilter): string {
  if (before !== undefined) return 'There are no earlier lines.';
  const isSelective = Object.values(wanted).some((one) => one !== undefined);
  const of = machine === undefined ? 'any machine' : excerpt(machine);
  if (isSelective) return `The registry has no such line of ${of}.`;
  return `The registry has no line of ${of}. A machine sends its log if its policy has logs.endpoint.`;
}

/** The address of the lines that match. */
function pathOf(filter: LogFilter, ending: '' | '.txt' = ''): string {
  const { machine, ...asked } = filter;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) query.set(name, `${value}`);
  }
  const path = `${machine === undefined ? '' : machinePath(machine)}/logs${ending}`;
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

const Filter: FC<{ readonly filter: LogFilter }> = ({ filter }) => (
  <form
    method="get"
    action={pathOf({ ...NOTHING, machine: filter.machine })}
    class="search"
    role="search"
    aria-label="Log"
  >
    <label>
      level{' '}
      <select name="level">
        {SEVERITIES.map((one) => (
          <option value={one} selected={one === filter.level}>
            {one === 'error' ? one : `${one} and above`}
          </option>
        ))}
      </select>
    </label>
    <label>
      module <input name="module" value={filter.module} size={16} />
    </label>
    <label>
      text <input name="text" value={filter.text} size={16} />
    </label>
    <label>
      since <input name="since" value={filter.since} size={12} placeholder="-2h" />
    </label>
    <button data-quiet>Show</button>
  </form>
);

const NOTHING: LogFilter = {
  machine: undefined,
  module: undefined,
  level: undefined,
  text: undefined,
  since: undefined,
  before: undefined,
};

/** To the second, in UTC, with the date if it is another day than now. */
const Time: FC<{ readonly ms: number; readonly now: number }> = ({ ms, now }) => {
  const [day, time] = [dayOf(ms, undefined), timeOf(ms, undefined)];
  const text = day === dayOf(now, undefined) ? time : `${day} ${time}`;
  return <time datetime={formatTime(ms)}>{text}</time>;
};

const LogLine: FC<{ readonly line: Line; readonly isNamed: boolean; readonly now: number }> = ({
  line: { at, level, machine, module, text, gap },
  isNamed,
  now,
}) => (
  <li data-severity={level} data-gap={gap}>
    <Time ms={Date.parse(at)} now={now} /> <span>{level}</span>{' '}
    {isNamed ? (
      <>
        <a href={`${machinePath(machine)}/logs`}>{excerpt(machine)}</a>{' '}
      </>
    ) : null}
    {gap ? <em>gap</em> : <b>{excerpt(module ?? 'agent')}</b>}{' '}
    <code>{excerpt(text, LONGEST_LINE)}</code>
  </li>
);
