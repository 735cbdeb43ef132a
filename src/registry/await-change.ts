import type { ModuleId } from '../core/index.ts';
import type { ChangeWait } from './registry.ts';
import type { Memory } from './refresh.ts';
import type { RequestContext } from './remote-registry.ts';
import { latestSequence } from './refresh-all.ts';

/** What lies between this process and the registry may end a request that says nothing for longer. */
const LONGEST_REQUEST_MS = 25_000;
/** Where others' modules change all the time, the registry is not asked all the time. */
const PAUSE_MS = 250;

/** Undefined where the registry has no feed of its changes, or no list is known as of any of them. */
export async function awaitChange(
  moduleIds: readonly ModuleId[],
  { remote, lists, clock }: Memory,
  waitMs: number,
  round: RequestContext,
): Promise<ChangeWait | undefined> {
  const ends = clock.monotonic() + waitMs;
  let after = latestSequence(moduleIds.flatMap((moduleId) => lists.atHand(moduleId) ?? []));
  if (after === undefined || !remote.changes) return undefined;
  for (let left = waitMs; left > 0; left = ends - clock.monotonic()) {
    const asked = Math.floor(Math.min(left, LONGEST_REQUEST_MS));
    const began = clock.monotonic();
    const changes = await remote.changes(after, round, asked);
    if (!changes) return undefined;
    const { sequence, modules, spreadMs } = changes;
    // A sequence below it is another catalogue's.
    const hasChanged = sequence < after || moduleIds.some((moduleId) => modules.has(moduleId));
    if (hasChanged) return { hasChanged, spreadMs };
    if (sequence > after) await clock.sleep(PAUSE_MS, round.signal);
    // Who answers at once that there is nothing would be asked all the time.
    else if (clock.monotonic() - began < asked / 2) return undefined;
    after = sequence;
  }
  return { hasChanged: false, spreadMs: 0 };
}
