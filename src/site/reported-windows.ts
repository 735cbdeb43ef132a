import { LRUCache } from 'lru-cache';
import { compileWindow, compileWindows, type CompiledWindow } from '../config/window.ts';
import type { Window } from '../core/index.ts';
import type { Slices } from '../server/fleet/slices.ts';
import { areWindowRules, type WindowRules } from '../store/facts.ts';
import type { Budget } from './what-if-budget.ts';

/** Each takes 0.1 MB. More than a policy may have, so that those of one machine are kept together. */
const MOST_KEPT = 500;

/** Maintenance windows that machines reported. */
export interface ReportedWindows {
  /** Evaluates windows at `now`, one after another, because one that never opens takes milliseconds. Returns whether they can be used. */
  readonly areUsable: (rules: unknown, machines: readonly string[]) => Slices<boolean>;
  /** Throws if the agent of the machine computes the windows, or if a pattern or a time zone is wrong. */
  readonly windowOf: (rules: unknown) => Window;
}

/** Compiles each window once: machines of a site have few. */
export function reportedWindows(budget: Budget, now: number): ReportedWindows {
  const compiled = new LRUCache<string, CompiledWindow>({ max: MOST_KEPT });
  const compile = (rule: WindowRules[number]): CompiledWindow => {
    const key = JSON.stringify(rule);
    const window = compiled.get(key) ?? compileWindow(rule);
    compiled.set(key, window);
    return window;
  };
  const evaluate = (rule: WindowRules[number]): boolean => {
    try {
      const window = compile(rule);
      window.openAt(now);
      window.next(now);
      return true;
    } catch (error) {
      // A bad pattern or time zone throws when it is first used.
      if (error instanceof Error) return false;
      throw error;
    }
  };
  return {
    *areUsable(rules, machines) {
      if (!areWindowRules(rules)) return rules === undefined;
      for (const rule of rules) {
        if (budget.exceeded(machines) !== undefined) return true;
        if (!budget.spend(machines, () => evaluate(rule))) return false;
        yield* budget.pause();
      }
      return true;
    },
    windowOf(rules) {
      const window = areWindowRules(rules) ? compileWindows(rules, compile) : undefined;
      if (!window) throw new Error('the windows are computed by the agent');
      return window;
    },
  };
}
