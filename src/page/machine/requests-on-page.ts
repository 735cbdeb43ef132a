import type { World } from '../../base/world.ts';
import { labelFor } from '../../host/machine-row.ts';
import type { SavedPlanTerms } from '../../host/plan/machine-plan.ts';
import { restartEffects } from '../../host/requests/restart-effects.ts';
import { cancelRestart, requestRestart, restartOf } from '../../host/requests/restart.ts';
import { rollBack, rollbackOf } from '../../host/requests/rollback.ts';
import type { MachineChanges } from '../machine-changes.ts';
import { onPage, refused } from '../page-problem.ts';

type Requests = Pick<
  MachineChanges,
  'previewRestart' | 'restart' | 'cancelRestart' | 'previewRollback' | 'rollBack'
>;

/** Restarts and rollbacks (T137). One of another version than the person saw is not made. */
export function requestsOnPage(path: string, options: SavedPlanTerms, world: World): Requests {
  return {
    previewRestart: async (name, wish) => {
      const restart = restartOf(name, wish, world);
      if (!restart.ok) return onPage(restart);
      const effects = onPage(await restartEffects(restart.value, path, options, world));
      return effects.ok ? { ok: true, value: { ...restart.value, ...effects.value } } : effects;
    },
    restart: async (name, { isImmediate, deployed: seen }) => {
      const restart = onPage(requestRestart(name, { isImmediate, seen }, world));
      if (!restart.ok || restart.value.isAsSeen) return restart;
      const { row, deployed } = restart.value;
      return otherDeployed(labelFor(row), deployed, seen);
    },
    cancelRestart: async (name) => onPage(cancelRestart(name, world)),
    previewRollback: async (name, term) => onPage(rollbackOf(name, term, world)),
    rollBack: async (name, { termMs, deployed, to: seenTo }) => {
      const seen = { from: deployed, to: seenTo };
      const rollback = onPage(rollBack(name, { termMs, seen }, world));
      if (!rollback.ok || rollback.value.isAsSeen) return rollback;
      const { row, from, to } = rollback.value;
      const label = labelFor(row);
      if ((deployed ?? from) !== from) return otherDeployed(label, from, deployed);
      const message = `${label} would roll back to ${to} by now, and the page showed ${seenTo}; nothing was changed`;
      return refused('DEPLOYED_CHANGED', message, { hint: LOOK_AGAIN });
    },
  };
}

function otherDeployed(
  label: string,
  deployed: string,
  seen: string | undefined,
): ReturnType<typeof refused> {
  const message = `${label} ${deployed} is deployed by now, and the page showed ${seen}; nothing was changed`;
  return refused('DEPLOYED_CHANGED', message, { hint: LOOK_AGAIN });
}

const LOOK_AGAIN = 'look at what would happen now, and confirm that';
