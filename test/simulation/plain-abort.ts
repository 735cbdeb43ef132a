/*
 * AbortController and AbortSignal without events: Node's spend most of their time on Event objects and weak references.
 * `plain-abort.test.ts` compares them with Node's.
 */

type Listener = () => void;

/** The part of an AbortSignal that modreg and its dependencies use. */
export class PlainAbortSignal {
  #isAborted = false;
  #reason: (() => unknown) | undefined;
  /** In the order in which they were added. */
  #listeners: Set<Listener> | undefined;
  /** The listeners to call at most once. */
  #once: Set<Listener> | undefined;
  /** The signals of `any` that follow this one. */
  #followers: PlainAbortSignal[] | undefined;

  /** A signal that is aborted as soon as one of `signals` is. */
  static any(signals: readonly PlainAbortSignal[]): PlainAbortSignal {
    const follower = new PlainAbortSignal();
    const first = signals.find(({ aborted }) => aborted);
    if (first) follower.#mark(() => first.reason);
    else for (const signal of signals) (signal.#followers ??= []).push(follower);
    return follower;
  }

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason?.();
  }

  throwIfAborted(): void {
    if (this.#isAborted) throw this.reason;
  }

  addEventListener(
    _: 'abort',
    listener: Listener,
    { once = false }: { readonly once?: boolean } = {},
  ): void {
    if (this.#listeners?.has(listener) === true) return;
    (this.#listeners ??= new Set()).add(listener);
    if (once) (this.#once ??= new Set()).add(listener);
  }

  removeEventListener(_: 'abort', listener: Listener): void {
    this.#listeners?.delete(listener);
    this.#once?.delete(listener);
  }

  /** Aborts the signal and its followers before any listener is called. */
  abort(reason: () => unknown): void {
    if (this.#isAborted) return;
    const all = new Set<PlainAbortSignal>([this]);
    // Iterating over a set also visits what is added during the iteration.
    for (const signal of all) {
      for (const follower of signal.#followers ?? []) if (!follower.aborted) all.add(follower);
    }
    for (const signal of all) signal.#mark(reason);
    for (const signal of all) signal.#tell();
  }

  #mark(reason: () => unknown): void {
    this.#isAborted = true;
    this.#reason = reason;
  }

  #tell(): void {
    for (const listener of this.#listeners ?? []) {
      if (this.#once?.has(listener) === true) this.removeEventListener('abort', listener);
      listener();
    }
  }
}

export class PlainAbortController {
  readonly signal: PlainAbortSignal = new PlainAbortSignal();

  abort(reason?: unknown): void {
    let why = reason;
    // Few ask for the reason, and such an error takes long to create.
    this.signal.abort(() => {
      if (why === undefined) why = new DOMException('This operation was aborted', 'AbortError');
      return why;
    });
  }
}
