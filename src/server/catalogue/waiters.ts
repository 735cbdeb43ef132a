/** Those who wait for a change, of any module or of some. */
export interface Waiters {
  /** The result ends the wait. */
  add(wake: () => void, modules: ReadonlySet<string> | undefined): () => void;
  /** Wakes those who wait for one of `modules`; all if it is undefined. */
  wake(modules: readonly string[] | undefined): void;
}

export function waiters(): Waiters {
  const all = new Set<() => void>();
  const ofAny = new Set<() => void>();
  const ofModule = new Map<string, Set<() => void>>();
  return {
    add(wake, modules) {
      all.add(wake);
      if (!modules) ofAny.add(wake);
      for (const id of modules ?? []) {
        ofModule.set(id, (ofModule.get(id) ?? new Set()).add(wake));
      }
      return () => {
        all.delete(wake);
        ofAny.delete(wake);
        for (const id of modules ?? []) {
          const others = ofModule.get(id);
          others?.delete(wake);
          if (others?.size === 0) ofModule.delete(id);
        }
      };
    },
    wake(modules) {
      for (const wake of modules ? ofAny : all) wake();
      for (const id of modules ?? []) for (const wake of ofModule.get(id) ?? []) wake();
    },
  };
}
