import type { FC } from 'hono/jsx';
import { ROW_STATES } from '../../../core/plan/row-state.ts';
import { excerpt } from '../../../core/text/quote.ts';
import { clockWords } from '../../../site/machine-clock.ts';
import type { ShownMachine, ShownPlacedModule } from '../../../site/machines.ts';
import type { CardRow } from '../../card-row.ts';
import { ModuleCard, ModuleTable, ModuleTableRow, Warnings } from '../../views/module-card.tsx';
import { MOST_CARDS } from '../../views/modules-view.tsx';
import { siteCard } from './site-card.ts';
import { PresenceWord, RetiredWords } from './machines-view.tsx';
import { ServedDocuments } from './served-documents.tsx';
import { versionPath } from './version-types.tsx';
import { WithoutPin } from './without-pin.tsx';
import { WrongClock } from './wrong-clock.tsx';
import { isOffered } from '../../views/signed-in.ts';
import { Ago, At, machinePath } from './site-words.tsx';

/** So many modules of a machine are shown at once. */
const MOST_MODULES = 200;

/** One machine: its modules with what is decided and why, and its last outcomes. */
export const MachineView: FC<{ readonly machine: ShownMachine; readonly now: number }> = ({
  machine,
  now,
}) => (
  <>
    <h1>{machine.id}</h1>
    <Facts machine={machine} now={now} />
    <Links machine={machine} />
    {machine.documents ? <ServedDocuments documents={machine.documents} now={now} /> : null}
    <WithoutPin machine={machine} />
    <WrongClock machine={machine} />
    {machine.retired ? (
      <p class="warning">
        It is <RetiredWords retired={machine.retired} now={now} />: no count has it, and no rollout
        that cannot have reached it, until it reports again.
      </p>
    ) : null}
    {machine.isDuplicate ? <Duplicate id={machine.id} /> : null}
    {machine.missingOutcomes === 0 ? null : (
      <p class="warning">It dropped {machine.missingOutcomes} outcomes before a report.</p>
    )}
    <h2>Modules</h2>
    {machine.modules.length === 0 ? (
      <p>Nothing is reported.</p>
    ) : (
      <Modules machine={machine} now={now} />
    )}
    <h2>Last outcomes</h2>
    {machine.outcomes.length === 0 ? <p>No outcome of an action is known.</p> : null}
    <ol>
      {machine.outcomes.map((outcome) => (
        <Outcome outcome={outcome} now={now} />
      ))}
    </ol>
  </>
);

/** The pages of a machine. */
const Links: FC<{ readonly machine: ShownMachine }> = ({ machine }) => (
  <p class="actions">
    <a href={`${machinePath(machine.id)}/logs`}>Logs</a>
    <a href={`${machinePath(machine.id)}/commands`}>Commands</a>
    <a href={`${machinePath(machine.id)}/documents`}>Documents</a>
    {machine.documents && isOffered('admin') ? (
      <a href={`${machinePath(machine.id)}/edit`}>Edit…</a>
    ) : null}
    <a href={`/changes?machine=${encodeURIComponent(machine.id)}`}>Changes</a>
  </p>
);

const Facts: FC<{ readonly machine: ShownMachine; readonly now: number }> = ({
  machine: { seenAt, heardAt, presence, clock, platform, modreg, group },
  now,
}) => (
  <dl>
    <div>
      <dt>seen</dt>
      <dd>
        <Ago ms={heardAt ?? seenAt} now={now} />
        <PresenceWord presence={presence} />
      </dd>
    </div>
    {heardAt === undefined || heardAt === seenAt ? null : (
      <div>
        <dt>reported</dt>
        <dd>
          <Ago ms={seenAt} now={now} />
        </dd>
      </div>
    )}
    <Clock clock={clock} now={now} />
    <div>
      <dt>platform</dt>
      <dd>{platform ?? 'not reported'}</dd>
    </div>
    {group === undefined ? null : (
      <div>
        <dt>group</dt>
        <dd>{excerpt(group)}</dd>
      </div>
    )}
    <div>
      <dt>modreg</dt>
      <dd>{modreg === undefined ? 'not reported' : excerpt(modreg)}</dd>
    </div>
  </dl>
);

const Clock: FC<Pick<ShownMachine, 'clock'> & { readonly now: number }> = ({ clock, now }) =>
  clock === undefined ? null : (
    <div>
      <dt>clock</dt>
      <dd>{clockWords(clock, now)}</dd>
    </div>
  );

const Duplicate: FC<{ readonly id: string }> = ({ id }) => (
  <section data-problem>
    <p>
      <strong>DUPLICATE_MACHINE</strong> two machines report as {id}, so neither is counted
    </p>
    <p>Give one of them another part_id, and a token for it.</p>
  </section>
);

/** The modules, as the page of the machine shows them (D413). */
const Modules: FC<{ readonly machine: ShownMachine; readonly now: number }> = ({
  machine,
  now,
}) => {
  const { modules } = machine;
  const rows = modules
    .slice(0, MOST_MODULES)
    .map((module) => [module, siteCard(module, machine, now)] as const)
    .toSorted(([, a], [, b]) => ROW_STATES.indexOf(a.state) - ROW_STATES.indexOf(b.state));
  return (
    <>
      {modules.length > MOST_CARDS ? (
        <ModuleTable version="">
          {rows.map(([module, row]) => (
            <Row module={module} machine={machine} row={row} />
          ))}
        </ModuleTable>
      ) : (
        <div id="modules">
          {rows.map(([module, row]) => (
            <ModuleCard row={row}>
              <SiteActions module={module} machine={machine} isDue={row.isChange} />
            </ModuleCard>
          ))}
        </div>
      )}
      {modules.length > MOST_MODULES ? (
        <p>{modules.length - MOST_MODULES} more modules, none of which is shown here.</p>
      ) : null}
      {modules.some(({ refused }) => !refused) ? (
        <p>Why newer releases are refused takes too long, and is not shown for all modules.</p>
      ) : null}
    </>
  );
};

/** One of many modules. */
const Row: FC<{
  readonly module: ShownPlacedModule;
  readonly machine: ShownMachine;
  readonly row: CardRow;
}> = ({ module, machine, row }) => (
  <ModuleTableRow row={row}>
    <Warnings row={row} />
    {isOffered('operator') ? (
      <p class="actions">
        <ChangeLink module={module} machine={machine} />
      </p>
    ) : null}
  </ModuleTableRow>
);

/** What can be done about a module from here, to those who may. */
const SiteActions: FC<{
  readonly module: ShownPlacedModule;
  readonly machine: ShownMachine;
  /** Whether another version is to be deployed. */
  readonly isDue: boolean;
}> = ({ module, machine, isDue }) => {
  const path = machinePath(machine.id);
  const query = `?module=${encodeURIComponent(module.name.toWellFormed())}`;
  if (!isOffered('operator')) return null;
  return (
    <p class="actions">
      <ChangeLink module={module} machine={machine} />
      {isDue ? <a href={`${path}/commands/upgrade${query}`}>Upgrade now…</a> : null}
      <a href={`${path}/commands/restart${query}`}>Restart…</a>
      <a href={`${path}/commands/rollback${query}`}>Roll back…</a>
      <a href={`${path}/commands/hold${query}`}>Hold…</a>
      <a href={`${path}/logs${query}`}>Logs</a>
    </p>
  );
};

/** Leads to the version types of a module that the registry serves. */
const ChangeLink: FC<{ readonly module: ShownPlacedModule; readonly machine: ShownMachine }> = ({
  module: { kind, name },
  machine: { id, documents },
}) => {
  const isServed = documents?.entries.some(
    (entry) => entry.name === name && entry.type === 'registry',
  );
  return kind === 'module' && isServed ? (
    <a href={versionPath(id, name)} aria-label={`Change… ${excerpt(name)}`}>
      Change…
    </a>
  ) : null;
};

const Outcome: FC<{ readonly outcome: ShownMachine['outcomes'][number]; readonly now: number }> = ({
  outcome: { receivedAt, name, direction, from, to, result, reason },
  now,
}) => (
  <li>
    <At ms={receivedAt} now={now} /> <b>{excerpt(name)}</b> {excerpt(direction)}{' '}
    {from === undefined ? null : `${excerpt(from)} `}→ {excerpt(to)}{' '}
    <span class="state" data-state={result === 'withdrawn' ? 'waiting' : result}>
      {result}
    </span>
    {reason === undefined ? null : ` ${excerpt(reason)}`}
  </li>
);
