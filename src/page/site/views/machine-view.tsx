import type { FC } from 'hono/jsx';
import { ColumnHeads } from '../../views/column-heads.tsx';
import { excerpt } from '../../../core/text/quote.ts';
import type { ShownMachine, ShownPlacedModule } from '../../../site/machines.ts';
import { failingWords } from '../../../site/failing-words.ts';
import { Decision, HELD_LONG, PresenceWord, RetiredWords } from './machines-view.tsx';
import { ServedDocuments } from './served-documents.tsx';
import { versionPath } from './version-types.tsx';
import { WithoutPin } from './without-pin.tsx';
import { isOffered } from '../../views/signed-in.ts';
import { Ago, At, machinePath, modulePath } from './site-words.tsx';

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
    <p class="actions">
      <a href={`${machinePath(machine.id)}/logs`}>Logs</a>
      <a href={`${machinePath(machine.id)}/commands`}>Commands</a>
      <a href={`${machinePath(machine.id)}/documents`}>Documents</a>
      <a href={`/changes?machine=${encodeURIComponent(machine.id)}`}>Changes</a>
    </p>
    {machine.documents ? <ServedDocuments documents={machine.documents} now={now} /> : null}
    <WithoutPin machine={machine} />
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
    {machine.modules.length === 0 ? <p>Nothing is reported.</p> : <Modules machine={machine} />}
    <h2>Last outcomes</h2>
    {machine.outcomes.length === 0 ? <p>No outcome of an action is known.</p> : null}
    <ol>
      {machine.outcomes.map((outcome) => (
        <Outcome outcome={outcome} now={now} />
      ))}
    </ol>
  </>
);

const Facts: FC<{ readonly machine: ShownMachine; readonly now: number }> = ({
  machine: { seenAt, heardAt, presence, platform, modreg, group },
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

const Duplicate: FC<{ readonly id: string }> = ({ id }) => (
  <section data-problem>
    <p>
      <strong>DUPLICATE_MACHINE</strong> two machines report as {id}, so neither is counted
    </p>
    <p>Give one of them another part_id, and a token for it.</p>
  </section>
);

const COLUMNS = ['module', 'decision', 'constraint', 'deployed', 'target', 'why and what stops'];

const Modules: FC<{ readonly machine: ShownMachine }> = ({
  machine: { id, modules, documents },
}) => (
  <>
    <table>
      <ColumnHeads of={COLUMNS} />
      <tbody>
        {modules.slice(0, MOST_MODULES).map((module) => (
          <ModuleRow module={module} machine={documents && id} />
        ))}
      </tbody>
    </table>
    {modules.length > MOST_MODULES ? (
      <p>{modules.length - MOST_MODULES} more modules, none of which is shown here.</p>
    ) : null}
    {modules.some(({ refused }) => !refused) ? (
      <p>Why newer releases are refused takes too long, and is not shown for all modules.</p>
    ) : null}
  </>
);

/** Of what is said of newer releases, in characters. */
const LONGEST_WORDS = 600;

const ModuleRow: FC<{
  readonly module: ShownPlacedModule;
  /** The machine if its versions can be changed here. */
  readonly machine: string | undefined;
}> = ({
  machine,
  module: {
    name,
    kind,
    moduleId,
    constraint,
    deployed,
    target,
    decision,
    isHeldLong,
    reason,
    stops,
    refused,
    failing,
  },
}) => (
  <tr>
    <th scope="row">
      {kind === 'module' ? <a href={modulePath(moduleId)}>{moduleId}</a> : excerpt(name)}
      {kind === 'module' && name !== moduleId.replace(':', '_') ? ` (${excerpt(name)})` : ''}
    </th>
    <td>
      <Decision decision={decision} failing={failing} />
      {isHeldLong ? HELD_LONG : null}
    </td>
    <td data-name="constraint">
      <Constraint machine={kind === 'module' ? machine : undefined} {...{ name, constraint }} />
    </td>
    <td data-name="deployed">{excerpt(deployed)}</td>
    <td data-name="target">{excerpt(target ?? '-')}</td>
    <td>
      {failing === undefined ? null : <p>{failingWords(failing)}</p>}
      <Reasons reason={reason} refused={refused} stops={stops} />
    </td>
  </tr>
);

/** The constraint; if it can be changed here, the link to its version types. */
const Constraint: FC<{
  readonly machine: string | undefined;
  readonly name: string;
  readonly constraint: string | undefined;
}> = ({ machine, name, constraint = '-' }) => {
  const text = excerpt(constraint);
  if (machine === undefined || !isOffered('operator')) return <>{text}</>;
  const label = `${text}: change the version of ${excerpt(name)}`;
  return (
    <a href={versionPath(machine, name)} aria-label={label}>
      {text}
    </a>
  );
};

const Reasons: FC<Pick<ShownPlacedModule, 'reason' | 'refused' | 'stops'>> = ({
  reason,
  refused,
  stops,
}) => (
  <>
    {reason === undefined ? null : `${excerpt(reason)} `}
    {refused?.newer === undefined ? null : (
      <>
        <small>newer</small> {excerpt(refused.newer, LONGEST_WORDS)}{' '}
      </>
    )}
    {stops.length === 0 ? null : (
      <>
        <small>a restart stops</small> {excerpt(stops.join(', '))}
      </>
    )}
    {refused?.warnings.map((one) => (
      <p class="warning">{excerpt(one, LONGEST_WORDS)}</p>
    ))}
  </>
);

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
