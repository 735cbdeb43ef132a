import type { FC } from 'hono/jsx';
import { ColumnHeads } from '../../views/column-heads.tsx';
import { Problems } from '../../views/modules-view.tsx';
import { asPageProblem } from '../../page-problem.ts';
import { UNHEARD } from '../../../server/fleet/presence.ts';
import { excerpt } from '../../../core/text/quote.ts';
import type { ListedMachine } from '../../../server/fleet/machine-queries.ts';
import type { SiteTotals } from '../../../server/fleet/site-totals.ts';
import type { WallMachines } from '../../../server/fleet/wall-machines.ts';
import type { MachinePage, PageSearch } from '../../../site/machines.ts';
import type { NextWindows } from '../../../site/next-windows.ts';
import { ModuleWords } from './module-words.tsx';
import { NeedsAttention } from './needs-attention.tsx';
import { NextWindowsView } from './next-windows.tsx';
import { Refusal, UnreportedRows } from './refusing-machines.tsx';
import { PRESENCE, Totals } from './totals.tsx';
import { Ago, At, machinePath, machinesOf, machinesPath, numberOf } from './site-words.tsx';

/** The machines of a site: how many are in which condition, and a page of those that are searched for. */
export const MachinesView: FC<{
  readonly page: MachinePage;
  readonly search: PageSearch;
  /** What needs attention; undefined where machines are searched for. */
  readonly wall: WallMachines | undefined;
  /** The same of what waits for windows. */
  readonly windows: NextWindows | undefined;
  readonly now: number;
}> = ({
  page,
  page: { totals, problems, groups, matching, unreportedOf, next, moduleIds },
  search,
  wall,
  windows,
  now,
}) => (
  <>
    <h1>Machines</h1>
    <Totals totals={totals} />
    <Problems problems={problems.map(asPageProblem)} />
    {wall === undefined || hasNone(totals) ? null : <NeedsAttention wall={wall} now={now} />}
    {windows === undefined ? null : <NextWindowsView windows={windows} now={now} />}
    <Groups groups={groups} />
    {hasNone(totals) ? <NoReports /> : <Search search={search} moduleIds={moduleIds} />}
    {hasNone(totals) ? null : (
      <p>
        {matching + unreportedOf === 0
          ? 'No machine matches.'
          : foundWords(search, matching + unreportedOf)}
      </p>
    )}
    <Found page={page} search={search} now={now} />
    <Paging search={search} next={next} />
  </>
);

function hasNone({ machines, retired, refusing }: SiteTotals): boolean {
  return machines + retired + refusing === 0;
}

function isAny(search: PageSearch): boolean {
  const { module, version } = search;
  return module === undefined && version === undefined && chosenIn(search) === undefined;
}

/** What the form calls the condition. */
function chosenIn({ condition, unheard, isRefusing }: PageSearch): string | undefined {
  return condition ?? unheard?.presence ?? (isRefusing === true ? 'refusing' : undefined);
}

/** Whether all machines are listed. */
export function isForAll(search: PageSearch): boolean {
  return isAny(search) && search.id === undefined && search.group === undefined;
}

function foundWords(search: PageSearch, matching: number): string {
  return isForAll(search)
    ? `${machinesOf(matching)}, by id`
    : `${machinesOf(matching)} match${matching === 1 ? 'es' : ''}`;
}

const NoReports: FC = () => (
  <section data-problem>
    <p>
      <strong>NO_REPORTS</strong> no machine has reported to this registry yet
    </p>
    <p>
      Start the agents with <code>--reports</code> and the address of the registry, or set{' '}
      <code>MODREG_REPORTS</code>. Each needs a token with the scope <code>machine:&lt;id&gt;</code>
      .
    </p>
  </section>
);

/** So many groups are named. */
const MOST_GROUPS = 50;

/** The groups of the machines, each with a link to them. */
const Groups: FC<Pick<MachinePage, 'groups'>> = ({ groups }) =>
  groups.length === 0 ? null : (
    <p>
      <small>groups</small>{' '}
      {groups.slice(0, MOST_GROUPS).map(({ group, machines, seen }, place) => (
        <>
          {place === 0 ? '' : ', '}
          <a href={machinesPath({ group })}>{group}</a> {numberOf(machines)} ({numberOf(seen)} seen
          in 24 h)
        </>
      ))}
      {groups.length > MOST_GROUPS ? ` and ${groups.length - MOST_GROUPS} more` : ''}
    </p>
  );

const Search: FC<{ readonly search: PageSearch; readonly moduleIds: readonly string[] }> = ({
  search,
  search: { id, module, version, group },
  moduleIds,
}) => (
  <form method="get" action="/" role="search" class="search">
    <label>
      id contains <input name="id" value={id} autocomplete="off" spellcheck={false} />
    </label>
    <label>
      module{' '}
      <input
        name="module"
        value={module}
        list="modules-known"
        autocomplete="off"
        spellcheck={false}
      />
    </label>
    <datalist id="modules-known">
      {moduleIds.map((one) => (
        <option value={one} />
      ))}
    </datalist>
    <label>
      deployed version{' '}
      <input name="version" value={version} size={10} autocomplete="off" spellcheck={false} />
    </label>
    {group === undefined ? null : (
      <label>
        group <input name="group" value={group} size={10} autocomplete="off" spellcheck={false} />
      </label>
    )}
    <label>
      condition <ConditionChoice chosen={chosenIn(search)} />
    </label>
    <button>Search</button>
  </form>
);

const ConditionChoice: FC<{ readonly chosen: string | undefined }> = ({ chosen }) => (
  <select name="condition">
    <option value="">any</option>
    {['failing', 'stuck', 'refusing', 'behind', ...UNHEARD, 'wrong clock', 'retired'].map((one) => (
      <option value={one} selected={chosen === one}>
        {one}
      </option>
    ))}
  </select>
);

const Found: FC<{
  readonly page: Pick<MachinePage, 'machines' | 'unreported' | 'unreportedOf'>;
  readonly search: PageSearch;
  readonly now: number;
}> = ({ page: { machines, unreported, unreportedOf }, search, now }) =>
  machines.length + unreported.length === 0 ? null : (
    <table class="machines">
      <ColumnHeads
        of={[
          'machine',
          'seen',
          'modules',
          isAny(search) || search.condition === 'retired' ? 'needs attention' : 'matching modules',
        ]}
      />
      <tbody>
        <UnreportedRows machines={unreported} of={unreportedOf} />
        {machines.map((machine) => (
          <Row machine={machine} now={now} />
        ))}
      </tbody>
    </table>
  );

const Row: FC<{ readonly machine: ListedMachine; readonly now: number }> = ({
  machine: {
    id,
    seenAt,
    heardAt,
    presence,
    modules,
    isDuplicate,
    retired,
    refusal,
    shown,
    shownOf,
  },
  now,
}) => (
  <tr>
    <th scope="row">
      <a href={machinePath(id)}>{id}</a>
    </th>
    <td data-name="seen">
      <Ago ms={heardAt ?? seenAt} now={now} />
      <PresenceWord presence={presence} />
    </td>
    <td data-name="modules">{isDuplicate ? 'two machines have this id' : modules}</td>
    <td class="attention">
      {retired ? (
        <p>
          <RetiredWords retired={retired} now={now} />
        </p>
      ) : null}
      <Refusal refusal={refusal} />
      {shown.map((module) => (
        <p>
          <ModuleWords module={module} />
        </p>
      ))}
      {shownOf > shown.length ? <p>{shownOf - shown.length} more</p> : null}
    </td>
  </tr>
);

/** That a machine is not there, as a word; nothing if it is. */
export const PresenceWord: FC<Pick<ListedMachine, 'presence'>> = ({ presence }) =>
  PRESENCE[presence] === undefined ? null : (
    <>
      {' '}
      <span class="state" data-state={PRESENCE[presence]}>
        {presence}
      </span>
    </>
  );

/** `retired 12:00 UTC by alice`. */
export const RetiredWords: FC<{
  readonly retired: NonNullable<ListedMachine['retired']>;
  readonly now: number;
}> = ({ retired: { at, by }, now }) => (
  <>
    retired <At ms={at} now={now} /> by {excerpt(by)}
  </>
);

const Paging: FC<{ readonly search: PageSearch; readonly next: string | undefined }> = ({
  search,
  next,
}) => {
  const { after, unheard: _unheard, isRefusing: _isRefusing, ...rest } = search;
  const matched = { ...rest, condition: chosenIn(search) };
  if (after === '' && next === undefined) return null;
  return (
    <nav aria-label="Pages of machines" class="paging">
      {after === '' ? null : <a href={machinesPath(matched)}>First page</a>}
      {next === undefined ? null : (
        <a href={machinesPath({ ...matched, after: next })} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
};
