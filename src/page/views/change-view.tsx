import type { FC } from 'hono/jsx';
import type { TimeContext } from '../../core/text/time-words.ts';
import type { DocumentCheck } from '../../host/config/config-file.ts';
import type { VersionChoice, VersionChoices } from '../../host/config/version-choices.ts';
import type { PlannedOutcome } from '../../host/plan/planned-outcome.ts';
import { ColumnHeads } from './column-heads.tsx';
import { Findings } from './findings.tsx';
import { stopWords } from './module-card.tsx';
import { Brief, Timed } from './timed.tsx';

/** What each version type would do with a module, and the form that saves one. */
export const ChangeView: FC<{
  readonly module: string;
  readonly choices: VersionChoices;
  /** The constraint that is chosen. */
  readonly chosen: string;
}> = ({ module, choices: { label, deployed, constraint, etag, times, choices }, chosen }) => (
  <>
    <h1>Change the version of {label}</h1>
    <p>
      {deployed} is deployed, and the constraint is {constraint}.
    </p>
    <form method="post" action={`${module}/change`}>
      <input type="hidden" name="etag" value={etag} />
      <input type="hidden" name="deployed" value={deployed} />
      <table>
        <ColumnHeads of={['version type', 'selects', 'what happens', 'edit']} />
        <tbody>
          {choices.map((choice) => (
            <Choice choice={choice} times={times} isChosen={choice.constraint === chosen} />
          ))}
        </tbody>
      </table>
      <button>Save</button>
    </form>
    <form class="search" action={`${module}/change`}>
      <label>
        another version <input name="version" required placeholder="1.2.3" />
      </label>
      <button data-quiet>Show what it does</button>
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
  const { type, constraint, isCurrent, check, line, target } = choice;
  return (
    <tr>
      <th scope="row">
        <label>
          <input
            type="radio"
            name="version"
            value={constraint}
            required
            checked={isChosen}
            disabled={check.errors > 0}
          />{' '}
          {type} {type === constraint ? null : <code>{constraint}</code>}
          {isCurrent ? ' (now)' : null}
        </label>
      </th>
      <td data-name="selects">{target ?? 'nothing'}</td>
      <td class="outcome">
        <Outcome outcome={choice} times={times} />
      </td>
      <td>
        {isCurrent ? null : <code>{line}</code>}
        {isCurrent || check.errors === 0 ? null : <Findings check={errorsOf(check)} />}
      </td>
    </tr>
  );
};

/** Warnings are those of the whole document, whatever the version. */
function errorsOf({ findings, ...counts }: DocumentCheck): DocumentCheck {
  return { ...counts, findings: findings.filter(({ severity }) => severity === 'error') };
}

/** The headline, the complete reason, and what stops. */
const Outcome: FC<{ readonly outcome: PlannedOutcome; readonly times: TimeContext }> = ({
  outcome: { headline, reason, nextChange, stops, shares },
  times,
}) => (
  <>
    <Brief said={headline} times={times} />
    <details>
      <summary>Why</summary>
      <p>
        <Timed said={reason} times={times} />
      </p>
      {nextChange === undefined ? null : (
        <p>
          next <Timed said={nextChange} times={times} />
        </p>
      )}
    </details>
    {stops.length === 0 ? null : <p>stops {stopWords({ stops })}</p>}
    {shares.length === 0 ? null : <p>in the same restart: {shares.join(', ')}</p>}
  </>
);
