import { raw } from 'hono/html';
import type { Child, FC } from 'hono/jsx';
import { replacementOf } from '../../core/decision/decision.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { ColumnHeads } from './column-heads.tsx';
import { ROW_STATES } from '../../core/plan/row-state.ts';
import type { ModuleRow } from '../module-row.ts';
import type { PageProblem } from '../page-problem.ts';
import type { MachineView } from '../paged-machine.ts';
import { Actions } from './actions.tsx';
import { downloadedWords } from '../../host/downloaded.ts';
import { failureWords } from '../../core/plan/open-action-words.ts';
import { Remedies } from './remedies.tsx';
import { Brief, Timed } from './timed.tsx';

/** What the page of all modules shows and a feed changes: the HTML of elements by their id. */
export interface Shown {
  readonly parts: ReadonlyMap<string, string>;
  /** The ids of the rows, in their order. */
  readonly order: readonly string[];
  readonly shape: 'card' | 'row';
  /** Equal for equal rows. */
  readonly version: string;
}

/** So many modules are shown as cards; more are rows of a table. */
export const MOST_CARDS = 50;

/** The modules of a machine: what is wrong, what happens next, and how old the data is. */
export const ModulesView: FC<{ readonly shown: Shown }> = ({
  shown: { parts, order, shape, version },
}) => {
  const part = (id: string): Child => raw(parts.get(id) ?? '');
  const rows = order.map((id) => part(id));
  return (
    <>
      <h1>Modules</h1>
      <form method="post" action="/look">
        {part('freshness')}
        <button>Check now</button>
      </form>
      {part('summary')}
      {part('problems')}
      {rows.length === 0 ? <p>The machine config has no module.</p> : null}
      {shape === 'row' ? (
        <RowTable version={version}>{rows}</RowTable>
      ) : (
        <div id="modules" data-version={version}>
          {rows}
        </div>
      )}
    </>
  );
};

/** How many modules are in each state. */
export const Summary: FC<{ readonly view: MachineView; readonly rows: readonly ModuleRow[] }> = ({
  view: { state, now },
  rows,
}) => {
  const { length: quarantined } = (state?.memory.quarantine ?? []).filter(
    ({ until = Infinity }) => now < until,
  );
  const counts = [
    ...ROW_STATES.map((one) => [one, rows.filter(({ state: of }) => of === one).length] as const),
    ['in quarantine', quarantined] as const,
    ['held', state?.holds.length ?? 0] as const,
  ];
  return (
    <ul id="summary">
      {counts
        .filter(([, count]) => count > 0)
        .map(([name, count]) => (
          <li data-state={name}>
            <b>{count}</b> {count === 1 ? name : name.replace('needs', 'need')}
          </li>
        ))}
    </ul>
  );
};

/** So many problems are shown at once. */
const FIRST_PROBLEMS = 3;
/** Nobody reads more, and each costs the page memory. */
const MOST_PROBLEMS = 100;

/** The errors and warnings of a machine, or of what was asked of it. */
export const Problems: FC<{ readonly problems: readonly PageProblem[] }> = ({ problems }) => {
  const more = problems.slice(FIRST_PROBLEMS);
  const left = problems.length - MOST_PROBLEMS;
  return (
    <div id="problems">
      {problems.slice(0, FIRST_PROBLEMS).map((problem) => (
        <Problem problem={problem} />
      ))}
      {more.length === 0 ? null : (
        <details>
          <summary>{more.length} more</summary>
          {more.slice(0, MOST_PROBLEMS - FIRST_PROBLEMS).map((problem) => (
            <Problem problem={problem} />
          ))}
          {left > 0 ? <p>{left} more are left out; modreg plan shows all of them.</p> : null}
        </details>
      )}
    </div>
  );
};

const Problem: FC<{ readonly problem: PageProblem }> = ({
  problem: { code, message, because = [], hint },
}) => (
  <section data-problem>
    <p>
      <strong>{code}</strong> {message}
    </p>
    {[...because, ...(hint === undefined ? [] : [hint])].map((line) => (
      <p>{line}</p>
    ))}
  </section>
);

/** The address of the page of a module. */
function modulePath({ name }: Pick<ModuleRow, 'name'>): string {
  return `/modules/${encodeURIComponent(name)}`;
}

/** The id of the element of a module or subsystem. */
export function rowId({ kind, name }: Pick<ModuleRow, 'kind' | 'name'>): string {
  return `${kind}-${name}`;
}

/** A module or a subsystem in the list of all. */
export const ModuleItem: FC<{ readonly row: ModuleRow; readonly shape: 'card' | 'row' }> = ({
  row,
  shape,
}) => (shape === 'card' ? <Card row={row} /> : <TableRow row={row} />);

/** A module: its state, its versions, and what happens next. */
const Card: FC<{ readonly row: ModuleRow }> = ({ row }) => (
  <article id={rowId(row)}>
    <h2>
      <a href={modulePath(row)}>{row.label}</a> <State row={row} />
    </h2>
    <Headline row={row} />
    <Versions row={row} />
    <Outlook row={row} />
    <Why row={row} />
    <Actions row={row} />
  </article>
);

/** What matters most about a module. */
export const Headline: FC<{ readonly row: ModuleRow }> = ({ row: { headline, times } }) => (
  <p class="headline">
    <Brief said={headline} times={times} />
  </p>
);

/** What happens next to a module, what stops then, and what it is warned of. */
export const Outlook: FC<{ readonly row: ModuleRow }> = ({ row }) => (
  <>
    {row.nextChange === undefined || row.state === 'in progress' ? null : (
      <p>
        <small>next</small> <Timed said={row.nextChange} times={row.times} />
      </p>
    )}
    <Downloaded row={row} />
    <Running row={row} />
    {row.stops.length === 0 ? null : (
      <p>
        <small>stops</small> {stopWords(row)}
      </p>
    )}
    <Remedies row={row} />
    {row.warnings.map((said) => (
      <p class="warning">
        <Timed said={said} times={row.times} />
      </p>
    ))}
  </>
);

/** The complete reason. */
const Why: FC<{ readonly row: ModuleRow }> = ({ row }) => (
  <details>
    <summary>Why</summary>
    <Reasons row={row} />
  </details>
);

/** The same, open. While an action is carried out, why it is; what would be decided otherwise does not matter then. */
export const Reasons: FC<{ readonly row: ModuleRow }> = ({
  row: { why, state, open, times, details },
}) => {
  const reason = open?.action.reason;
  const now = state === 'in progress' && reason ? (reason.words ?? reason.text) : why;
  return [failureWords(open), now, ...details].map((said) =>
    said === undefined ? null : (
      <p>
        <Timed said={said} times={times} />
      </p>
    ),
  );
};

const MEGABYTE = 1e6;

/** The process of a module. The script lets its age grow. */
const Running: FC<{ readonly row: ModuleRow }> = ({ row: { process } }) =>
  process === undefined ? null : (
    <p>
      <small>running</small> for{' '}
      <span data-age={Math.floor(process.ageMs / 1000)}>{describeDuration(process.ageMs)}</span>,
      process {process.pid}, {Math.round(process.memory / MEGABYTE)} MB
    </p>
  );

const Downloaded: FC<{ readonly row: ModuleRow }> = ({ row: { downloaded } }) =>
  downloaded === undefined ? null : <p>{downloadedWords(downloaded)}</p>;

export const State: FC<{ readonly row: ModuleRow }> = ({ row: { state } }) => (
  <span class="state" data-state={state}>
    {state}
  </span>
);

/** The deployed version and, if it is another one, the target; then what both depend on. */
export const Versions: FC<{ readonly row: ModuleRow }> = ({ row }) => (
  <dl class="versions">
    {VERSIONS.filter((name) => name !== 'target' || isChange(row)).map((name) => (
      <div data-target={name === 'target' ? true : undefined}>
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

function isChange({ plan: { decision }, target, deployed }: ModuleRow): boolean {
  return replacementOf(decision) !== undefined && target !== deployed;
}

const VERSIONS = ['deployed', 'target', 'constraint', 'latest', 'signatures'] as const;
const COLUMNS = ['module', 'state', ...VERSIONS, 'headline'];

const RowTable: FC<{ readonly version: string; readonly children?: Child }> = ({
  version,
  children,
}) => (
  <table>
    <ColumnHeads of={COLUMNS} />
    <tbody id="modules" data-version={version}>
      {children}
    </tbody>
  </table>
);

const TableRow: FC<{ readonly row: ModuleRow }> = ({ row }) => (
  <tr id={rowId(row)}>
    <th scope="row">
      <a href={modulePath(row)}>{row.label}</a>
    </th>
    <td>
      <State row={row} />
    </td>
    {VERSIONS.map((name) => (
      <td data-name={name}>{row[name]}</td>
    ))}
    <td>
      <Headline row={row} />
      <Downloaded row={row} />
    </td>
  </tr>
);
