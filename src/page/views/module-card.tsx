import type { Child, FC } from 'hono/jsx';
import { describeDuration } from '../../core/text/duration.ts';
import { downloadedWords } from '../../host/downloaded.ts';
import type { CardRow } from '../card-row.ts';
import { ColumnHeads } from './column-heads.tsx';
import { Remedies } from './remedies.tsx';
import { Brief, Timed } from './timed.tsx';

/** The id of the element of a module or subsystem. */
export function rowId({ kind, name }: Pick<CardRow, 'kind' | 'name'>): string {
  return `${kind}-${name}`;
}

/** A module: its state, its versions, and what happens next. Its children are what can be done about it. */
export const ModuleCard: FC<{ readonly row: CardRow; readonly children?: Child }> = ({
  row,
  children,
}) => (
  <article id={rowId(row)}>
    <h2>
      <Name row={row} /> <State row={row} />
    </h2>
    <Headline row={row} />
    <Versions row={row} />
    <Outlook row={row} />
    <Why row={row} />
    {children}
  </article>
);

const Name: FC<{ readonly row: CardRow }> = ({ row: { path, label } }) =>
  path === undefined ? <span>{label}</span> : <a href={path}>{label}</a>;

/** What matters most about a module. */
export const Headline: FC<{ readonly row: CardRow }> = ({ row: { headline, times } }) => (
  <p class="headline">
    <Brief said={headline} times={times} />
  </p>
);

/** What happens next to a module, what stops then, and what it is warned of. */
export const Outlook: FC<{ readonly row: CardRow }> = ({ row }) => (
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
    {row.notes === undefined ? null : (
      <p>
        <a href={row.notes.path}>Release notes of {row.notes.version}</a>
      </p>
    )}
    <Remedies row={row} />
    <Warnings row={row} />
  </>
);

export const Warnings: FC<{ readonly row: CardRow }> = ({ row: { warnings, times } }) =>
  warnings.map((said) => (
    <p class="warning">
      <Timed said={said} times={times} />
    </p>
  ));

/** The complete reason. */
const Why: FC<{ readonly row: CardRow }> = ({ row }) =>
  row.reasons.length === 0 ? null : (
    <details>
      <summary>Why</summary>
      <Reasons row={row} />
    </details>
  );

/** The same, open. */
export const Reasons: FC<{ readonly row: CardRow }> = ({ row: { reasons, times } }) =>
  reasons.map((said) => (
    <p>
      <Timed said={said} times={times} />
    </p>
  ));

const MEGABYTE = 1e6;

/** The process of a module. The script lets its age grow. */
const Running: FC<{ readonly row: CardRow }> = ({ row: { process } }) =>
  process === undefined ? null : (
    <p>
      <small>running</small> for{' '}
      <span data-age={Math.floor(process.ageMs / 1000)}>{describeDuration(process.ageMs)}</span>,
      process {process.pid}, {Math.round(process.memory / MEGABYTE)} MB
    </p>
  );

const Downloaded: FC<{ readonly row: CardRow }> = ({ row: { downloaded } }) =>
  downloaded === undefined ? null : <p>{downloadedWords(downloaded)}</p>;

export const State: FC<{ readonly row: CardRow }> = ({ row: { state } }) => (
  <span class="state" data-state={state}>
    {state}
  </span>
);

/** The deployed version and, if it is another one, the target; then what both depend on. */
export const Versions: FC<{ readonly row: CardRow }> = ({ row }) => (
  <dl class="versions">
    {VERSIONS.filter((name) => isShown(name, row)).map((name) => (
      <div data-target={name === 'target' ? true : undefined}>
        <dt>{name}</dt>
        <dd>{row[name]}</dd>
      </div>
    ))}
  </dl>
);

function isShown(name: (typeof VERSIONS)[number], row: CardRow): boolean {
  return name === 'target' ? row.isChange : row[name] !== undefined;
}

/** `base (needs front-lidar), front-lidar`, in the order in which they stop. */
export function stopWords({ stops }: Pick<CardRow, 'stops'>): string {
  return stops
    .map(({ component, dependsOn: [first] }) =>
      first === undefined ? component : `${component} (needs ${first})`,
    )
    .join(', ');
}

const VERSIONS = ['deployed', 'target', 'constraint', 'latest', 'signatures'] as const;
const COLUMNS = ['module', 'state', ...VERSIONS, 'headline'];

/** Many modules: a row for each. */
export const ModuleTable: FC<{ readonly version: string; readonly children?: Child }> = ({
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

/** Its children are what else is said or can be done there. */
export const ModuleTableRow: FC<{ readonly row: CardRow; readonly children?: Child }> = ({
  row,
  children,
}) => (
  <tr id={rowId(row)}>
    <th scope="row">
      <Name row={row} />
    </th>
    <td>
      <State row={row} />
    </td>
    {VERSIONS.map((name) => (
      <td data-name={name}>{row[name] ?? '-'}</td>
    ))}
    <td>
      <Headline row={row} />
      <Downloaded row={row} />
      {children}
    </td>
  </tr>
);
