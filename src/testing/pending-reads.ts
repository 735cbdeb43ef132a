import type { CachedRegistry } from '../registry/registry.ts';
import type { Clock } from '../registry/clock.ts';

/** Reads of registries that are in progress: a virtual clock waits for them, because the first one loads code. */
export interface PendingReads {
  /** Whether a read is in progress. While one waits for the clock itself, no read keeps the clock waiting. */
  readonly isBusy: () => boolean;
  /** The clock that reads wait for. */
  readonly sleepingOn: (clock: Clock) => Clock;
  /** The same registry for the same one. */
  readonly counted: (registry: CachedRegistry) => CachedRegistry;
}

export function pendingReads(): PendingReads {
  let reading = 0;
  let sleeping = 0;
  const registries = new WeakMap<CachedRegistry, CachedRegistry>();
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    reading++;
    try {
      return await work();
    } finally {
      reading--;
    }
  };
  return {
    isBusy: () => reading > 0 && sleeping === 0,
    sleepingOn: (clock) => ({
      ...clock,
      async sleep(ms, signal) {
        sleeping++;
        try {
          await clock.sleep(ms, signal);
        } finally {
          sleeping--;
        }
      },
    }),
    counted(registry) {
      const known = registries.get(registry) ?? {
        read: async (...request) => await during(async () => await registry.read(...request)),
        readAll: async (...request) => await during(async () => await registry.readAll(...request)),
        awaitChange: async (...request) => await registry.awaitChange(...request),
      };
      registries.set(registry, known);
      return known;
    },
  };
}
