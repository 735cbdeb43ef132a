import * as v from 'valibot';
import type { Machine } from '../core/machine/machine.ts';
import { DEFAULT_POLICY } from '../core/machine/update-policy.ts';
import { agentConfiguration } from './agent.ts';
import { component } from './component.ts';
import { dependencyFindings } from './cross-checks/dependencies.ts';
import { fields, editorFields, listOf, type Schema } from './fields/fields.ts';
import type { Checked, CheckContext } from './check-context.ts';
import { unusablePrograms } from './cross-checks/local-programs.ts';
import { modelFindings } from './cross-checks/models.ts';
import { moduleEntry } from './module-entry.ts';
import { variableFindings } from './cross-checks/module-variables.ts';
import { duplicateNames, duplicateNetworks, subsystemNames } from './cross-checks/names.ts';
import { fieldFindings } from './cross-checks/other-document.ts';
import { machineOutline, subsystemsOutline } from './cross-checks/outline.ts';
import { pinFindings } from './cross-checks/pins.ts';
import { applySchema } from './schema-findings.ts';
import { refusedFields, withUnknown } from './refused-fields.ts';
import { permissionFindings } from './cross-checks/secret-file.ts';

/** A machine config. */
export const machine: Schema<Machine> = v.pipe(
  fields({
    ...editorFields,
    components: v.optional(listOf(component, 'a list of components'), []),
    modules: v.optional(listOf(moduleEntry, 'a list of modules'), []),
    agent: v.optional(agentConfiguration, {}),
  }),
  v.transform(({ components, modules, agent }) => ({ components, modules, agent })),
);

/** Reads a machine config, and checks the references between its parts. */
export function checkMachine(value: unknown, context: CheckContext): Checked<Machine> {
  const { output, findings } = applySchema(machine, value);
  const found = fieldFindings('machine', machine, value);
  const { unknownFields, ...refused } = refusedFields('machine', value, found, context);
  const outline = v.parse(machineOutline, value);
  const { policy = DEFAULT_POLICY, environment, mode } = context;
  return {
    output: output && { ...output, agent: withUnknown(output.agent, unknownFields) },
    findings: [
      ...findings,
      ...refused.findings,
      ...duplicateNames(outline),
      ...subsystemNames(outline, v.parse(subsystemsOutline, value)),
      ...duplicateNetworks(outline.agent, ['agent']),
      ...modelFindings(outline),
      ...dependencyFindings(outline),
      ...unusablePrograms(outline),
      ...variableFindings(outline, policy, environment),
      ...pinFindings(outline.agent, ['agent'], policy),
      ...permissionFindings(outline.agent, ['agent'], mode),
    ],
    modules: outline.modules.length,
  };
}
