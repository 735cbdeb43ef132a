import type { Clock } from '../../registry/clock.ts';
import { DatabaseError, type ClaimedFile } from '../../store/index.ts';

/** A plan takes time as well. */
const LOOK_MS = 500;

/**
 * Calls `look` within a second after another process has changed the file: `modreg hold`, `unhold` or `restart`, or the
 * page (D75). Returns once `signal` is aborted.
 */
export async function watchRequests(
  { state }: Pick<ClaimedFile, 'state'>,
  look: () => void,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): Promise<void> {
  let seen = versionOf(state);
  while (!signal.aborted) {
    await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    const version = versionOf(state);
    if (version !== seen) look();
    seen = version;
  }
}

/** Undefined while the file cannot be read, as the poller reports. */
function versionOf(state: ClaimedFile['state']): number | undefined {
  try {
    return state.version();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return undefined;
  }
}
