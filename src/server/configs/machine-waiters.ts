/** Those who wait for what is served to machines. */
export interface MachineWaiters {
  /** Calls `wake` until the result is called. */
  readonly add: (machine: string, wake: () => void) => () => void;
  readonly wake: (machine: string) => void;
  readonly wakeAll: () => void;
}

export function machineWaiters(): MachineWaiters {
  const waiting = new Map<string, Set<() => void>>();
  const wake = (machine: string): void => {
    for (const one of waiting.get(machine) ?? []) one();
  };
  return {
    add(machine, one) {
      const all = waiting.get(machine) ?? new Set();
      waiting.set(machine, all.add(one));
      return () => {
        all.delete(one);
        if (all.size === 0 && waiting.get(machine) === all) waiting.delete(machine);
      };
    },
    wake,
    wakeAll() {
      for (const machine of waiting.keys()) wake(machine);
    },
  };
}
