import type { Result } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { World } from '../../base/world.ts';
import { endHold, holdsOn, setHold } from '../../host/requests/holds.ts';
import type { MachineChanges } from '../machine-changes.ts';
import { asBadField, onPage, refused, type PageProblem } from '../page-problem.ts';

/** The holds of operators. A hold that is other than the person saw is not ended (D75, T137). */
export function holdsOnPage(world: World): Pick<MachineChanges, 'holds' | 'setHold' | 'endHold'> {
  return {
    holds: async () => onPage(holdsOn(world)),
    setHold: async (wish) => {
      const set = onPage(setHold(wish, world));
      return set.ok ? set : { ok: false, error: set.error.map(asBadField) };
    },
    endHold: async ({ named, since }) =>
      (since === undefined ? undefined : otherHold(named, since, world)) ??
      onPage(endHold(named, world)),
  };
}

function otherHold(
  named: string | undefined,
  since: string,
  world: World,
): Result<never, PageProblem[]> | undefined {
  const found = onPage(holdsOn(world));
  if (!found.ok) return found;
  const hold = found.value.holds.find(({ of }) => of.name === (named ?? ''));
  const began = hold && formatTime(hold.since);
  if (began === undefined || began === since) return undefined;
  const message = `${hold?.label} is held since ${began}, and the page showed a hold since ${since}; nothing was changed`;
  return refused('HOLD_CHANGED', message, { hint: 'look at the reason of the new one' });
}
