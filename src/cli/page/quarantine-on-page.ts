import type { Result } from '../../core/index.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { MachineChanges, QuarantineList } from '../../page/machine-changes.ts';
import type { PageProblem } from '../../page/page-problem.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { quarantineAddCommand } from '../machine/quarantine-add-command.ts';
import { quarantineLiftCommand, quarantineListCommand } from '../machine/quarantine-command.ts';
import { untilText } from '../machine/quarantine-table.ts';
import { timesOn } from '../../host/time-zones.ts';
import type { World } from '../../base/world.ts';
import { answerOf, inFile, refused } from './page-problem.ts';

type Quarantine = Pick<MachineChanges, 'quarantine' | 'quarantineVersion' | 'liftQuarantine'>;

/** What the command `quarantine` does, for the page. */
export function quarantineOnPage(world: World): Quarantine {
  return {
    quarantine: async () => quarantineOf(world),
    quarantineVersion: async ({ module, version, reason, for: term }) => {
      const given = {
        ...(reason !== undefined && { reason }),
        ...(term !== undefined && { for: term }),
      };
      return answerOf(quarantineAddCommand([module, version], { ...given, json: true }, world));
    },
    liftQuarantine: async ({ moduleId, version, since }) => {
      const stale =
        since === undefined ? undefined : otherEntry({ moduleId, version, since }, world);
      return stale ?? answerOf(quarantineLiftCommand([moduleId, version], { json: true }, world));
    },
  };
}

function otherEntry(
  { moduleId, version, since }: { moduleId: string; version: string; since: string },
  world: World,
): Result<never, PageProblem[]> | undefined {
  const found = inFile(world, 'read', (file) => {
    const { quarantine } = machineStateIn(file).memory();
    const entry = quarantine.find((one) => one.moduleId === moduleId && one.version === version);
    return { ok: true, value: entry && formatTime(entry.since) };
  });
  if (!found.ok) return found;
  if (found.value === undefined || found.value === since) return undefined;
  const message = `${moduleId} ${version} is in quarantine since ${found.value}, and the page showed one since ${since}; nothing was changed`;
  return refused('QUARANTINE_CHANGED', message, { hint: 'look at the reason of the new one' });
}

function quarantineOf(world: World): Result<QuarantineList, PageProblem[]> {
  return inFile(world, 'read', (file) => {
    const state = machineStateIn(file);
    const times = timesOn(state, world);
    const entries = state
      .memory()
      .quarantine.map((entry) => ({
        moduleId: entry.moduleId,
        version: entry.version,
        since: formatTime(entry.since),
        until: untilText(entry, times(entry.moduleId)),
        reason: entry.reason,
      }));
    const json = answerOf(quarantineListCommand({ json: true }, world));
    return json.ok ? { ok: true, value: { entries, json: json.value } } : json;
  });
}
