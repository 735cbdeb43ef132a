import { writeFileSync } from 'node:fs';
import pLimit from 'p-limit';
import type { Result } from '../core/text/result.ts';
import type { Upcoming } from '../poller/upcoming.ts';
import type { Clock } from '../registry/clock.ts';
import { installPackage, nameOf } from './install/install-package.ts';
import type { InstallFailure } from './install/install-failure.ts';
import type { InstallStep } from './install/install-step.ts';
import type { Package } from './install/package.ts';
import { prefetchMark } from './install/package-store.ts';
import { installTermsFor, type Preparation } from './prepare.ts';
import { SERVER } from './server.ts';

export interface PrefetchOptions extends Preparation {
  readonly ports: {
    readonly isInstalled: (root: string) => boolean;
    readonly isMetered: (stopping: AbortSignal) => Promise<boolean>;
    readonly prefetched: typeof prefetched;
  };
  readonly clock: Clock;
  readonly random: () => number;
  /** Removes what is not used any more, the superseded packages first. Returns whether it did: not while something is installed. */
  readonly tidy: () => Promise<boolean>;
}

const MINUTE = 60_000;
/** A release is held on all machines at once, and their downloads are spread over this time. */
const LONGEST_DELAY_MS = 5 * MINUTE;
const FIRST_RETRY_MS = MINUTE;
const LONGEST_RETRY_MS = 60 * MINUTE;

/** What failed or could not be tried, by the package folder. */
interface Tried {
  readonly failures: number;
  /** On the monotonic clock. */
  readonly notBefore: number;
  /** The reasons that were reported. */
  readonly reported: ReadonlySet<string>;
}

const UNTRIED: Tried = { failures: 0, notBefore: -Infinity, reported: new Set() };

/** Downloads and unpacks the releases that only timing holds, one after the other, so that they are there when their moment comes (D78). */
export class Prefetch {
  readonly #options: PrefetchOptions;
  readonly #one = pLimit(1);
  #upcoming: readonly Upcoming[] = [];
  /** What is being prefetched, by the package folder. */
  readonly #begun = new Map<string, AbortController>();
  readonly #tried = new Map<string, Tried>();

  constructor(options: PrefetchOptions) {
    this.#options = options;
  }

  /** Begins what a plan holds, and ends what it does not deploy any more. */
  follow(upcoming: readonly Upcoming[]): void {
    const { ports, clock, onEvent, stopping } = this.#options;
    this.#upcoming = upcoming;
    const roots = new Set(upcoming.map(({ root }) => root));
    for (const root of this.#tried.keys()) if (!roots.has(root)) this.#tried.delete(root);
    for (const [root, ending] of this.#begun) {
      // One that is due now goes on: its delivery waits for it.
      if (!roots.has(root)) ending.abort(new Error('another release is deployed'));
    }
    for (const release of upcoming) {
      const { root } = release;
      const { notBefore } = this.#tried.get(root) ?? UNTRIED;
      if (!isWanted(release) || this.#begun.has(root) || clock.monotonic() < notBefore) continue;
      if (ports.isInstalled(root)) continue;
      const ending = new AbortController();
      this.#begun.set(root, ending);
      void this.#prefetch(release, AbortSignal.any([ending.signal, stopping]))
        .catch((error: unknown) => {
          if (!ending.signal.aborted && !stopping.aborted)
            onEvent({ kind: 'callback-error', error });
        })
        .finally(() => this.#begun.delete(root));
    }
  }

  async #prefetch(release: Upcoming, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    await clock.sleep(random() * LONGEST_DELAY_MS, signal);
    await this.#one(async () => {
      signal.throwIfAborted();
      await this.#fetch(release, signal);
    });
  }

  async #fetch(release: Upcoming, signal: AbortSignal): Promise<void> {
    const { ports, onEvent, tidy } = this.#options;
    const { root, version, target } = release;
    const isStillWanted = this.#upcoming.some((one) => one.root === root && isWanted(one));
    if (!isStillWanted || ports.isInstalled(root)) return;
    if (await ports.isMetered(signal)) return this.#wait(root, FIRST_RETRY_MS);
    // It would take the place and the time of what is installed now.
    if (!(await tidy())) return;
    const result = await ports.prefetched(release, { ...this.#options, signal });
    if (result.ok) {
      this.#tried.delete(root);
      const { ignored } = result.value;
      return onEvent({ kind: 'prefetched', name: target.name, version, ignored });
    }
    this.#failed(release, result.error.reason);
  }

  /** Reports it once for each reason (T340). */
  #failed({ root, version, target }: Upcoming, reason: string): void {
    const { reported, failures } = this.#tried.get(root) ?? UNTRIED;
    const retryMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
    this.#wait(root, retryMs, reason);
    if (reported.has(reason)) return;
    this.#options.onEvent({ kind: 'prefetch-failed', name: target.name, version, reason, retryMs });
  }

  /** Leaves it for a while; `reason` is why it failed, if it did. */
  #wait(root: string, ms: number, reason?: string): void {
    const { failures, reported } = this.#tried.get(root) ?? UNTRIED;
    this.#tried.set(root, {
      notBefore: this.#options.clock.monotonic() + ms,
      failures: reason === undefined ? failures : failures + 1,
      reported: reason === undefined ? reported : new Set([...reported, reason]),
    });
  }
}

function isWanted({ isTimed, terms }: Upcoming): boolean {
  return isTimed && terms.prefetch !== false;
}

/** Downloads, verifies and unpacks a release: all of its installation but its first run. Rejects only with the reason of `signal`. */
export async function prefetched(
  { target, version, artifact, root, terms }: Upcoming,
  {
    signal,
    ...preparation
  }: Pick<Preparation, 'site' | 'fetch' | 'turns' | 'stopping' | 'onEvent'> & {
    readonly signal: AbortSignal;
  },
): Promise<Result<Pick<Package, 'ignored'>, Pick<InstallFailure, 'reason'>>> {
  // The policy's command is for modules.
  const isModule = target.kind === 'module' || target.name === SERVER;
  const command = isModule ? terms.run.command : undefined;
  const own = { ...terms, run: { ...terms.run, command } };
  const order = installTermsFor({ artifact, terms: own, signal }, preparation);
  const { turns, onEvent } = preparation;
  const onStep = (step: InstallStep): void => {
    // Its bytes count, and its end is an event of its own.
    if (step.kind !== 'downloading') return;
    onEvent({ kind: 'installing', name: target.name, version, step });
  };
  return await turns.ofFile(artifact ? nameOf(artifact) : root, async () => {
    // It takes the turn of no download whose moment has come.
    const apart = { download: pLimit(1), unpack: turns.unpack };
    const installed = await installPackage({ ...order, root, turns: apart, onStep });
    if (installed.ok) writeFileSync(prefetchMark(root), '');
    return installed;
  });
}
