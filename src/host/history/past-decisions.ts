import type { Result } from '../../core/index.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { keyOf } from '../../core/plan/target.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import type { PastDecision } from '../../store/decision-history.ts';
import { machineStateIn, type MachineState } from '../../store/machine-state.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { labelFor, rowNamed } from '../machine-row.ts';
import { openActionOf } from '../open-action.ts';
import { quarantinedOf } from '../requests/lift-words.ts';
import { inFile, usingState } from '../open-state.ts';
import { timesOn } from '../time-zones.ts';
import { toldHistory, type ToldDecision } from './told-history.ts';

/** So many decisions of all modules are recent. */
const RECENT = 300;

/** The decisions about one module or subsystem, the oldest first. */
export interface DecisionsAbout {
  readonly row: LoggedDecision;
  readonly told: readonly ToldDecision[];
  /** The action of the last decision, if it failed because of this machine. */
  readonly failing: OpenAction | undefined;
  /** What is in quarantine now; empty for a decision of the past. */
  readonly quarantined: readonly QuarantineEntry[];
  readonly times: TimeContext;
}

/** All recorded decisions about a module, or the one that was in force at `at`. */
export function decisionsAbout(
  named: string,
  at: number | undefined,
  world: World,
): Result<DecisionsAbout, Problem[]> {
  return inFile(world, 'read', (file) => {
    const state = machineStateIn(file);
    const found = rowNamed(named, rowsOf(state));
    if (!found.ok) return found;
    const row = found.value;
    const history = state.history(row);
    const past = at === undefined ? undefined : inForce(history, at);
    const all = toldHistory(history);
    const told = at === undefined ? all : all.filter((one) => one.past === past);
    if (told.length === 0) return { ok: false, error: [noDecision(row, history, at)] };
    const times = timesOn(state, world)(row.moduleId);
    const memory = state.memory();
    const open = openActionOf(row, memory);
    const failing = open && open.failures > 0 && at === undefined ? open : undefined;
    const quarantined =
      at === undefined ? quarantinedOf(row.moduleId, memory.quarantine, times.now) : [];
    return { ok: true, value: { row, told, failing, quarantined, times } };
  });
}

/** A decision of the past, and how its times are shown. */
export interface RecentDecision {
  readonly told: ToldDecision;
  readonly times: TimeContext;
}

/** The newest decisions of one module or of all, the newest first. Empty if no agent has run here yet. */
export function recentDecisions(
  named: string | undefined,
  world: World,
): Result<readonly RecentDecision[], Problem[]> {
  const read = usingState(world, 'read', (state): Result<RecentDecision[], Problem[]> => {
    const times = timesOn(state, world);
    const told = (history: readonly PastDecision[]): RecentDecision[] =>
      toldHistory(history)
        .map((one) => ({ told: one, times: times(one.past.first.moduleId) }))
        .toReversed();
    if (named !== undefined) {
      const row = rowNamed(named, rowsOf(state));
      return row.ok ? { ok: true, value: told(state.history(row.value)) } : row;
    }
    const targets = Map.groupBy(state.recentHistory(RECENT), ({ first }) => keyOf(first));
    const all = [...targets.values()].flatMap(told);
    return { ok: true, value: all.toSorted((a, b) => b.told.past.since - a.told.past.since) };
  });
  if (read.ok) return read.value;
  return read.error.isAbsent ? { ok: true, value: [] } : { ok: false, error: [read.error] };
}

/** The targets of the machine, followed by those that only the history has. */
export function rowsOf(state: MachineState): readonly LoggedDecision[] {
  const rows = state.decisions();
  const keys = new Set(rows.map(keyOf));
  return [...rows, ...state.newestInHistory().filter((row) => !keys.has(keyOf(row)))];
}

/** The decision that was in force at `at`; undefined if the history begins later. */
export function inForce(history: readonly PastDecision[], at: number): PastDecision | undefined {
  return history.findLast(({ since }) => since <= at);
}

/** Why the history has no decision to show. */
export function noDecision(
  row: LoggedDecision,
  [oldest]: readonly PastDecision[],
  at: number | undefined,
): Problem {
  const severity = 'error';
  const kind = 'not-recorded';
  if (!oldest || at === undefined) {
    const message = `no decision about ${labelFor(row)} has been recorded yet`;
    const hint = 'each change of a decision is recorded; modreg status shows the last ones';
    return { severity, kind, message, hint };
  }
  const message = `no decision about ${labelFor(row)} is recorded for ${formatTime(at)}`;
  const hint = `the first one is of ${formatTime(oldest.since)}; decisions are kept for 90 days`;
  return { severity, kind, message, hint };
}
