/** Wakes what waits until something is true. */
export class Changes {
  #next = Promise.withResolvers<void>();

  notify(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Resolves once `isTrue` returns true after a change. Rejects with the reason of `signal`. */
  async until(isTrue: () => boolean, signal?: AbortSignal): Promise<void> {
    const wake = (): void => this.notify();
    signal?.addEventListener('abort', wake);
    const isOver = (): boolean => signal?.aborted === true || isTrue();
    while (!isOver()) await this.#next.promise;
    signal?.removeEventListener('abort', wake);
    signal?.throwIfAborted();
  }
}
