import { systemClock } from '../../registry/clock.ts';
import type { DatabaseError } from '../../sqlite/database-error.ts';
import { damageIn } from './quick-check.ts';

const EVERY_MS = 3_600_000;

/** Checks the file at `path` each hour. Resolves with the first damage; never, once `signal` is aborted. */
export async function watchForDamage(
  path: string,
  signal: AbortSignal,
  everyMs: number = EVERY_MS,
): Promise<DatabaseError> {
  return await new Promise((resolve) => {
    const look = async (): Promise<void> => {
      while (!signal.aborted) {
        await systemClock.sleep(everyMs, signal);
        const damage = await damageIn(path, signal);
        if (damage) return resolve(damage);
      }
    };
    // The sleep rejects when the server ends.
    void look().catch(() => undefined);
  });
}
