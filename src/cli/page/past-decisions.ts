import type { Result } from '../../core/index.ts';
import { keyOf } from '../../core/plan/target.ts';
import { readable } from '../../core/text/time-words.ts';
import type { HistoryEntry } from '../../page/paged-machine.ts';
import type { MachineState } from '../../store/machine-state.ts';
import { rowsOf } from '../history/why-command.ts';
import { reasonAlone, toldHistory } from '../history/why-words.ts';
import { labelFor, rowNamed } from '../../host/machine-row.ts';
import { usingState } from '../../host/open-state.ts';
import { timesOn } from '../../host/time-zones.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

/** So many decisions of all modules are shown. */
const RECENT = 300;

/** The newest decisions of one module or of all, the newest first. Empty if no agent has run here yet. */
export function pastDecisions(
  named: string | undefined,
  world: World,
): Result<readonly HistoryEntry[], Problem> {
  const read = usingState(world, 'read', (state): Result<HistoryEntry[], Problem> => {
    if (named === undefined) return { ok: true, value: recent(state, world) };
    const row = rowNamed(named, rowsOf(state));
    if (!row.ok) return row;
    return { ok: true, value: told(state.history(row.value), state, world) };
  });
  if (read.ok) return read.value;
  return read.error.isAbsent ? { ok: true, value: [] } : read;
}

function recent(state: MachineState, world: World): HistoryEntry[] {
  const targets = Map.groupBy(state.recentHistory(RECENT), ({ first }) => keyOf(first));
  return [...targets.values()]
    .flatMap((history) => told(history, state, world))
    .toSorted((a, b) => b.at - a.at);
}

function told(
  history: Parameters<typeof toldHistory>[0],
  state: MachineState,
  world: World,
): HistoryEntry[] {
  const times = timesOn(state, world);
  return toldHistory(history)
    .map(({ past: { since, first }, event, causes }) => {
      return {
        at: since,
        name: first.name,
        label: labelFor(first),
        event,
        why: readable(reasonAlone(first), times(first.moduleId)),
        causes,
        decision: first.decision,
        deployed: first.deployed,
        target: first.target,
      };
    })
    .toReversed();
}
