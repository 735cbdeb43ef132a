import { Worker } from 'node:worker_threads';

/** Kills the process when an input hangs, which the hanging thread cannot report itself. */
export interface Watchdog {
  /** Called before the first input of a target. `warning` and the index of a hanging input are printed. */
  watch(warning: string): void;
  /** Called before each input. */
  beat(): void;
  /** The current warning, with the index of the current input. */
  warning(): string;
  stop(): Promise<void>;
}

export function startWatchdog(): Watchdog {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL('watchdog-worker.ts', import.meta.url), { workerData: beats });
  worker.unref();
  let current = '';
  return {
    watch(warning) {
      current = warning;
      Atomics.store(beats, 0, 0);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker takes no target origin
      worker.postMessage(warning);
    },
    beat: () => Atomics.add(beats, 0, 1),
    // Indexes begin at 0.
    warning: () => `${current} ${Atomics.load(beats, 0) - 1}`,
    stop: async () => {
      await worker.terminate();
    },
  };
}
