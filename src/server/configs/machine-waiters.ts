/** Those who wait for what is served to machines. */
export interface MachineWaiters {
  /** Calls `wake` until the result is called. */
  readonly add: (machine: string, wake: () => void) => () => void;
  readonly wake: (machine: string) => void;
  readonly wakeAll: () => void;
}

export function machineWaiters(): MachineWaiters {
  /** Most machines have one request that waits, for which a set would take more than all else here. */
  const waiting = new Map<string, (() => void) | Set<() => void>>();
  const wake = (machine: string): void => {
    const all = waiting.get(machine);
    if (typeof all === 'function') all();
    else for (const one of all ?? []) one();
  };
  return {
    add(machine, one) {
      const others = waiting.get(machine);
      if (others === undefined) waiting.set(machine, one);
      else if (typeof others === 'function') waiting.set(machine, new Set([others, one]));
      else others.add(one);
      return () => {
        const all = waiting.get(machine);
        if (typeof all !== 'function') all?.delete(one);
        if (all === one || (typeof all === 'object' && all.size === 0)) waiting.delete(machine);
      };
    },
    wake,
    wakeAll() {
      for (const machine of waiting.keys()) wake(machine);
    },
  };
}
