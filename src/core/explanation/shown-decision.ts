/** The decisions that people read as another word: tables, headlines and pages have one word for one state (D421). */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ['hold', 'waiting'],
  ['up-to-date', 'up to date'],
  ['ahead', 'up to date'],
]);

/** The word of a decision as people read it: `up to date`, `waiting`, `stuck`, `upgrade`. */
export function shownDecision(word: string): string {
  return SHOWN.get(word) ?? word;
}

/** The word of a deployed release that was yanked, and stays (D409). */
export const YANKED = 'yanked';

const SETTLED: ReadonlySet<string> = new Set(['up to date', 'local', 'disabled', YANKED]);

/** Whether nothing is to be done after a decision, by its word as people read it. */
export function isSettled(shown: string): boolean {
  return SETTLED.has(shown);
}
