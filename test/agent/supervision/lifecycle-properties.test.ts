import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Activation } from '../../../src/core/machine/activation.ts';
import type {
  Command,
  Lifecycle,
  LifecycleEvent,
} from '../../../src/agent/supervision/lifecycle.ts';
import { step } from '../../../src/agent/supervision/transitions.ts';
import { RUNS } from '../../support/runs.ts';

type Told = 'failed' | 'gone' | 'hold' | 'ready' | 'release' | 'remove' | 'shut-down' | 'waited';

/** What may happen to a module next. What is impossible at the time does not happen. */
type Happening = Told | 'activate' | 'restart' | 'kill the agent';

const HAPPENINGS: readonly Happening[] = [
  ...(['ready', 'ready', 'gone', 'gone', 'waited', 'waited', 'failed', 'hold'] as const),
  ...(['release', 'activate', 'activate', 'restart', 'remove', 'shut-down'] as const),
  'kill the agent',
];

/** One module on a machine, whose process does what `play` says. Keeps what breaks a promise of the lifecycle. */
class Site {
  readonly broken: string[] = [];
  #state: Lifecycle = { state: 'idle' };
  #disk: Activation | undefined;
  #process:
    { readonly root: string; readonly isEnding: boolean; readonly isReady: boolean } | undefined;
  #isWaiting = false;
  #now = 0;
  #actions = 0;
  /** The actions that were begun and have not ended. */
  readonly #open = new Set<string>();
  /** The versions that have worked, since one was last in use. */
  readonly #worked = new Set<string>();

  play(happening: Happening): void {
    this.#now += 1000;
    if (happening === 'kill the agent') this.#restartAgent();
    else if (happening === 'activate') this.#activate();
    else if (happening === 'restart') this.#begin({ event: 'restart', action: this.#next() });
    else if (happening === 'remove') this.#leave('remove');
    else if (happening === 'shut-down') this.#leave('shut-down');
    else this.#tell(happening);
  }

  /** Everything works from now on. Returns the state in which the module then stays. */
  calm(): Lifecycle['state'] {
    for (let turn = 0; turn < 100; turn++) {
      this.#now += 1000;
      for (const happening of ['release', 'gone', 'waited', 'ready'] as const)
        this.#tell(happening);
    }
    for (const action of this.#open) this.broken.push(`${action} has no outcome`);
    if (this.#worked.size > 0 && this.#state.state !== 'running') {
      this.broken.push(`a version worked, and none runs: ${this.#state.state}`);
    }
    return this.#state.state;
  }

  #next(): string {
    return `action ${++this.#actions}`;
  }

  #tell(told: Exclude<Told, 'remove' | 'shut-down'>): void {
    switch (told) {
      case 'ready':
        if (!this.#process || this.#process.isEnding || this.#process.isReady) return;
        this.#process = { ...this.#process, isReady: true };
        this.#send({ event: 'ready' });
        break;
      case 'failed':
        if (!this.#process || this.#process.isEnding) return;
        this.#send({ event: 'failed', fault: { reason: 'it failed', blame: 'release' } });
        break;
      case 'gone':
        if (this.#process?.isEnding !== true) return;
        this.#process = undefined;
        this.#send({ event: 'gone' });
        break;
      case 'waited':
        if (!this.#isWaiting) return;
        this.#isWaiting = false;
        this.#send({ event: 'waited' });
        break;
      case 'hold':
      case 'release':
        this.#send({ event: told });
    }
  }

  #activate(): void {
    const action = this.#next();
    const current =
      this.#disk && 'current' in this.#disk ? this.#disk.current : this.#disk?.previous;
    const candidate = { version: action, root: `/packages/${action}` };
    this.#begin({ event: 'activate', action, candidate, restorable: current?.root });
  }

  #begin(event: Extract<LifecycleEvent, { readonly action: string }>): void {
    // The poller delivers one action of a module at a time.
    if (this.#open.size > 0) return;
    this.#send(event, () => this.#open.add(event.action));
  }

  /** The entry leaves the config and returns, or the agent ends and starts again. */
  #leave(event: 'remove' | 'shut-down'): void {
    this.#send({ event });
    // Nothing would report it later.
    for (const action of event === 'remove' ? this.#open : [])
      this.broken.push(`${action} has no outcome after its entry left`);
    this.#tell('gone');
    if (this.#state.state !== 'idle') this.broken.push(`${this.#state.state} after ${event}`);
    this.#restartAgent();
  }

  /** The system kills the processes with the agent. */
  #restartAgent(): void {
    this.#state = { state: 'idle' };
    this.#process = undefined;
    this.#isWaiting = false;
    // Restarts are delivered again, and other actions go on from what is on disk.
    const going = this.#disk && 'action' in this.#disk ? this.#disk.action : undefined;
    for (const action of this.#open) if (action !== going) this.#open.delete(action);
    if (this.#disk) this.#send({ event: 'resume', row: this.#disk, isHeld: false });
  }

  #send(event: LifecycleEvent, onAccepted?: () => void): void {
    const around = { now: this.#now, random: 0.5, probationMs: 30_000 };
    const result = step(this.#state, event, around);
    if (!result) return;
    onAccepted?.();
    if (result.row !== undefined) this.#write(result.row ?? undefined, event);
    if (result.marks && this.#disk?.phase === 'stable') {
      this.#disk = { ...this.#disk, ...result.marks };
    }
    this.#state = result.next;
    this.#isWaiting = false;
    for (const command of result.commands) this.#carryOut(command);
  }

  #write(row: Activation | undefined, { event }: LifecycleEvent): void {
    this.#disk = row;
    if (row?.phase === 'stable') this.#worked.add(row.current.root);
    const kept = [row?.previous?.root, row && 'current' in row ? row.current.root : undefined];
    if (
      this.#worked.size > 0 &&
      !kept.some((root) => root !== undefined && this.#worked.has(root))
    ) {
      this.broken.push(`${event} leaves no version that worked`);
    }
  }

  #carryOut(command: Command): void {
    switch (command.command) {
      case 'start':
        if (this.#process) this.broken.push('two processes at once');
        if (!this.#isReason(command.run.root))
          this.broken.push(`nothing says why ${command.run.root} starts`);
        this.#process = { root: command.run.root, isEnding: false, isReady: false };
        break;
      case 'stop':
        if (!this.#process || this.#process.isEnding) this.broken.push('nothing to stop');
        else this.#process = { ...this.#process, isEnding: true };
        break;
      case 'wait':
        this.#isWaiting = true;
        break;
      case 'done':
      case 'fail':
        if (!this.#open.delete(command.action))
          this.broken.push(`a second outcome of ${command.action}`);
        break;
      case 'report':
      case 'works':
    }
  }

  /** Whether what is on disk says that this version is to run: a killed agent would start the same one. */
  #isReason(root: string): boolean {
    switch (this.#disk?.phase) {
      case 'stable':
        return this.#disk.current.root === root;
      case 'trying':
        return this.#disk.candidate.root === root;
      case 'rolling-back':
        return this.#disk.previous.root === root;
      case undefined:
        return false;
    }
  }
}

it('[A2] at most one process exists, a version that worked is kept, starts have a persisted reason, actions one outcome', () => {
  const histories = fc.array(fc.constantFrom(...HAPPENINGS), { maxLength: 60 });
  const seen = new Set<string>();
  fc.assert(
    fc.property(histories, (happenings) => {
      const site = new Site();
      for (const happening of happenings) site.play(happening);
      seen.add(site.calm());
      expect(site.broken).toEqual([]);
    }),
    { numRuns: RUNS.numRuns * 10 },
  );
  expect([...seen].toSorted()).toEqual(['idle', 'running']);
});
