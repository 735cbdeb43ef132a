import type { Desired } from './desired.ts';
import type { Ledger } from './ledger.ts';

/*
 * What of the config reaches the programs of an entry: its environment, and the components of its module. (D82)
 */

/** As text; undefined if the config has no such entry of a module. */
export function setupOf(desired: Desired | undefined, name: string): string | undefined {
  const entry = desired?.modules.find((one) => one.name === name);
  if (!desired || !entry) return undefined;
  const components = desired.modules.filter(({ moduleId }) => moduleId === entry.moduleId);
  return `value ${entry.value?.number}${entry.isLocal ? ', local,' : ''} of ${components.map((one) => one.name).join()}`;
}

/** The agent has read another config: what it starts for another entry of the same name is another program. */
export function noteEntries(
  { started, desired, entered, left }: Ledger,
  before: Desired | undefined,
  now: number,
): void {
  const names = [desired, before].flatMap((one) => one?.modules ?? []).map(({ name }) => name);
  for (const name of new Set([...started.keys(), ...names])) {
    const text = entryText(desired, name);
    if (text === entryText(before, name)) continue;
    started.delete(name);
    (text === undefined ? left : entered).set(name, now);
  }
}

function entryText(desired: Desired | undefined, name: string): string | undefined {
  const entry = desired?.modules.find((one) => one.name === name);
  if (!entry || desired?.server.isDisabled === true) return undefined;
  return `${entry.moduleId} ${entry.isLocal}`;
}
