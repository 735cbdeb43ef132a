import { suspectOf, type Suspect } from '../core/plan/reboots.ts';
import { keyOf } from '../core/plan/target.ts';
import { parseVersion } from '../core/version/version.ts';
import type { Configuration, Poller } from '../poller/index.ts';
import type { Clock } from '../registry/clock.ts';
import { DatabaseError, type ClaimedFile } from '../store/index.ts';
import type { Modules } from './modules.ts';
import { supervisedEntries, targetOf } from './server.ts';

/** How long a release that may end the machine waits for what a round finds, at most. */
const LONGEST_WAIT_MS = 60_000;

/** What the agent does about a release after whose starts the machine went down each time (D85). */
export class Rebooting {
  readonly #file: ClaimedFile;
  readonly #clock: Clock;
  readonly #boot: string | undefined;
  #suspect: Suspect | undefined;
  #start: (() => void) | undefined;

  /** `boot` is the boot of the machine, if that is known. */
  constructor(file: ClaimedFile, clock: Clock, boot: string | undefined) {
    this.#boot = boot;
    this.#file = file;
    this.#clock = clock;
  }

  /** The release; undefined if there is none. */
  get suspect(): Suspect | undefined {
    return this.#suspect;
  }

  /** Looks for one, before this start is recorded and modules start. It starts when a round leaves it, or after a minute. */
  begin(modules: Pick<Modules, 'holdBeforeStart'>, stopping: AbortSignal): void {
    const now = { at: this.#clock.now(), boot: this.#boot };
    this.#suspect = suspectOf(this.#file.state.memory(), now);
    if (!this.#suspect?.isBlamed) return;
    this.#start = modules.holdBeforeStart(this.#suspect.target.name, REASON);
    void this.#startLater(stopping);
  }

  /** Call it after each plan: nothing replaces the release if no action is open. */
  follow(): void {
    const { target } = this.#suspect ?? {};
    if (!target || !this.#start) return;
    try {
      const { open } = this.#file.state.memory();
      if (open.some(({ action }) => keyOf(action.target) === keyOf(target))) return;
    } catch (error) {
      // It starts after a minute.
      if (!(error instanceof DatabaseError)) throw error;
      return;
    }
    this.#begin();
  }

  /** Reports it as failed. It stays the version in use until another one takes its place. */
  async report({ machine }: Configuration, poller: Pick<Poller, 'reportFailure'>): Promise<void> {
    const { target, version, count, isBlamed } = this.#suspect ?? {};
    if (!isBlamed) return;
    const entry = supervisedEntries(machine).find(({ name }) => name === target?.name);
    // What a `pin_url` names has no version to put into quarantine.
    if (!entry || version === undefined || !parseVersion(version).ok) return;
    const reason = `the agent or the machine went down within ten minutes of each of its last ${count} starts`;
    await poller.reportFailure(targetOf(entry), { version, reason, running: version });
  }

  async #startLater(stopping: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(LONGEST_WAIT_MS, stopping);
    } catch (error) {
      if (stopping.aborted) return;
      throw error;
    }
    this.#begin();
  }

  #begin(): void {
    this.#start?.();
    this.#start = undefined;
  }
}

/** No module entry has a name with a slash. */
const REASON = '/reboots';
