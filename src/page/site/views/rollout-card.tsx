import type { FC } from 'hono/jsx';
import { ROLLOUT_POLICY } from '../../../core/rollout/rollout-policy.ts';
import { isOpen } from '../../../core/rollout/rollout.ts';
import { describeStage, newestGroup } from '../../../core/rollout/stage.ts';
import { describeDuration } from '../../../core/text/duration.ts';
import { excerpt, quote } from '../../../core/text/quote.ts';
import type { Failures, ShownRollout } from '../../../site/rollouts.ts';
import type { RolloutChange } from '../../../server/rollout/rollout-change.ts';
import { possibleChanges } from '../possible-changes.ts';
import { isOffered } from '../../views/signed-in.ts';
import { At, machinePath, machinesOf, numberOf, rolloutPath } from './site-words.tsx';

const { highestRate, fewestFailures } = ROLLOUT_POLICY;

const STATES: Readonly<Record<ShownRollout['status'], string>> = {
  running: 'due',
  halted: 'stuck',
  completed: 'settled',
  retracted: 'waiting',
};

/** The state of a rollout as a word. */
export const RolloutState: FC<{
  readonly status: ShownRollout['status'];
  readonly hasFailed?: boolean;
}> = ({ status, hasFailed = false }) => (
  <span class="state" data-state={hasFailed ? 'stuck' : STATES[status]}>
    {hasFailed ? 'failing' : status}
  </span>
);

/** Whether each machine of its last step that reported an outcome has failed (D157). */
export function isFailing({ counts: { next } }: ShownRollout): boolean {
  return next.kind === 'wait' && next.because.reason === 'failing';
}

/** A rollout: its step, its machines, what happens next, and what can be done. */
export const RolloutCard: FC<{ readonly rollout: ShownRollout; readonly now: number }> = ({
  rollout,
  now,
}) => (
  <article>
    <h2>
      <a href={rolloutPath(rollout)}>
        {rollout.moduleId} {rollout.version}
      </a>{' '}
      <RolloutState status={rollout.status} hasFailed={isFailing(rollout)} />
    </h2>
    <RolloutFacts rollout={rollout} now={now} />
  </article>
);

export const RolloutFacts: FC<{ readonly rollout: ShownRollout; readonly now: number }> = ({
  rollout,
  now,
}) => (
  <>
    <p>
      {stepWords(rollout)}
      {rollout.because ? `: ${excerpt(rollout.because)}` : ''}
    </p>
    {rollout.yanked === undefined ? null : (
      <p>
        The release is yanked{rollout.yanked ? `: ${excerpt(rollout.yanked)}` : ''}.
        {isOpen(rollout) ? ' Its rollout goes on only after modreg registry unyank.' : ''}
      </p>
    )}
    <Counts rollout={rollout} />
    <Next rollout={rollout} now={now} />
    <FailureList failures={rollout.failures} />
    <RolloutActions rollout={rollout} />
  </>
);

/** `group canary, 1 of 2 groups`, or `5 %, 3 machines`. */
export function stepWords(rollout: ShownRollout): string {
  const { status, percent, first, groups, counts } = rollout;
  if (status === 'completed') return 'All machines may install it';
  if (newestGroup(rollout) !== undefined) {
    return `${describeStage(rollout)}, ${groups.length} of ${first.length} groups`;
  }
  return `${percent} %, ${machinesOf(counts.included)}`;
}

/** How many machines of the share have it. */
export function installedIn({ counts: { tally } }: ShownRollout): number {
  return tally.healthy + tally.failed + tally.silent + tally.installing;
}

const Counts: FC<{ readonly rollout: ShownRollout }> = ({ rollout }) => {
  const { healthy, failed, silent, installing, waiting } = rollout.counts.tally;
  const { retrying } = rollout.counts;
  const counts: [string, number, string | undefined][] = [
    ['installed', installedIn(rollout), undefined],
    ['healthy', healthy, 'settled'],
    ['failed', failed, 'failed'],
    ['silent', silent, 'waiting'],
    ['not known yet', installing, undefined],
    ['waiting', waiting, undefined],
    ...(retrying === 0 ? [] : [['trying again', retrying, 'failed'] as [string, number, string]]),
  ];
  return (
    <dl class="counts">
      {counts.map(([name, count, state]) => (
        <div>
          <dt>{name}</dt>
          <dd data-count={count === 0 ? undefined : state}>{numberOf(count)}</dd>
        </div>
      ))}
    </dl>
  );
};

/** What happens next, and when; then what would halt it. */
const Next: FC<{ readonly rollout: ShownRollout; readonly now: number }> = ({ rollout, now }) => {
  const { status } = rollout;
  if (status === 'halted') {
    return <p>No further machine installs it until a person resumes or retracts it.</p>;
  }
  if (status !== 'running') return null;
  return (
    <>
      <p>
        <small>next</small> <NextStepWords rollout={rollout} now={now} />
      </p>
      <p>
        <small>halts</small> {HALT_RULE}
      </p>
    </>
  );
};

const HALT_RULE = `when at least ${fewestFailures} machines failed and the failure rate's lower bound exceeds ${highestRate * 100} %, or all machines of a step failed`;

const NextStepWords: FC<{ readonly rollout: ShownRollout; readonly now: number }> = ({
  rollout: { counts, soakMs, first },
  now,
}) => {
  const { next, soakedMs, countedAt } = counts;
  const left = Math.max(0, soakMs - soakedMs);
  switch (next.kind) {
    case 'raise':
      return (
        <>
          {describeStage({ percent: next.percent, groups: first.slice(0, next.groups) })}, in some
          seconds
        </>
      );
    case 'complete':
      return <>it is completed, in some seconds</>;
    case 'halt':
      return <>it halts, in some seconds</>;
    case 'wait':
      return <WaitWords because={next.because} soak={{ left, at: countedAt + left, now }} />;
  }
};

type Wait = Extract<ShownRollout['counts']['next'], { readonly kind: 'wait' }>;

const WaitWords: FC<
  Pick<Wait, 'because'> & { readonly soak: { left: number; at: number; now: number } }
> = ({ because, soak }) => {
  if (because.reason === 'soaking') {
    return (
      <>
        step <At ms={soak.at} now={soak.now} /> at the earliest, in {describeDuration(soak.left)}
      </>
    );
  }
  if (because.reason === 'failing') {
    return (
      <>
        nothing by itself: {numberOf(because.failed)} of {machinesOf(because.machines)} of the step
        failed, and none is healthy
      </>
    );
  }
  if (because.reason !== 'few-healthy') return <>nothing</>;
  return (
    <>
      step when {numberOf(because.needed)} machines are healthy, now {numberOf(because.healthy)}
    </>
  );
};

/** So many machines of a reason are named. */
const MOST_NAMED = 3;

const FailureList: FC<{ readonly failures: readonly Failures[] }> = ({ failures }) =>
  failures.length === 0 ? null : (
    <>
      {failures.map(({ reason, machines, isCounted }) => (
        <p>
          <small>{isCounted ? 'failed' : 'failed outside of the step'}</small> {quote(reason)} on{' '}
          {machines.slice(0, MOST_NAMED).map((id, place) => (
            <>
              {place === 0 ? '' : ', '}
              <a href={machinePath(id)}>{id}</a>
            </>
          ))}
          {machines.length > MOST_NAMED ? ` and ${machines.length - MOST_NAMED} more` : ''}
        </p>
      ))}
    </>
  );

const LINKS: Readonly<Record<RolloutChange['event'], string>> = {
  halt: 'Halt…',
  raise: 'Raise now…',
  resume: 'Resume…',
  retract: 'Retract…',
};

/** Links to what can be done. Each leads to a page that says what it does. */
const RolloutActions: FC<{ readonly rollout: ShownRollout }> = ({ rollout }) => {
  const actions = isOffered('admin') ? possibleChanges(rollout) : [];
  if (actions.length === 0) return null;
  const path = rolloutPath(rollout);
  const name = ` ${rollout.moduleId} ${rollout.version}`;
  return (
    <p class="actions">
      {actions.map((action) => (
        <>
          <a href={`${path}/${action}`} aria-label={`${LINKS[action]}${name}`}>
            {LINKS[action]}
          </a>{' '}
        </>
      ))}
    </p>
  );
};
