import type { Activation } from '../core/machine/activation.ts';
import { activationsIn } from '../store/activations.ts';
import type { MachineFile } from '../store/index.ts';
import { excerpt } from '../core/text/quote.ts';
import type { Said } from '../core/text/time-words.ts';
import { fitted } from '../core/explanation/headline.ts';
import { keyOf, recentFailures, type RecentFailures } from './recent-failures.ts';

/** The version of a module that the agent runs: the one on trial while there is one. */
export function versionInUse(activation: Activation): string {
  if (activation.phase === 'stable') return activation.current.version;
  return (activation.phase === 'trying' ? activation.candidate : activation.previous).version;
}

/** A module whose version in use failed several times lately. */
export type Failing = RecentFailures & { readonly version: string };

/**
 * These modules, by the name of their entry. A version that failed five times counts as failed and not as deployed, but the
 * agent starts it again if there is no other.
 */
export function failingModules(file: MachineFile, now: number): ReadonlyMap<string, Failing> {
  const failures = recentFailures(file.path, 'read', now);
  const failing = new Map<string, Failing>();
  for (const [name, { activation }] of activationsIn(file)) {
    const version = versionInUse(activation);
    const found = failures.get(keyOf(name, version));
    if (found) failing.set(name, { ...found, version });
  }
  return failing;
}

/** `1.1.0 failed 2 times: it ended with exit… · starts again` (D485). */
export function failingHeadline({ version, count, reason: because, next }: Failing): Said {
  return fitted({
    fact: `${excerpt(version)} failed ${count} times`,
    because,
    outcome: OUTCOMES[next.kind],
  });
}

const OUTCOMES: Readonly<Record<Failing['next']['kind'], string>> = {
  up: 'up again',
  'next-start': 'starts again',
  held: 'waits for another module',
  'no-agent': 'no agent runs',
};
