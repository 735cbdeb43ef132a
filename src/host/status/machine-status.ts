import { dirname } from 'node:path';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { MachineMemory } from '../../core/plan/machine-memory.ts';
import type { Result } from '../../core/index.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import { isPolled } from '../../store/claim.ts';
import type { PollerLog } from '../../store/decision-log.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import type { World } from '../../base/world.ts';
import { clockReading } from '../clock-reading.ts';
import { downloadedIn } from '../downloaded.ts';
import { usingFile, type StateProblem } from '../open-state.ts';
import { holdsIn, type HoldInForce } from '../requests/holds.ts';
import { withFullDisk } from '../full-disk-words.ts';
import { keyOf } from '../../core/plan/target.ts';
import { heldSince } from '../held-since.ts';
import { siteNotes } from '../served/site-notes.ts';
import { earlierDataNotes } from '../module-data.ts';
import { timesOn } from '../time-zones.ts';
import type { Failing } from '../recent-failures.ts';
import { failingModules } from '../version-in-use.ts';
import { waitingNotes } from '../waiting-reports.ts';

/** How old the last round may be by default: the longest back-off is ten minutes. */
export const LAST_ROUND_MS: number = 30 * 60_000;

/** The state of a machine, and its poller's last decisions. */
export interface Status {
  readonly decisions: readonly LoggedDecision[];
  readonly memory: MachineMemory;
  readonly poller: PollerLog;
  /** By the name of the entry: what modreg's own agent starts again and again. */
  readonly failures: ReadonlyMap<string, Failing>;
  /** By target key: when the replacement that is held now was first held, in milliseconds since the epoch. */
  readonly heldSince: ReadonlyMap<string, number>;
  /** By target key: the version that is held and whose package is there (D78). */
  readonly downloaded: ReadonlyMap<string, string>;
  /** Whether a process polls now. */
  readonly isRunning: boolean;
  readonly now: number;
  /** What operators hold. */
  readonly holds: readonly HoldInForce[];
  /** How times that concern a module are shown, by its module_id. */
  readonly times: (moduleId: string) => TimeContext;
  /** Notes about the documents that a site serves (D266), reports that wait, and data that modules kept elsewhere (T341). */
  readonly waiting: readonly string[];
}

/** The status of this machine. The error is `isAbsent` if neither an agent nor a poller has run here. */
export function statusOn(world: World): Result<Status, StateProblem> {
  return usingFile(world, 'read', (file) => statusIn(file, world));
}

function statusIn(file: MachineFile, world: World): Status {
  const state = machineStateIn(file);
  const decisions = state.decisions();
  const held = decisions.filter(({ decision }) => decision === 'hold');
  return {
    decisions,
    memory: state.memory(),
    poller: withFullDisk(state.poller(), file.path),
    failures: failingModules(file, world.clock()),
    heldSince: new Map(
      held.flatMap((one) => {
        const since = heldSince(state.history(one));
        return since === undefined ? [] : [[keyOf(one), since] as const];
      }),
    ),
    downloaded: new Map(
      held.flatMap((one) => {
        const version = downloadedIn(dirname(file.path), one);
        return version === undefined ? [] : [[keyOf(one), version] as const];
      }),
    ),
    isRunning: isPolled(file.path),
    now: world.clock(),
    holds: holdsIn(state, clockReading(world)),
    times: timesOn(state, world),
    waiting: [...siteNotes(file), ...waitingNotes(file), ...earlierDataNotes(file, world)],
  };
}
