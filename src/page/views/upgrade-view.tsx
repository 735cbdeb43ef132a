import type { FC } from 'hono/jsx';
import { replacementOf, type Decision } from '../../core/decision/decision.ts';
import { describeTarget, reportedText } from '../../core/explanation/decision-words.ts';
import { labelFor } from '../../host/machine-row.ts';
import { upgradeLines } from '../../host/requests/upgrade-words.ts';
import { nameOf } from '../../host/requests/upgrade-wish.ts';
import type { Upgrade } from '../../host/requests/upgrade.ts';

/** What is selected for a module and what holds it, and the form that requests it at once (D76). */
export const UpgradeView: FC<{
  /** The address of the page of the module. */
  readonly module: string;
  readonly upgrade: Upgrade;
}> = ({ module, upgrade }) => {
  const { row, decision } = upgrade;
  return (
    <>
      <h1>Upgrade {labelFor(row)}</h1>
      <pre tabindex={0}>{upgradeLines(upgrade).join('\n')}</pre>
      {decision?.kind === 'hold' ? <AtOnce module={module} decision={decision} /> : null}
      <p>
        <a href={module}>Back</a>
      </p>
    </>
  );
};

/** The vetoes are in the form: who sends it has seen them. */
const AtOnce: FC<{ readonly module: string; readonly decision: Decision }> = ({
  module,
  decision,
}) => {
  const { vetoes = [] } = decision.input.timing;
  const replacement = replacementOf(decision);
  return (
    <form method="post" action={`${module}/upgrade`}>
      <p>
        No window, blackout, cooldown, ceiling, answer or busy server holds it then, once, for an
        hour at most. The hold of an operator does.
      </p>
      {vetoes.map((veto) => (
        <p class="warning">
          <input type="hidden" name="despite" value={nameOf(veto)} />
          {veto.by} must not be stopped now: {veto.said ?? 'it gives no reason'}
        </p>
      ))}
      <input
        type="hidden"
        name="deployed"
        value={reportedText(decision.input.deployed) ?? 'none'}
      />
      <input type="hidden" name="to" value={replacement ? describeTarget(replacement) : ''} />
      <p>
        <label>
          reason <input name="reason" maxlength={500} />
        </label>
      </p>
      <p>
        <label>
          your name <input name="by" required maxlength={100} />
        </label>
      </p>
      <button>
        {vetoes.length === 0 ? 'Upgrade now' : 'Upgrade now although it must not be stopped'}
      </button>
    </form>
  );
};
