import type { ModuleId } from '../core/index.ts';
import type { ChangeWait } from './registry.ts';
import type { Memory } from './refresh.ts';
import type { RequestContext } from './remote-registry.ts';
import { isOtherHistory } from './feed.ts';
import type { SavedList } from './saved-lists.ts';

/** A proxy may close a connection that is idle for longer. */
const LONGEST_REQUEST_MS = 25_000;
/** The pause between requests when only other modules keep changing. */
const PAUSE_MS = 250;

/** Undefined if the registry has no change feed, or has named none of the modules. */
export async function awaitChange(
  moduleIds: readonly ModuleId[],
  { remote, lists, clock, feed }: Memory,
  waitMs: number,
  round: RequestContext,
): Promise<ChangeWait | undefined> {
  const ends = clock.monotonic() + waitMs;
  const known = moduleIds.flatMap((moduleId): [ModuleId, SavedList][] => {
    const list = lists.inMemory(moduleId);
    return list ? [[moduleId, list]] : [];
  });
  let last = feed.positionFor(moduleIds, new Map(known));
  if (!last || !remote.changes) return undefined;
  // A request for less than a millisecond would not wait, and requests would never pause.
  for (let left = waitMs; left >= 1; left = ends - clock.monotonic()) {
    const requestMs = Math.floor(Math.min(left, LONGEST_REQUEST_MS));
    const began = clock.monotonic();
    const changes = await remote.changes(last.sequence, round, requestMs, moduleIds);
    if (!changes) return undefined;
    const { sequence, history, modules, spreadMs } = changes;
    if (isOtherHistory(changes, last)) {
      // At most one round per interval begins because of another catalogue (D42).
      const hasChanged = feed.mayReportOther(clock.monotonic(), ends);
      return hasChanged ? { hasChanged, spreadMs } : undefined;
    }
    const isLater = sequence > last.sequence;
    const hasChanged = isLater && moduleIds.some((moduleId) => modules.has(moduleId));
    if (hasChanged) return { hasChanged, spreadMs };
    if (isLater) await clock.sleep(PAUSE_MS, round.signal);
    // A registry that responds early without a change does not wait: stop, or requests would never pause.
    else if (clock.monotonic() - began < requestMs / 2) return undefined;
    last = { sequence, history };
  }
  return { hasChanged: false, spreadMs: 0 };
}
