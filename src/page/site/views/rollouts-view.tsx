import type { FC } from 'hono/jsx';
import { ColumnHeads } from '../../views/column-heads.tsx';
import { excerpt } from '../../../core/text/quote.ts';
import { asPageProblem, type PageProblem } from '../../page-problem.ts';
import { Problems } from '../../views/modules-view.tsx';
import type { RolloutList, ShownRollout } from '../../../site/rollouts.ts';
import { RolloutCard, RolloutFacts, RolloutState } from './rollout-card.tsx';
import { At, modulePath, numberOf, rolloutPath } from './site-words.tsx';

/** The rollouts of a site: those that are running or halted, then those that have ended. */
export const RolloutsView: FC<{ readonly list: RolloutList; readonly now: number }> = ({
  list: { open, ended, endedCount, damaged },
  now,
}) => (
  <>
    <h1>Rollouts</h1>
    {damaged.length === 0 ? null : <Problems problems={damaged.map(asPageProblem)} />}
    {open.length + damaged.length === 0 ? (
      <p>
        No release is in a rollout. <code>modreg registry publish --rollout</code> begins one.
      </p>
    ) : null}
    <div class="rollouts">
      {open.map((rollout) => (
        <RolloutCard rollout={rollout} now={now} />
      ))}
    </div>
    {ended.length === 0 ? null : <Ended ended={ended} count={endedCount} />}
  </>
);

const Ended: FC<{ readonly ended: RolloutList['ended']; readonly count: number }> = ({
  ended,
  count,
}) => (
  <>
    <h2>Ended</h2>
    <table>
      <ColumnHeads of={['release', 'state', 'why']} />
      <tbody>
        {ended.map((one) => (
          <tr>
            <th scope="row">
              <a href={rolloutPath(one)}>
                {one.moduleId} {one.version}
              </a>
            </th>
            <td>
              <RolloutState status={one.status} />
            </td>
            <td>{one.because ? excerpt(one.because) : ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {count > ended.length ? (
      <p>
        {numberOf(count - ended.length)} older ones: <code>modreg rollout status</code>
      </p>
    ) : null}
  </>
);

/** One rollout. */
export const RolloutView: FC<{ readonly rollout: ShownRollout; readonly now: number }> = ({
  rollout,
  now,
}) => (
  <>
    <h1>
      {rollout.moduleId} {rollout.version} <RolloutState status={rollout.status} />
    </h1>
    <RolloutFacts rollout={rollout} now={now} />
    <p>
      Began <At ms={rollout.startedAt} now={now} />. Machines were counted{' '}
      <At ms={rollout.counts.countedAt} now={now} />.{' '}
      <a href={modulePath(rollout.moduleId)}>{rollout.moduleId}</a>
    </p>
  </>
);

/** What was not done, because the rollout has changed (T175), and the rollout as it is now. */
export const ConflictView: FC<{
  readonly problems: readonly PageProblem[];
  readonly rollout: ShownRollout | undefined;
  readonly now: number;
}> = ({ problems, rollout, now }) => (
  <>
    <h1>This was not done</h1>
    <Problems problems={problems} />
    {rollout === undefined ? null : (
      <>
        <p>The rollout as it is now:</p>
        <RolloutCard rollout={rollout} now={now} />
      </>
    )}
  </>
);
