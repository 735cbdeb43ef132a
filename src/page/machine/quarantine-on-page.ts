import type { Result } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { World } from '../../base/world.ts';
import { liftVersion, quarantineOn, refuseVersion } from '../../host/requests/quarantine.ts';
import type { MachineChanges } from '../machine-changes.ts';
import { onPage, refused, type PageProblem } from '../page-problem.ts';

type Quarantine = Pick<MachineChanges, 'quarantine' | 'quarantineVersion' | 'liftQuarantine'>;

/** The quarantine of this machine (T137). */
export function quarantineOnPage(world: World): Quarantine {
  return {
    quarantine: async () => onPage(quarantineOn(world)),
    quarantineVersion: async (version) => onPage(refuseVersion(version, world)),
    liftQuarantine: async ({ moduleId, version, since }) => {
      const stale =
        since === undefined ? undefined : otherEntry({ moduleId, version, since }, world);
      return stale ?? onPage(liftVersion([moduleId, version], world));
    },
  };
}

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
