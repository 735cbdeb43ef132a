import type { ModuleId } from '../core/index.ts';
import type { Activation, Fault, Installed } from '../core/machine/activation.ts';
import type { UpdateTerms } from '../core/machine/update-policy.ts';
import type { Clock } from '../registry/clock.ts';
import { DatabaseError, type MachineFile } from '../store/index.ts';
import { activationsIn, noteActivation } from '../store/activations.ts';
import {
  versionOf,
  type Command,
  type Lifecycle,
  type LifecycleEvent,
  type Marks,
} from './supervision/lifecycle.ts';
import { step } from './supervision/transitions.ts';

/** A process of a module, from before its launch until nothing of it is left. */
export interface ModuleProcess {
  /** Ends the process and all that it started. Resolves once nothing of it is left. */
  readonly stop: () => Promise<void>;
}

/** What a process reports: `ready` at most once, and `failed` at most once and last. */
export interface ProcessReports {
  readonly ready: () => void;
  readonly failed: (fault: Fault) => void;
}

/** What a version in use shows at any time: a failure, or that it has worked for so long that it says something about others (D80). */
export type Evidence = Extract<Command, { readonly command: 'report' | 'works' }>;

/** The outcome of an action. */
export type ActionEnd = Extract<Command, { readonly command: 'done' | 'fail' }>;

export interface SupervisionOptions {
  readonly name: string;
  readonly moduleId: ModuleId;
  readonly file: MachineFile;
  readonly clock: Clock;
  readonly random: () => number;
  /** The terms as they are now. */
  readonly terms: () => UpdateTerms['run'];
  /** Starts a version. It has not begun to run when this returns. */
  readonly start: (run: Installed, reports: ProcessReports) => ModuleProcess;
  /** Called with the outcome of each action. */
  readonly onEnd: (end: ActionEnd) => void;
  /** Called with what the version in use shows, although its action was done. */
  readonly onEvidence: (evidence: Evidence) => void;
  /** Called after each change. */
  readonly onState: (state: Lifecycle, change: StateChange) => void;
  /** Called when a step waits for the machine's file. */
  readonly onTrouble: (error: DatabaseError) => void;
}

/** What belongs to a change of state. */
interface StateChange {
  /** The failure that caused it. */
  readonly failed: { readonly version: string | undefined; readonly fault: Fault } | undefined;
  /** How long the new state waits. */
  readonly waitMs: number | undefined;
}

/** How long to wait before a step is tried again that the file did not take. */
const RETRY_MS = 1000;

/**
 * One module entry: carries out what the lifecycle says, and owns the entry's process. Each change is on disk before
 * anything is done because of it. If the file cannot be written, nothing changes until it can.
 */
export class SupervisedModule {
  readonly #options: SupervisionOptions;
  #state: Lifecycle = { state: 'idle' };
  #process: ModuleProcess | undefined;
  /** Aborts what waits for a time in the current state. */
  #waiting = new AbortController();

  constructor(options: SupervisionOptions) {
    this.#options = options;
  }

  get state(): Lifecycle {
    return this.#state;
  }

  /**
   * Passes an event to the lifecycle. Returns false if it means nothing in the current state. Throws a DatabaseError if
   * the change cannot be written; then nothing has changed.
   */
  send(event: LifecycleEvent): boolean {
    const { clock, random, terms } = this.#options;
    const { probationMs } = terms();
    const result = step(this.#state, event, {
      now: clock.monotonic(),
      random: random(),
      probationMs,
    });
    if (!result) return false;
    if (result.row !== undefined) this.#write(result.row, event);
    if (result.marks) this.#mark(result.marks);
    const version = versionOf(this.#state);
    this.#state = result.next;
    this.#waiting.abort();
    // That a version goes on running is no change.
    if (event.event !== 'waited' || result.next.state !== 'running' || !result.marks) {
      this.#options.onState(result.next, {
        failed: event.event === 'failed' ? { version, fault: event.fault } : undefined,
        waitMs: result.commands.find((one) => one.command === 'wait')?.ms,
      });
    }
    for (const command of result.commands) this.#carryOut(command);
    return true;
  }

  /** Passes an event that must not be lost: again and again, until the file takes the change. */
  tell(event: LifecycleEvent): void {
    try {
      this.send(event);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      this.#options.onTrouble(error);
      void this.#wait(RETRY_MS, event);
    }
  }

  #write(row: Activation | null, { event }: LifecycleEvent): void {
    const { file, name, moduleId } = this.#options;
    try {
      noteActivation(file, name, row ? { moduleId, activation: row } : undefined);
    } catch (error) {
      // An agent can be stopped while the disk is full: then the interrupted attempt counts.
      if (event !== 'shut-down' || !(error instanceof DatabaseError)) throw error;
    }
  }

  /** Changes what is on disk about the version in use, and nothing about the action that ended last. */
  #mark(marks: Marks): void {
    const { file, name, moduleId } = this.#options;
    const record = activationsIn(file).get(name);
    // A local module has nothing on disk: a row is of the release that ran before it.
    if (record?.moduleId !== moduleId || record.activation.phase !== 'stable') return;
    if (record.activation.current.root !== marks.current.root) return;
    try {
      noteActivation(file, name, { moduleId, activation: { ...record.activation, ...marks } });
    } catch (error) {
      // A module goes on without its marks.
      if (!(error instanceof DatabaseError)) throw error;
    }
  }

  #carryOut(command: Command): void {
    switch (command.command) {
      case 'start':
        this.#start(command.run);
        break;
      case 'stop':
        void this.#stop();
        break;
      case 'wait':
        void this.#wait(command.ms, { event: 'waited' });
        break;
      case 'done':
      case 'fail':
        this.#options.onEnd(command);
        break;
      case 'report':
      case 'works':
        this.#options.onEvidence(command);
    }
  }

  #start(run: Installed): void {
    const reported = (event: LifecycleEvent): void => {
      // What an earlier process still reports is about nothing that exists.
      if (this.#process === process) this.tell(event);
    };
    const process = this.#options.start(run, {
      ready: () => reported({ event: 'ready' }),
      failed: (fault) => reported({ event: 'failed', fault }),
    });
    this.#process = process;
  }

  async #stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.stop();
    this.tell({ event: 'gone' });
  }

  async #wait(ms: number, event: LifecycleEvent): Promise<void> {
    this.#waiting.abort();
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    try {
      await this.#options.clock.sleep(ms, signal);
    } catch {
      // The state changed first.
      return;
    }
    this.tell(event);
  }
}
