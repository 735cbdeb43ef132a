import type { FC } from 'hono/jsx';
import { countOf } from '../../../base/count.ts';
import type { RolloutList, ShownRollout } from '../../../site/rollouts.ts';
import { numberOf } from './site-words.tsx';
import { isFailing, RolloutState, stepWords } from './rollout-card.tsx';

const MOST_ROLLOUTS = 3;

/** The rollouts that are running or halted, each with a bar of the machines of its step. */
export const WallRollouts: FC<{ readonly rollouts: RolloutList }> = ({
  rollouts: { open, damaged },
}) => {
  if (open.length + damaged.length === 0) return null;
  const shown = open.toSorted(byUrgency).slice(0, MOST_ROLLOUTS);
  const left = open.length - shown.length;
  return (
    <section class="rollouts" aria-label="Rollouts">
      <ul>
        {shown.map((rollout) => (
          <Rollout rollout={rollout} />
        ))}
      </ul>
      {left === 0 ? null : <p>and {countOf(left, 'more rollout')}</p>}
      {damaged.length === 0 ? null : (
        <p data-state="failing">{countOf(damaged.length, 'rollout')} cannot be read</p>
      )}
    </section>
  );
};

/** Those that are halted come first, then those that fail. */
function byUrgency(one: ShownRollout, other: ShownRollout): number {
  return urgencyOf(other) - urgencyOf(one);
}

function urgencyOf(rollout: ShownRollout): number {
  if (rollout.status === 'halted') return 2;
  return isFailing(rollout) ? 1 : 0;
}

const Rollout: FC<{ readonly rollout: ShownRollout }> = ({ rollout }) => (
  <li>
    <p class="name">
      {rollout.moduleId} {rollout.version}{' '}
      <RolloutState status={rollout.status} hasFailed={isFailing(rollout)} />
    </p>
    <Bar rollout={rollout} />
    <p class="why">
      {stepWords(rollout)}: {tallyWords(rollout)}
    </p>
  </li>
);

const PARTS = [
  ['healthy', 'well', 'healthy'],
  ['failed', 'failing', 'failed'],
  ['silent', 'silent', 'silent'],
  ['installing', 'behind', 'not known yet'],
  ['waiting', undefined, 'waiting'],
] as const;

function tallyWords({ counts: { tally } }: ShownRollout): string {
  const found = PARTS.flatMap(([name, , words]) =>
    tally[name] === 0 ? [] : [`${numberOf(tally[name])} ${words}`],
  );
  return found.length === 0 ? 'none has it' : found.join(', ');
}

/** The machines of the step, in parts of 1000. */
const Bar: FC<{ readonly rollout: ShownRollout }> = ({ rollout: { counts } }) => {
  const all = PARTS.reduce((sum, [name]) => sum + counts.tally[name], 0);
  let x = 0;
  return (
    <svg viewBox="0 0 1000 1" preserveAspectRatio="none" aria-hidden="true">
      {PARTS.map(([name, state]) => {
        const width = all === 0 ? 0 : (1000 * counts.tally[name]) / all;
        const part = <rect x={`${x}`} y="0" width={`${width}`} height="1" data-state={state} />;
        x += width;
        return width === 0 ? null : part;
      })}
    </svg>
  );
};
