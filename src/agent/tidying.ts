import type { Upcoming } from '../poller/upcoming.ts';
import type { Delivery } from '../poller/index.ts';
import { packagesInUse } from './packages-in-use.ts';
import { foldersOf, type Execution } from './carry-out.ts';

const HOUR = 3_600_000;

/** What of an execution is needed here. */
type Tidied = Pick<
  Execution,
  'ports' | 'file' | 'clock' | 'site' | 'turns' | 'stopping' | 'onEvent'
>;

/** What of a delivery names packages. */
type Packages = Pick<Delivery, 'action' | 'folders' | 'rollback'>;

/** Removes packages and downloads that nothing uses any more, at the start and while the agent runs (D78). */
export class Tidying {
  readonly #execution: Tidied;
  /** What is being carried out: its package may not be in use yet. */
  readonly #deliveries = new Set<Packages>();
  #upcoming: readonly Upcoming[] | undefined;
  /** On the monotonic clock. */
  #lastAt = -Infinity;

  constructor(execution: Tidied) {
    this.#execution = execution;
  }

  /** Runs `work` on a delivery, whose packages stay meanwhile. */
  async during(delivery: Packages, work: () => Promise<void>): Promise<void> {
    this.#deliveries.add(delivery);
    try {
      await work();
    } finally {
      this.#deliveries.delete(delivery);
    }
  }

  /** Keeps what a plan deploys, and tidies each hour. */
  follow(upcoming: readonly Upcoming[]): void {
    this.#upcoming = upcoming;
    const { clock, stopping, onEvent } = this.#execution;
    if (clock.monotonic() - this.#lastAt < HOUR) return;
    void this.tidy().catch((error: unknown) => {
      if (!stopping.aborted) onEvent({ kind: 'not-removed', error });
    });
  }

  /** Returns whether it did: not while something is installed. Rejects with a DatabaseError if the file cannot be used. */
  async tidy(): Promise<boolean> {
    const { turns } = this.#execution;
    return await turns.whileIdle(async () => await this.#remove());
  }

  /** Modules run also if a folder cannot be read or an old package cannot be removed. */
  async #remove(): Promise<void> {
    const { ports, file, clock, site, onEvent } = this.#execution;
    this.#lastAt = clock.monotonic();
    const delivered = [...this.#deliveries]
      .flatMap((one) => [foldersOf(one, this.#execution).root, one.rollback?.root])
      .filter((root) => root !== undefined);
    const kept = new Set([...packagesInUse(file, site.home), ...delivered]);
    const upcoming = this.#upcoming && new Set(this.#upcoming.map(({ root }) => root));
    const terms = { kept, upcoming, now: clock.now() };
    await ports.removeUnused(site.home, terms).catch((error: unknown) => {
      onEvent({ kind: 'not-removed', error });
    });
  }
}
