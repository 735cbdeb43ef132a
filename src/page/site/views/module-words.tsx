import type { FC } from 'hono/jsx';
import { isSettled, shownDecision } from '../../../core/explanation/shown-decision.ts';
import { excerpt } from '../../../core/text/quote.ts';
import type { PlacedModule } from '../../../server/fleet/machine-queries.ts';
import { failingWords } from '../../../site/failing-words.ts';

/** `acme:lidar 1.2.9 → 1.3.0, hold`. */
export const ModuleWords: FC<{ readonly module: PlacedModule }> = ({
  module: { moduleId, deployed, target, decision, isHeldLong, reason, failing },
}) => (
  <>
    {moduleId} {excerpt(deployed)}
    {target === undefined || target === deployed ? null : ` → ${excerpt(target)}`}{' '}
    <Decision decision={decision} failing={failing} />
    {isHeldLong ? HELD_LONG : null}
    {reason === undefined ? null : ` ${excerpt(reason)}`}
    {failing === undefined ? null : ` ${failingWords(failing)}`}
  </>
);

const HELD_LONG = ' for over a week';

/** The decisions that have a colour of their own. What else is not settled is due. */
const COLOURED: ReadonlySet<string> = new Set(['stuck', 'waiting']);

function colourOf(word: string): string {
  if (isSettled(word)) return 'up to date';
  return COLOURED.has(word) ? word : 'due';
}

/** The decision as a word, with the colour of its state; that something fails is said first. */
const Decision: FC<{ readonly decision: string; readonly failing: PlacedModule['failing'] }> = ({
  decision,
  failing,
}) => (
  <>
    {failing === undefined ? null : (
      <>
        <span class="state" data-state="failing">
          failing
        </span>{' '}
      </>
    )}
    <span class="state" data-state={colourOf(shownDecision(decision))}>
      {shownDecision(decision)}
    </span>
  </>
);
