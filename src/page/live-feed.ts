import type { PagedMachine } from './paged-machine.ts';
import { changesIn } from './plan-changes.ts';
import { shownOf, shownProblems } from './shown.tsx';
import type { Shown } from './views/modules-view.tsx';

/** At most so often the machine is looked at. */
const LOOK_MS = 1000;
/** Times such as `in 5 min` are renewed so often. */
const RENEW_MS = 60_000;

/** What the open pages are told. */
export interface Moment {
  readonly shown: Shown;
  /** What the log was like: another value means that it has other records. */
  readonly log: string;
}

/** Watches the machine while a page is open, once for all of them, and not at all otherwise. */
export class LiveFeed {
  readonly #machine: PagedMachine;
  readonly #onError: (error: unknown) => void;
  #followers = 0;
  #timer: NodeJS.Timeout | undefined;
  #seen: { readonly documents: string; readonly renewAt: number } | undefined;
  #moment: Moment | undefined;
  #changed = Promise.withResolvers<void>();
  /** The error of the last look, which is reported once; undefined if it had none. */
  #failed: string | undefined;

  /** `onError` is called when the machine cannot be looked at. The feed goes on with what it knows. */
  constructor(machine: PagedMachine, onError: (error: unknown) => void) {
    this.#machine = machine;
    this.#onError = onError;
  }

  /** Begins to watch, and returns a function that ends it. */
  follow(): () => void {
    this.#followers += 1;
    if (this.#followers === 1) void this.#look();
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      this.#followers -= 1;
      if (this.#followers > 0) return;
      clearTimeout(this.#timer);
      // The last state is out of date when the next feed opens.
      this.#seen = this.#moment = undefined;
    };
  }

  /** Resolves with the first moment that is not `known`; with undefined after `ms` milliseconds without one. */
  async after(known: Moment | undefined, ms: number): Promise<Moment | undefined> {
    if (this.#moment === known || this.#moment === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      // A process that ends does not wait for it.
      const timer = setTimeout(resolve, ms).unref();
      await Promise.race([promise, this.#changed.promise]);
      clearTimeout(timer);
    }
    return this.#moment === known ? undefined : this.#moment;
  }

  async #look(): Promise<void> {
    try {
      await this.#renew();
      this.#failed = undefined;
    } catch (error) {
      // The next look is another attempt: an error of one must not end the process.
      if (this.#failed !== String(error)) this.#onError(error);
      this.#failed = String(error);
    }
    clearTimeout(this.#timer);
    if (this.#followers > 0) this.#timer = setTimeout(() => void this.#look(), LOOK_MS);
  }

  async #renew(): Promise<void> {
    const { documents, log } = this.#machine.mark();
    const isNew = documents !== this.#seen?.documents || Date.now() >= this.#seen.renewAt;
    if (isNew) {
      const view = await this.#machine.view();
      const changes = view.ok ? changesIn(view.value.plan) : [];
      this.#seen = { documents, renewAt: Math.min(Date.now() + RENEW_MS, ...changes) };
      const shown = view.ok ? shownOf(view.value) : shownProblems(view.error, this.#moment?.shown);
      this.#tell({ shown, log });
    } else if (this.#moment && log !== this.#moment.log) {
      this.#tell({ ...this.#moment, log });
    }
  }

  #tell(moment: Moment): void {
    this.#moment = moment;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
