import type { ModuleEntry } from '../machine/machine.ts';
import { termsFor } from '../machine/update-policy.ts';
import type { Configuration } from './configuration.ts';

/**
 * What of the configuration reaches the program of an entry, as one text: its variables and other fields, the attributes of
 * its module's components, its command and its user. The order of fields does not matter. Its edit gives a release that
 * failed another try (D82). It may contain secrets.
 */
export function entrySetup(
  { name, moduleId, env, extra }: ModuleEntry,
  { machine, policy }: Configuration,
): string {
  const { command, runAs } = termsFor(policy, name).run;
  const components = machine.components.flatMap(({ name: component, model, attributes }) =>
    model.kind === 'modular' && model.moduleId === moduleId ? [[component, attributes]] : [],
  );
  return JSON.stringify([env, extra, components, command, runAs], (_key, value: unknown) =>
    isMapping(value) ? Object.fromEntries(Object.entries(value).toSorted(byKey)) : value,
  );
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
