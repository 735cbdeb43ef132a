import type { InjectedFault } from './injected-fault.ts';
import type { Ended } from './run-traced.ts';

/** A process that works on files, and what must be true after one of its system calls failed. */
export interface Scene {
  readonly name: string;
  /** Creates what the process finds in an empty folder. */
  readonly prepare: (folder: string) => void | Promise<void>;
  /** The process: its program and arguments. */
  readonly command: (folder: string) => readonly string[];
  /** What others do while the process runs, until `over` aborts because it has ended. Ends a process that would go on. */
  readonly meanwhile?: (
    folder: string,
    fault: InjectedFault | undefined,
    over: AbortSignal,
  ) => Promise<void>;
  /** The files whose system calls fail. */
  readonly files: (folder: string) => readonly string[];
  /** Everything that is wrong after the process has ended. */
  readonly judge: (folder: string, ended: Ended) => string[] | Promise<string[]>;
}
