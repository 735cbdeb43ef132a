import * as v from 'valibot';
import { parseConstraint, parseModuleId, type Constraint, type ModuleId } from '../core/index.ts';
import type { ModuleEntry } from '../core/machine/machine.ts';
import { environmentTemplate, variableName } from './fields/environment-reference.ts';
import { parseFault } from './fault.ts';
import { choice, mapOf, oneOf, openFields, parsed, type Schema } from './fields/fields.ts';
import { name } from './fields/name.ts';
import { MODULE_ID_PATTERN, NUMBER, VERSION_PATTERN } from './fields/patterns.ts';

const moduleId: Schema<ModuleId> = parsed(
  (value) => {
    const id = parseModuleId(value);
    return id.ok ? id : { ok: false, error: parseFault(id.error) };
  },
  { type: 'string', pattern: `^${MODULE_ID_PATTERN}$` },
);

const constraint: Schema<Constraint> = parsed(
  (value) => {
    const read = parseConstraint(value);
    return read.ok ? read : { ok: false, error: parseFault(read.error) };
  },
  {
    type: 'string',
    maxLength: 256,
    pattern: `^(?:${VERSION_PATTERN}|${NUMBER}\\.(?:${NUMBER}\\.)?\\*|latest(?:-with-prerelease)?)$`,
  },
);

const entries = {
  type: oneOf(['registry', 'local']),
  name,
  module_id: moduleId,
  env: v.optional(mapOf(variableName, environmentTemplate), {}),
};

/** A registry module, or a local module, whose `version` is ignored. Other fields are kept for the agent, such as the program of a local one (D345). */
export const moduleEntry: Schema<ModuleEntry> = choice(
  { type: 'local' },
  {
    matching: v.pipe(
      openFields({
        ...entries,
        version: v.optional(v.unknown()),
        executable_path: v.optional(v.unknown()),
      }),
      v.transform(({ type: _local, name: own, module_id, env, version: _ignored, ...extra }) => ({
        type: 'local' as const,
        name: own,
        moduleId: module_id,
        env,
        extra,
      })),
    ),
    otherwise: v.pipe(
      openFields({ ...entries, version: constraint }),
      v.transform(({ type: _registry, name: own, module_id, env, version, ...extra }) => ({
        type: 'registry' as const,
        name: own,
        moduleId: module_id,
        env,
        constraint: version,
        extra,
      })),
    ),
  },
);
