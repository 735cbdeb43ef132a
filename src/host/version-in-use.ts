import type { Activation } from '../core/machine/activation.ts';
import { activationsIn } from '../store/activations.ts';
import type { MachineFile } from '../store/index.ts';
import { keyOf, recentFailures, type Failing } from './recent-failures.ts';

/** The version of a module that the agent runs: the one on trial while there is one. */
export function versionInUse(activation: Activation): string {
  if (activation.phase === 'stable') return activation.current.version;
  return (activation.phase === 'trying' ? activation.candidate : activation.previous).version;
}

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
