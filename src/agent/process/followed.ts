import { familyOf, type Family } from './family.ts';
import { tellGuard } from './guard.ts';
import { marked, processes, processOf, type Process } from './process-table.ts';

const FIRST_LOOK_MS = 250;
/** The longest time between two looks: each one reads a file of every process of the machine. */
const LOOK_MS = 10_000;

const families = new Set<Family>();
let looking: NodeJS.Timeout | undefined;

/** The processes of a program, from its start until none is left. */
export interface Followed extends Family {
  /** Returns those that run now, also those that only its mark tells. */
  readonly look: () => readonly Process[];
  /** Must be called once none is left. */
  readonly end: () => void;
}

/**
 * Follows what a program starts, by looking from time to time: what clears its environment, so that its mark is gone, and
 * leaves its session is found while its parent runs, and known from then on, also to the guard (T345).
 */
export function follow(pid: number, mark: string): Followed {
  const family = familyOf(processOf(pid));
  families.add(family);
  tell();
  lookAfter(FIRST_LOOK_MS);
  return {
    ...family,
    look: () => {
      // While a process is between two programs, its mark cannot be read: it must be seen before it leaves the session.
      family.among(processes());
      for (const one of marked(mark)) family.add(one);
      return family.among(processes());
    },
    end: () => {
      families.delete(family);
      tell();
    },
  };
}

/** Looks after `ms`, and doubles the wait each time. Each start of a program resets it: most programs start others at once. */
function lookAfter(ms: number): void {
  clearTimeout(looking);
  looking = setTimeout(() => {
    if (families.size === 0) return;
    const table = processes();
    for (const family of families) family.among(table);
    tell();
    lookAfter(Math.min(2 * ms, LOOK_MS));
  }, ms).unref();
}

function tell(): void {
  tellGuard([...families].flatMap((family) => family.known()));
}
