import { systemClock } from '../registry/clock.ts';
import { MOST_NAMES, windowHolds, type WindowHold } from '../server/fleet/window-holds.ts';
import { inTurns } from '../server/fleet/slices.ts';
import { windowRulesIn } from '../store/facts.ts';
import { keptCounts } from './kept-counts.ts';
import { reportedWindows, type ReportedWindows } from './reported-windows.ts';
import type { Answer, SiteFiles } from './site-files.ts';
import { whatIfBudget } from './what-if-budget.ts';

/** What machines do when their maintenance windows open, as far as they reported it. */
export interface WindowWork extends Omit<WindowHold, 'facts'> {
  /** In milliseconds since the epoch. */
  readonly opensAt: number;
}

/** What waits for windows (D442). */
export interface NextWindows {
  /** What waits for windows that open within 24 hours, the earliest first, and how much of it there is. */
  readonly work: readonly WindowWork[];
  readonly workOf: number;
  /** How many replacements wait for a later window, or one that is not known here. */
  readonly later: number;
}

export interface SiteWindows {
  nextWindows(): Promise<Answer<NextWindows>>;
}

const DAY_MS = 86_400_000;
const MOST_WORK = 10;
/** So many machines' windows are evaluated. */
const MOST_RULES = 200;

export function nextWindowsOf({ fleet, now }: SiteFiles): SiteWindows {
  const kept = keptCounts<Promise<NextWindows>>(systemClock);
  return {
    nextWindows: async () => ({
      ok: true,
      value: await kept('', async () => await nextWindows(fleet.read(windowHolds), now())),
    }),
  };
}

async function nextWindows(holds: readonly WindowHold[], now: number): Promise<NextWindows> {
  const openingOf = openings(now);
  const work = new Map<string, WindowWork>();
  let later = 0;
  for (const { facts, ...hold } of holds) {
    const opensAt = await openingOf(windowRulesIn(facts), hold.machines);
    if (opensAt === undefined || opensAt > now + DAY_MS) {
      later += hold.machinesOf;
      continue;
    }
    const key = JSON.stringify([opensAt, hold.moduleId, hold.deployed, hold.target]);
    const same = work.get(key);
    const machines = [...(same?.machines ?? []), ...hold.machines].toSorted().slice(0, MOST_NAMES);
    const machinesOf = (same?.machinesOf ?? 0) + hold.machinesOf;
    work.set(key, { ...hold, opensAt, machines, machinesOf });
  }
  const sorted = [...work.values()].toSorted((one, other) => one.opensAt - other.opensAt);
  return { work: sorted.slice(0, MOST_WORK), workOf: sorted.length, later };
}

/** When windows with the same rules open, or opened; undefined if that is not known. Other pages are shown meanwhile (T268). */
function openings(
  now: number,
): (rules: unknown, machines: readonly string[]) => Promise<number | undefined> {
  const budget = whatIfBudget(systemClock);
  const windows = reportedWindows(budget, now);
  const found = new Map<string, number | undefined>();
  return async (rules, machines) => {
    const key = JSON.stringify([rules]);
    if (found.has(key) || found.size >= MOST_RULES) return found.get(key);
    const isUsable = await inTurns(windows.areUsable(rules, machines));
    const isKnown = isUsable && budget.exceeded(machines) === undefined;
    found.set(key, isKnown ? opening(rules, windows, now) : undefined);
    return found.get(key);
  };
}

function opening(
  rules: unknown,
  { windowOf }: Pick<ReportedWindows, 'windowOf'>,
  now: number,
): number | undefined {
  try {
    const window = windowOf(rules);
    return window.openSince(now) ?? window.nextOpening(now);
  } catch (error) {
    // A bad pattern or time zone, or a window that the agent computes.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
