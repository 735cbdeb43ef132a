import type { FC } from 'hono/jsx';
import { joined, readable, say, type Said, type TimeContext } from '../../core/text/time-words.ts';
import type { DocumentCheck } from '../../host/config/config-file.ts';
import type { VersionChoice, VersionChoices } from '../../host/config/version-choices.ts';
import type { PlannedOutcome } from '../../host/plan/planned-outcome.ts';
import { Findings } from './findings.tsx';
import { stopWords } from './modules-view.tsx';

/** What each version type would do with a module, and the form that saves one. */
export const ChangeView: FC<{
  readonly module: string;
  readonly choices: VersionChoices;
  /** The constraint that is chosen. */
  readonly chosen: string;
}> = ({ module, choices: { label, deployed, constraint, etag, times, now, choices }, chosen }) => (
  <>
    <h1>Change the version of {label}</h1>
    <p>
      deployed {deployed}, constraint {constraint}: <Outcome outcome={now} times={times} />
    </p>
    <form method="post" action={`${module}/change`}>
      <input type="hidden" name="etag" value={etag} />
      <input type="hidden" name="deployed" value={deployed} />
      <fieldset>
        <legend>Version type</legend>
        {choices.map((choice) => (
          <Choice choice={choice} times={times} isChosen={choice.constraint === chosen} />
        ))}
      </fieldset>
      <button>Save</button>
    </form>
    <p>
      <a href={module}>Do nothing</a>
    </p>
  </>
);

const Choice: FC<{
  readonly choice: VersionChoice;
  readonly times: TimeContext;
  readonly isChosen: boolean;
}> = ({ choice, times, isChosen }) => {
  const { type, constraint, isCurrent, check, line } = choice;
  return (
    <div class="choice">
      <label>
        <input
          type="radio"
          name="version"
          value={constraint}
          required
          checked={isChosen}
          disabled={check.errors > 0}
        />{' '}
        {type} <code>{constraint}</code>
        {isCurrent ? ' (now)' : null}
      </label>{' '}
      <Outcome outcome={choice} times={times} />
      {isCurrent ? null : (
        <div>
          <Findings check={errorsOf(check)} /> <code>{line}</code>
        </div>
      )}
    </div>
  );
};

/** Warnings are those of the whole document, whatever the version. */
function errorsOf({ findings, ...counts }: DocumentCheck): DocumentCheck {
  return { ...counts, findings: findings.filter(({ severity }) => severity === 'error') };
}

const Outcome: FC<{ readonly outcome: PlannedOutcome; readonly times: TimeContext }> = ({
  outcome,
  times,
}) => <span class="outcome">{readable(outcomeWords(outcome), times)}</span>;

/** `upgrade to 1.10.0, new major`, `newest release of 1`, `stops base (needs front-lidar)`. */
function outcomeWords(outcome: PlannedOutcome): Said {
  const { direction, decision, target, isNewMajor, reason, nextChange, stops, shares } = outcome;
  const change =
    direction === undefined
      ? `no change${target === undefined ? '' : `, stays ${target}`} (${decision})`
      : `${decision === 'hold' ? 'hold of the ' : ''}${direction} ${direction === 'install' || direction === 'restart' ? 'of' : 'to'} ${target ?? 'nothing'}`;
  const parts = [
    `${change}${isNewMajor ? ', new major' : ''}`,
    reason,
    nextChange && say`next ${nextChange}`,
    stops.length === 0 ? undefined : `stops ${stopWords(outcome)}`,
    shares.length === 0 ? undefined : `in the same restart: ${shares.join(', ')}`,
  ];
  return joined(parts, '; ');
}
