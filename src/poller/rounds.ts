import { NOT_ASKED, type ModuleId, type ModuleList } from '../core/index.ts';
import type { LoggedRound } from '../store/index.ts';
import type { PollableRegistry } from '../registry/pollable-registry.ts';
import { during } from './during.ts';
import { PolledRegistry, type Polling } from './polled-registry.ts';

/** Whom to ask, and when. A registry that does not answer keeps no other from being asked again. (T59) */
export class Rounds {
  readonly #polling: Polling;
  readonly #onAnswer: () => void;
  readonly #registries = new Map<PollableRegistry, PolledRegistry>();
  /** What settles once a registry that was asked has answered. */
  readonly #asking = new Set<Promise<void>>();
  #count = 0;
  #at = 0;
  #isInformed = false;

  /** `onAnswer` is told when there may be other lists. */
  constructor(polling: Polling, onAnswer: () => void) {
    this.#polling = polling;
    this.#onAnswer = onAnswer;
  }

  /** How many began. */
  get count(): number {
    return this.#count;
  }

  /** Whether a registry has answered, or none has to. */
  get isInformed(): boolean {
    return this.#isInformed;
  }

  get isDue(): boolean {
    const idle = this.#idle();
    return this.#registries.size === 0 || idle.some(({ untilDue }) => untilDue === 0);
  }

  /** When lists were last asked for, and why not all of them are the registries' own word now. */
  get last(): LoggedRound {
    const errors = [...this.#registries.values()].flatMap(({ errors: all }) => all);
    const [first] = errors;
    const rest = errors.length - 1;
    const trouble = first && rest > 0 ? `${first.message}, and ${rest} more` : first?.message;
    return { at: this.#at, trouble };
  }

  /** What `registry` says of a module, as far as it was asked. */
  list(registry: PollableRegistry, moduleId: ModuleId): ModuleList {
    return this.#registries.get(registry)?.list(moduleId) ?? NOT_ASKED;
  }

  /** Asks the registries that are due for the modules that are needed of each, and forgets all others. */
  begin(needed: ReadonlyMap<PollableRegistry, readonly ModuleId[]>, signal: AbortSignal): void {
    for (const [registry, { isAsked }] of this.#registries) {
      // What it is asked it is not asked again, whatever the configuration leaves out and takes in.
      if (!needed.has(registry) && !isAsked) this.#registries.delete(registry);
    }
    this.#count++;
    this.#at = this.#polling.clock.now();
    for (const [registry, moduleIds] of needed) {
      const polled = this.#registries.get(registry) ?? new PolledRegistry(registry, this.#polling);
      this.#registries.set(registry, polled);
      const isNew = moduleIds.some((moduleId) => !polled.reading(moduleId));
      const isDue = polled.untilDue === 0 || isNew;
      if (isDue && !polled.isAsked) this.#ask(polled, moduleIds, signal);
    }
    // A machine that needs no lists is planned all the same.
    if (needed.size === 0) this.#inform();
  }

  /** Until a registry has answered, or is due, as its interval or its feed of changes has it. */
  async untilNext(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#polling;
    const idle = this.#idle();
    const wait = idle.reduce((least, { untilDue }) => Math.min(least, untilDue), intervalMs);
    await during(signal, async (heeding) => {
      const due = clock.sleep(wait, heeding);
      // One promise a registry, that resolves once the registry is due.
      const heeds = idle.map(async (polled) => {
        await polled.heed(heeding);
        if (polled.untilDue > 0) await due;
      });
      await Promise.race([due, ...heeds, ...this.#asking]);
    });
  }

  #idle(): PolledRegistry[] {
    return [...this.#registries.values()].filter(({ isAsked }) => !isAsked);
  }

  #ask(polled: PolledRegistry, moduleIds: readonly ModuleId[], signal: AbortSignal): void {
    const answered = async (): Promise<void> => {
      try {
        await polled.poll(moduleIds, signal);
      } catch (error) {
        if (!signal.aborted) this.#polling.onEvent({ kind: 'callback-error', error });
      }
      this.#asking.delete(asking);
      this.#inform();
    };
    const asking = answered();
    this.#asking.add(asking);
  }

  #inform(): void {
    this.#isInformed = true;
    this.#onAnswer();
  }
}
