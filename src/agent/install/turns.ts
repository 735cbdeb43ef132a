import pLimit, { type LimitFunction } from 'p-limit';

/** Lets installations of one machine run beside each other where they may. */
export interface InstallTurns {
  /** Runs `work` when no other work for the same file runs, because they would share its download and its package. */
  readonly ofFile: <T>(file: string, work: () => Promise<T>) => Promise<T>;
  /** Runs a download when fewer than four run, so that a slow server delays no other module. */
  readonly download: LimitFunction;
  /** Runs what uses the processor and the disk, alone. */
  readonly unpack: LimitFunction;
}

const DOWNLOADS = 4;

export function installTurns(): InstallTurns {
  const files = new Map<string, LimitFunction>();
  return {
    ofFile: async (file, work) => {
      const limit = files.get(file) ?? pLimit(1);
      files.set(file, limit);
      try {
        return await limit(work);
      } finally {
        if (limit.activeCount + limit.pendingCount === 0) files.delete(file);
      }
    },
    download: pLimit(DOWNLOADS),
    unpack: pLimit(1),
  };
}
