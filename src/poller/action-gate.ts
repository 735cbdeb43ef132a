import { crashLoopEnd } from '../core/plan/crash-loop.ts';
import { suspectOf } from '../core/plan/reboots.ts';
import { keyOf } from '../core/plan/target.ts';
import type { Clock } from '../registry/clock.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import type { PollerEvent } from './event.ts';
import type { Lists } from './lists.ts';

/** How many rounds have begun, and when the next one does, in milliseconds since the epoch. */
type RoundsSoFar = Pick<Lists, 'rounds' | 'nextRoundAt'>;

/** Decides whether a poller may act on its plans. */
export class ActionGate {
  readonly #clock: Clock;
  readonly #onEvent: (event: PollerEvent) => void;
  /** Whether the agent suspects a release, and tries an action at most three times (D85). */
  readonly #isUrgent: () => boolean;
  #suspected: string | undefined;
  #isBlank = false;
  #isNew = false;
  /** The round of the first plan. Earlier rounds had no answer, so nothing was observed in them. */
  #observedIn: number | undefined;
  #isCrashLoop = false;

  constructor(
    clock: Clock,
    onEvent: (event: PollerEvent) => void,
    isUrgent: () => boolean = () => false,
  ) {
    this.#clock = clock;
    this.#onEvent = onEvent;
    this.#isUrgent = isUrgent;
  }

  /** `memory` is the machine's memory before the poller started; undefined if it cannot be read. */
  begin(memory: MachineMemory | undefined, { isNew }: { readonly isNew: boolean }): void {
    this.#isBlank = memory?.isBlank ?? true;
    this.#isNew = isNew;
  }

  /** Whether a plan made now may be committed. With a blank memory, the first plan is observe-only (T53). */
  mayCommit(memory: MachineMemory, { rounds, nextRoundAt }: RoundsSoFar): boolean {
    const mayAct = this.mayAct(memory, rounds);
    if (this.#observedIn === undefined && this.#looksFirst(memory)) {
      this.#onEvent({ kind: 'observe-only', nextRoundAt });
    }
    this.#observedIn ??= rounds;
    return mayAct;
  }

  /** Whether actions may be delivered: not in the round of the first plan of a blank memory, nor in a crash loop (T53, T57). */
  mayAct(memory: MachineMemory, rounds: number): boolean {
    const until = crashLoopEnd(memory.starts, this.#clock.now());
    if (until !== undefined && !this.#isCrashLoop) {
      this.#onEvent({ kind: 'crash-loop', until });
    }
    this.#isCrashLoop = until !== undefined;
    const hasObserved = this.#observedIn !== undefined && rounds > this.#observedIn;
    return until === undefined && (!this.#looksFirst(memory) || hasObserved);
  }

  /**
   * The key of the target on which actions may be carried out in a crash loop: its release may be the cause, so it may always be
   * replaced, and so may the one before it, by a fix (D85). Undefined if there is none.
   */
  onlyTarget({ starts, boots, lastChange }: MachineMemory): string | undefined {
    const now = this.#clock.now();
    if (!this.#isUrgent() || crashLoopEnd(starts, now) === undefined) return undefined;
    const earlier = { lastChange, starts: starts.slice(0, -1), boots: boots?.slice(0, -1) };
    const suspect = suspectOf(earlier, { at: starts.at(-1) ?? now, boot: boots?.at(-1) });
    if (suspect) this.#suspected = keyOf(suspect.target);
    return this.#suspected;
  }

  /** Nothing was lost on a new machine, so it acts at once on what the agent says is deployed (D73). */
  #looksFirst({ isBlank }: MachineMemory): boolean {
    return this.#isBlank && (isBlank || !this.#isNew);
  }
}
