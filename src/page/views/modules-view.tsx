import type { FC } from 'hono/jsx';
import { describeDuration } from '../../core/text/duration.ts';
import { describeTime } from '../../core/text/time-words.ts';
import { moduleRows, ROW_STATES, type ModuleRow } from '../module-row.ts';
import type { MachineView, PageProblem } from '../paged-machine.ts';
import { Actions } from './actions.tsx';

/** So many modules are shown as cards; more are rows of a table. */
const MOST_CARDS = 50;

/** The modules of a machine: what is wrong, what happens next, and how old the data is. */
export const ModulesView: FC<{ readonly view: MachineView }> = ({ view }) => {
  const rows = moduleRows(view);
  return (
    <>
      <h1>Modules</h1>
      <Freshness view={view} />
      <form method="post" action="/look">
        <p id="summary">
          {summaryOf(rows, view)} <button>Check now</button>
        </p>
      </form>
      <Problems problems={view.problems} />
      {rows.length === 0 ? <p>The machine config has no module.</p> : null}
      {rows.length > MOST_CARDS ? <RowTable rows={rows} /> : rows.map((row) => <Card row={row} />)}
    </>
  );
};

/** Whether a process polls, and how old what is shown is. */
const Freshness: FC<{ readonly view: MachineView }> = ({ view }) => (
  <p id="freshness">
    {pollerWords(view)}
    {view.lists === undefined ? null : <> · {view.lists}</>}
  </p>
);

function pollerWords({ state, now, timeZone }: MachineView): string {
  if (!state) return 'no agent has run on this machine yet';
  const { isRunning, lastRound, trouble, crashLoopUntil } = state.poller;
  const head = isRunning ? 'an agent polls' : 'no process polls for this machine';
  const round =
    lastRound === undefined
      ? 'no round was made yet'
      : `last round ${describeDuration(Math.max(0, now - lastRound))} ago`;
  const loop =
    crashLoopUntil === undefined
      ? []
      : [`crash loop: no action until ${describeTime(crashLoopUntil, { now, timeZone })}`];
  return [head, round, ...(trouble === undefined ? [] : [trouble]), ...loop].join('; ');
}

function summaryOf(rows: readonly ModuleRow[], { state, now }: MachineView): string {
  const counts = ROW_STATES.map((one) => {
    return `${rows.filter((row) => row.state === one).length} ${one}`;
  });
  const quarantined = (state?.memory.quarantine ?? []).filter(
    ({ until = Infinity }) => now < until,
  ).length;
  return [...counts, `${quarantined} in quarantine`].join(', ');
}

/** The errors and warnings of a machine, or of what was asked of it. */
export const Problems: FC<{ readonly problems: readonly PageProblem[] }> = ({ problems }) =>
  problems.length === 0 ? null : (
    <ul class="problems">
      {problems.map(({ code, message, because = [], hint }) => (
        <li>
          <strong>{code}</strong> {message}
          {because.map((line) => (
            <p>{line}</p>
          ))}
          {hint === undefined ? null : <p>{hint}</p>}
        </li>
      ))}
    </ul>
  );

/** The address of the page of a module. */
function modulePath({ name }: Pick<ModuleRow, 'name'>): string {
  return `/modules/${encodeURIComponent(name)}`;
}

/** A module: its state, its versions, and what happens next. */
const Card: FC<{ readonly row: ModuleRow }> = ({ row }) => (
  <section class="card" id={`${row.kind}-${row.name}`}>
    <h2>
      <a href={modulePath(row)}>{row.label}</a> <State row={row} />
    </h2>
    <Versions row={row} />
    <p>{row.why}</p>
    {row.nextChange === undefined ? null : <p>next {row.nextChange}</p>}
    {row.stops.length === 0 ? null : <p>stops {stopWords(row)}</p>}
    {row.warnings.map((text) => (
      <p class="warning">{text}</p>
    ))}
    <Actions row={row} />
  </section>
);

export const State: FC<{ readonly row: ModuleRow }> = ({ row: { state } }) => (
  <span class="state" data-state={state}>
    {state}
  </span>
);

export const Versions: FC<{ readonly row: ModuleRow }> = ({ row }) => (
  <dl class="versions">
    {(['constraint', 'deployed', 'target', 'latest'] as const).map((name) => (
      <div>
        <dt>{name}</dt>
        <dd>{row[name]}</dd>
      </div>
    ))}
  </dl>
);

/** `base (needs front-lidar), front-lidar`, in the order in which they stop. */
export function stopWords({ stops }: Pick<ModuleRow, 'stops'>): string {
  return stops
    .map(({ component, dependsOn: [first] }) =>
      first === undefined ? component : `${component} (needs ${first})`,
    )
    .join(', ');
}

const RowTable: FC<{ readonly rows: readonly ModuleRow[] }> = ({ rows }) => (
  <table>
    <thead>
      <tr>
        {['module', 'state', 'constraint', 'deployed', 'target', 'latest', 'why'].map((head) => (
          <th scope="col">{head}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr id={`${row.kind}-${row.name}`}>
          <th scope="row">
            <a href={modulePath(row)}>{row.label}</a>
          </th>
          <td>
            <State row={row} />
          </td>
          <td>{row.constraint}</td>
          <td>{row.deployed}</td>
          <td>{row.target}</td>
          <td>{row.latest}</td>
          <td>{row.why}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
