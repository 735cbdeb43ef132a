import type { ModuleId } from '../core/index.ts';
import type { ChangeWait } from './registry.ts';
import type { Memory } from './refresh.ts';
import type { RequestContext } from './remote-registry.ts';
import { isOtherHistory, latestPosition } from './feed.ts';

/** A proxy may close a connection that is idle for longer. */
const LONGEST_REQUEST_MS = 25_000;
/** The pause between requests when only other modules keep changing. */
const PAUSE_MS = 250;

/** Undefined if the registry has no change feed, or has named none of the modules. */
export async function awaitChange(
  moduleIds: readonly ModuleId[],
  { remote, lists, clock }: Memory,
  waitMs: number,
  round: RequestContext,
): Promise<ChangeWait | undefined> {
  const ends = clock.monotonic() + waitMs;
  let last = latestPosition(moduleIds.flatMap((moduleId) => lists.inMemory(moduleId) ?? []));
  if (!last || !remote.changes) return undefined;
  for (let left = waitMs; left > 0; left = ends - clock.monotonic()) {
    const requestMs = Math.floor(Math.min(left, LONGEST_REQUEST_MS));
    const began = clock.monotonic();
    const changes = await remote.changes(last.sequence, round, requestMs);
    if (!changes) return undefined;
    const { sequence, history, modules, spreadMs } = changes;
    const hasChanged =
      isOtherHistory(changes, last) || moduleIds.some((moduleId) => modules.has(moduleId));
    if (hasChanged) return { hasChanged, spreadMs };
    if (sequence > last.sequence) await clock.sleep(PAUSE_MS, round.signal);
    // A registry that responds early without a change does not wait: stop, or requests would never pause.
    else if (clock.monotonic() - began < requestMs / 2) return undefined;
    last = { sequence, history };
  }
  return { hasChanged: false, spreadMs: 0 };
}
