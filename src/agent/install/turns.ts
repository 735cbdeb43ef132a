import pLimit, { type LimitFunction } from 'p-limit';

/** Lets installations of one machine run beside each other where they may. */
export interface InstallTurns {
  /** Runs `work` when no other work for the same file runs, because they would share its download and its package. */
  readonly ofFile: <T>(file: string, work: () => Promise<T>) => Promise<T>;
  /** Runs `work` unless work for a file runs; that for a file waits for it meanwhile. Returns whether it ran. */
  readonly whileIdle: (work: () => Promise<void>) => Promise<boolean>;
  /** Runs a download when fewer than four run, so that a slow server delays no other module. */
  readonly download: LimitFunction;
  /** Runs what uses the processor and the disk, alone. */
  readonly unpack: LimitFunction;
}

const DOWNLOADS = 4;

export function installTurns(): InstallTurns {
  const files = new Map<string, LimitFunction>();
  let installing = 0;
  const idle: { work: Promise<unknown> | undefined } = { work: undefined };
  return {
    ofFile: async (file, work) => {
      while (idle.work) await idle.work;
      installing++;
      const limit = files.get(file) ?? pLimit(1);
      files.set(file, limit);
      try {
        return await limit(work);
      } finally {
        installing--;
        if (limit.activeCount + limit.pendingCount === 0) files.delete(file);
      }
    },
    whileIdle: async (work) => {
      if (installing > 0 || idle.work) return false;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      idle.work = promise;
      try {
        await work();
        return true;
      } finally {
        idle.work = undefined;
        resolve(undefined);
      }
    },
    download: pLimit(DOWNLOADS),
    unpack: pLimit(1),
  };
}
