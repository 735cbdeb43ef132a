import { DEEPEST, MOST_WINDOWS } from '../core/machine/document-limits.ts';

/** As JSON. Longer facts would take the space of many machines. */
const LONGEST_FACTS = 32 * 1024;

/**
 * Why the facts of a module are none that a machine reports: its own documents may not be nested deeper, nor have more windows (T263, T264). Undefined
 * if they are within the limits.
 */
export function factsProblem(facts: object): string | undefined {
  // First, because what measures the length descends to any depth.
  const windows = windowsIn(facts, DEEPEST);
  if (windows === undefined) return `nested more than ${DEEPEST} levels deep`;
  if (windows > MOST_WINDOWS) {
    return `found ${windows} maintenance windows, expected at most ${MOST_WINDOWS}`;
  }
  if (JSON.stringify(facts).length <= LONGEST_FACTS) return undefined;
  return `longer than ${LONGEST_FACTS} characters`;
}

/** The number of windows, wherever they are; undefined if the value has more levels than `left`. */
function windowsIn(value: unknown, left: number): number | undefined {
  if (typeof value !== 'object' || value === null) return 0;
  if (left === 0) return undefined;
  let all = 0;
  for (const [key, one] of Object.entries(value)) {
    const inner = windowsIn(one, left - 1);
    if (inner === undefined) return undefined;
    all += inner + (key === '$windows' && Array.isArray(one) ? one.length : 0);
  }
  return all;
}
