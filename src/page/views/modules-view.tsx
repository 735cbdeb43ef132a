import { raw } from 'hono/html';
import type { Child, FC } from 'hono/jsx';
import { ROW_STATES } from '../../core/plan/row-state.ts';
import type { ModuleRow } from '../module-row.ts';
import type { PageProblem } from '../page-problem.ts';
import type { MachineView } from '../paged-machine.ts';
import { Actions } from './actions.tsx';
import { ModuleCard, ModuleTable, ModuleTableRow } from './module-card.tsx';

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
        <ModuleTable version={version}>{rows}</ModuleTable>
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
/** More are not read, and each costs the page memory. */
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

/** A module or a subsystem in the list of all. */
export const ModuleItem: FC<{ readonly row: ModuleRow; readonly shape: 'card' | 'row' }> = ({
  row,
  shape,
}) =>
  shape === 'card' ? (
    <ModuleCard row={row}>
      <Actions row={row} />
    </ModuleCard>
  ) : (
    <ModuleTableRow row={row} />
  );
