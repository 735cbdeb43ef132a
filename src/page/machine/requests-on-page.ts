import type { Result } from '../../core/index.ts';
import type { Requester } from '../../core/decision/restart-request.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { World } from '../../base/world.ts';
import { labelFor } from '../../host/machine-row.ts';
import type { SavedPlanTerms } from '../../host/plan/machine-plan.ts';
import { faultsIn, LONGEST_NAME } from '../../host/requests/hold-wish.ts';
import { liftVersion, quarantineOn, refuseVersion } from '../../host/requests/quarantine.ts';
import { restartEffects } from '../../host/requests/restart-effects.ts';
import { cancelRestart, requestRestart, restartOf } from '../../host/requests/restart.ts';
import { rollBack, rollbackOf } from '../../host/requests/rollback.ts';
import type { MachineChanges } from '../machine-changes.ts';
import { onPage, refused, type PageProblem } from '../page-problem.ts';

type Requests = Omit<
  MachineChanges,
  | 'editable'
  | 'editWarnings'
  | 'previewEdit'
  | 'saveEdit'
  | 'config'
  | 'checkConfig'
  | 'saveConfig'
  | 'compare'
  | 'changeVersion'
  | 'previewUpgrade'
  | 'askUpgrade'
  | 'upgrade'
  | 'holds'
  | 'setHold'
  | 'endHold'
>;

/** Restarts, rollbacks and the quarantine (T137). What is other than the person saw is not changed. */
export function requestsOnPage(path: string, options: SavedPlanTerms, world: World): Requests {
  return {
    quarantine: async () => onPage(quarantineOn(world)),
    quarantineVersion: async (version) => onPage(refuseVersion(version, world)),
    liftQuarantine: async ({ moduleId, version, since }) => {
      const stale =
        since === undefined ? undefined : otherEntry({ moduleId, version, since }, world);
      return stale ?? onPage(liftVersion([moduleId, version], world));
    },
    previewRestart: async (name, wish) => {
      const restart = restartOf(name, wish, world);
      if (!restart.ok) return onPage(restart);
      const effects = onPage(await restartEffects(restart.value, path, options, world));
      return effects.ok ? { ok: true, value: { ...restart.value, ...effects.value } } : effects;
    },
    restart: async (name, { isImmediate, deployed: seen, by }) => {
      const requester = requesterOf(by);
      if (!requester.ok) return requester;
      const wish = { isImmediate, seen, requester: requester.value };
      const restart = onPage(requestRestart(name, wish, world));
      if (!restart.ok || restart.value.isAsSeen) return restart;
      const { row, deployed } = restart.value;
      return otherDeployed(labelFor(row), deployed, seen);
    },
    cancelRestart: async (name) => onPage(cancelRestart(name, world)),
    previewRollback: async (name, term) => onPage(rollbackOf(name, term, world)),
    rollBack: async (name, wish) => rolledBack(name, wish, world),
  };
}

function rolledBack(
  name: string,
  { termMs, deployed, to: seenTo, by }: Parameters<Requests['rollBack']>[1],
  world: World,
): Awaited<ReturnType<Requests['rollBack']>> {
  const seen = { from: deployed, to: seenTo };
  const requester = requesterOf(by);
  if (!requester.ok) return requester;
  const wish = { termMs, seen, requester: requester.value };
  const rollback = onPage(rollBack(name, wish, world));
  if (!rollback.ok || rollback.value.isAsSeen) return rollback;
  const { row, from, to } = rollback.value;
  const label = labelFor(row);
  if ((deployed ?? from) !== from) return otherDeployed(label, from, deployed);
  const message = `${label} would roll back to ${to} by now, and the page showed ${seenTo}; nothing was changed`;
  return refused('DEPLOYED_CHANGED', message, { hint: LOOK_AGAIN });
}

/** Who asks for it, as `why` and `status` name them; undefined if no name is typed (D489). */
function requesterOf(by: string | undefined): Result<Requester | undefined, PageProblem[]> {
  if (by === undefined) return { ok: true, value: undefined };
  const [fault] = faultsIn('the name of the operator', by, LONGEST_NAME);
  return fault
    ? refused('BAD_FIELD', fault.message)
    : { ok: true, value: { by, because: undefined } };
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

function otherEntry(
  { moduleId, version, since }: { moduleId: string; version: string; since: string },
  world: World,
): Result<never, PageProblem[]> | undefined {
  const found = onPage(quarantineOn(world));
  if (!found.ok) return found;
  const entry = found.value.entries.find(
    (one) => one.moduleId === moduleId && one.version === version,
  );
  const began = entry && formatTime(entry.since);
  if (began === undefined || began === since) return undefined;
  const message = `${moduleId} ${version} is in quarantine since ${began}, and the page showed one since ${since}; nothing was changed`;
  return refused('QUARANTINE_CHANGED', message, { hint: 'look at the reason of the new one' });
}
