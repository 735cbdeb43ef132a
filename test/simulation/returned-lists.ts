import type { Desired } from './desired.ts';
import { targetsOf, termsOf, type Ledger, type Target } from './ledger.ts';

/*
 * The lists of modules that return to the config. A poller discards the lists that it does not need.
 */

/** Another configuration is in force. */
export function noteReturned({ desired: before, lists, returned }: Ledger, desired: Desired): void {
  const needed = new Set(listKeys(before));
  for (const key of listKeys(desired)) if (lists.has(key) && !needed.has(key)) returned.add(key);
}

/** Whether the entry returned to the config, and its list was not read since. */
export function hasReturned({ desired, returned }: Ledger, target: Target): boolean {
  return desired !== undefined && returned.has(listKey(desired, target));
}

function listKeys(desired: Desired | undefined): string[] {
  return desired ? targetsOf(desired).map((target) => listKey(desired, target)) : [];
}

/** The key of the list that decides on a target. */
export function listKey(desired: Desired, { name, moduleId }: Target): string {
  return `${termsOf(desired, name).registry} ${moduleId}`;
}
