import { NO_CRASHES, RECOVERED_MS, type Crashes } from '../../src/agent/supervision/back-off.ts';
import { PROVEN_MS } from '../../src/agent/supervision/endurance.ts';
import type { Lifecycle } from '../../src/agent/supervision/lifecycle.ts';
import type { Activation } from '../../src/core/machine/activation.ts';

/** One module entry of an agent, its row in machine.db and its process. */
export interface Entry {
  readonly lifecycle: Lifecycle;
  readonly disk: Activation | undefined;
  readonly process: Process | undefined;
  /** When the wait that was asked for last ends; undefined if none was. */
  readonly waitsUntil: number | undefined;
  /** On the monotonic clock. */
  readonly now: number;
  /** The action that was begun and has no outcome. */
  readonly open: string | undefined;
  /** How often the agent was killed since the action began, and whether a process of it failed. */
  readonly kills: number;
  readonly hasFailed: boolean;
  /** The folders of what worked and may run again. */
  readonly worked: readonly string[];
}

export interface Process {
  readonly root: string;
  readonly isEnding: boolean;
  /** When it became ready; undefined before. */
  readonly readyAt: number | undefined;
}

/** A time is only compared with now, and crashes only with each other: what no comparison can tell apart is one state. */
export function textOf({ now, ...entry }: Entry): string {
  return JSON.stringify(entry, (name, value: unknown) => {
    if (name === 'crashes') return crashesText(value as Crashes | undefined, now);
    const isTime = name === 'since' || name === 'readyAt' || name === 'waitsUntil';
    if (isTime && typeof value === 'number') return agoText(name, now - value);
    return value;
  });
}

function agoText(name: string, ms: number): number {
  if (name === 'waitsUntil') return Math.min(0, ms);
  return Math.min(PROVEN_MS, ms);
}

/** A crash loop needs five crashes within ten minutes, and five since the last report. */
const MOST_COUNTED = 5;

function crashesText(crashes: Crashes | undefined, now: number): unknown {
  const { times, count, reportedAt } = crashes ?? NO_CRASHES;
  const ages = times.map((at) => now - at).filter((ms) => ms < RECOVERED_MS);
  const since = Math.min(MOST_COUNTED, count - (reportedAt ?? 0));
  return [crashes !== undefined, count > 0, ages.slice(-MOST_COUNTED), since];
}
