import type { Child, FC } from 'hono/jsx';
import { describeDuration } from '../../../core/text/duration.ts';
import type { RaisePreview, ShownRollout } from '../../../site/rollouts.ts';
import { describeStage } from '../../../core/rollout/stage.ts';
import { installedIn, stepWords } from './rollout-card.tsx';
import { machinesOf, numberOf, rolloutPath } from './site-words.tsx';

/** A form that changes a rollout, below what it does. It names the last event that the person saw. */
const Change: FC<{
  readonly rollout: ShownRollout;
  readonly action: string;
  readonly title: string;
  readonly consequences: readonly string[];
  readonly button: string;
  readonly children?: Child;
}> = ({ rollout, action, title, consequences, button, children }) => (
  <>
    <h1>
      {title} {rollout.moduleId} {rollout.version}
    </h1>
    <p>
      Now: {stepWords(rollout)}, {rollout.status}.
    </p>
    <ul class="consequences">
      {consequences.map((one) => (
        <li>{one}</li>
      ))}
    </ul>
    <form method="post" action={`${rolloutPath(rollout)}/${action}`}>
      <input type="hidden" name="after" value={`${rollout.sequence}`} />
      {children}
      <button>{button}</button>
    </form>
    <p>
      <a href={rolloutPath(rollout)}>Do nothing</a>
    </p>
  </>
);

const Reason: FC = () => (
  <p>
    <label>
      reason, which machines and people see <input name="reason" maxlength={500} size={40} />
    </label>
  </p>
);

export const HaltView: FC<{ readonly rollout: ShownRollout }> = ({ rollout }) => (
  <Change
    rollout={rollout}
    action="halt"
    title="Halt"
    consequences={[
      `No further machine installs it. ${machinesOf(rollout.counts.tally.waiting)} of this step have not begun.`,
      `${machinesOf(installedIn(rollout))} of the step began or have it: they finish what they began, and keep it.`,
      'It goes on only if a person resumes it and acknowledges the failures.',
    ]}
    button="Halt now"
  >
    <Reason />
  </Change>
);

export const RetractView: FC<{ readonly rollout: ShownRollout }> = ({ rollout }) => (
  <Change
    rollout={rollout}
    action="retract"
    title="Retract"
    consequences={[
      'This ends the rollout for good: no further machine upgrades to the release, and it cannot be resumed.',
      `${machinesOf(installedIn(rollout))} of the step that began or have it keep it. modreg registry yank makes them leave it, by their policy.`,
      'To try again, publish another version.',
    ]}
    button="Retract for good"
  >
    <Reason />
  </Change>
);

export const RaiseView: FC<{ readonly preview: RaisePreview }> = ({
  preview: { rollout, percent, group, stage, included, steps },
}) => {
  const { counts, soakMs, acknowledged } = rollout;
  const { healthy, failed, silent } = counts.tally;
  const left = Math.max(0, soakMs - counts.soakedMs);
  const more = Math.max(0, included - counts.included);
  return (
    <>
      <Change
        rollout={rollout}
        action="raise"
        title="Raise"
        consequences={[
          `From ${describeStage(rollout)} to ${stage}: ${machinesOf(more)} more may install it at once, ${numberOf(included)} in total.`,
          left === 0
            ? `The step has lasted ${describeDuration(soakMs)}, as long as it must.`
            : `The step is left ${describeDuration(left)} early.`,
          `Of ${machinesOf(counts.included)} in the step, ${numberOf(healthy)} are healthy, ${numberOf(failed)} failed, ${numberOf(silent)} are silent.`,
          'A share never falls: this cannot be taken back, but the rollout can be halted.',
        ]}
        button={`Raise to ${stage}`}
      >
        {group === undefined ? (
          <input type="hidden" name="percent" value={`${percent}`} />
        ) : (
          <input type="hidden" name="group" value={group} />
        )}
        {failed > acknowledged.failed || silent > acknowledged.silent ? (
          <SeenFailures rollout={rollout} />
        ) : null}
      </Change>
      {steps.length < 2 ? null : <StepChoice rollout={rollout} steps={steps} percent={percent} />}
    </>
  );
};

const StepChoice: FC<Pick<RaisePreview, 'rollout' | 'steps' | 'percent'>> = ({
  rollout,
  steps,
  percent,
}) => (
  <form method="get" action={`${rolloutPath(rollout)}/raise`}>
    <label>
      another step{' '}
      <select name="percent">
        {steps.map((step) => (
          <option value={`${step}`} selected={step === percent}>
            {step} %
          </option>
        ))}
      </select>
    </label>
    <button data-quiet>Show what that does</button>
  </form>
);

export const ResumeView: FC<{ readonly rollout: ShownRollout }> = ({ rollout }) => {
  const { failed, silent } = rollout.counts.tally;
  return (
    <Change
      rollout={rollout}
      action="resume"
      title="Resume"
      consequences={[
        `${machinesOf(failed)} failed, ${numberOf(silent)} became silent. They do not count again.`,
        `${machinesOf(rollout.counts.tally.waiting)} of the step may install it from now on.`,
        `The step begins again and lasts ${describeDuration(rollout.soakMs)} at least. Further failures halt it again.`,
      ]}
      button="Resume"
    >
      <SeenFailures rollout={rollout} />
    </Change>
  );
};

/** A person who resumes a rollout, or raises it over failures, types their number. */
const SeenFailures: FC<{ readonly rollout: ShownRollout }> = ({ rollout }) => {
  const { failed, silent } = rollout.counts.tally;
  return (
    <>
      <input type="hidden" name="failed" value={`${failed}`} />
      <input type="hidden" name="silent" value={`${silent}`} />
      <p>
        <label>
          how many machines failed or became silent, in total{' '}
          <input name="failures" inputmode="numeric" required size={8} autocomplete="off" />
        </label>
      </p>
    </>
  );
};
