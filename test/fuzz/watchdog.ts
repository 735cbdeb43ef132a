import { Worker } from 'node:worker_threads';

/** Ends the process where one input never comes back: nothing in it could say so any more. */
export interface Watchdog {
  /** Inputs begin to be tried; `warning` and the place of the one that hangs are said of it. */
  watch(warning: string): void;
  /** An input is tried. */
  beat(): void;
  /** The last warning, for the input that is tried now. */
  warning(): string;
  stop(): Promise<void>;
}

export function startWatchdog(): Watchdog {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL('watchdog-worker.ts', import.meta.url), { workerData: beats });
  worker.unref();
  let said = '';
  return {
    watch(warning) {
      said = warning;
      Atomics.store(beats, 0, 0);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker takes no target origin
      worker.postMessage(warning);
    },
    beat: () => Atomics.add(beats, 0, 1),
    // Places begin at 0.
    warning: () => `${said} ${Atomics.load(beats, 0) - 1}`,
    stop: async () => {
      await worker.terminate();
    },
  };
}
