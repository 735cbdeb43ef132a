import type { ModuleId } from '../core/index.ts';
import type { Clock } from './clock.ts';
import type { FeedPosition } from './feed.ts';
import type { Refreshed } from './refresh.ts';
import { RegistryError } from './registry-error.ts';

const FIRST_MS = 60_000;
const LONGEST_MS = 900_000;

/** The result of `ask`, the request for the list of a module after this position of the change feed, or an earlier one. */
type UnlessUnknown = (
  moduleId: ModuleId,
  position: FeedPosition | undefined,
  ask: () => Promise<Refreshed>,
) => Promise<Refreshed>;

/**
 * Asks for a module that the registry does not know again after a minute, then after twice as long each time, up to 15 minutes. Until then
 * the result is the same error. A module that the change feed names is asked for at once. (T425)
 */
export function backingOff(clock: Pick<Clock, 'monotonic'>): UnlessUnknown {
  const unknown = new Map<ModuleId, { error: RegistryError; waitMs: number; at: number }>();
  return async (moduleId, position, ask) => {
    const last = unknown.get(moduleId);
    const isNamed = position?.sequence !== undefined;
    if (last && !isNamed && clock.monotonic() < last.at) return last.error;
    const result = await ask();
    if (result instanceof RegistryError && result.kind === 'unknown-module') {
      const waitMs = Math.min(last ? 2 * last.waitMs : FIRST_MS, LONGEST_MS);
      unknown.set(moduleId, { error: result, waitMs, at: clock.monotonic() + waitMs });
    } else unknown.delete(moduleId);
    return result;
  };
}
